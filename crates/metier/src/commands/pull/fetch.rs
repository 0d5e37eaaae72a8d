//! Fetching a skill: every file is what the server listed, or none is used.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use metier_skills::differing_field;
use metier_upstreams::{ServedSkill, ServerName, SkillReadError, Upstreams};

use super::{layout::Place, refusal::Refusal};

/// How many files are asked for at a time.
const AT_ONCE: usize = 8;

/// A skill of a server.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) server: ServerName,
    pub(super) skill: Arc<ServedSkill>,
}

/// Fetches the files of a skill in the order of their places, the first of which is its `SKILL.md`.
pub(super) async fn fetch(
    upstreams: &Upstreams,
    wanted: &Wanted,
    places: &[Place],
) -> Result<Vec<Vec<u8>>, Refusal> {
    let Some((own, others)) = places.split_first() else { return Ok(Vec::new()) };
    let own = read(upstreams, wanted, own).await?;
    check_head(&own, &wanted.skill)?;
    let reads = others.iter().map(|place| read(upstreams, wanted, place));
    let others: Vec<Vec<u8>> = stream::iter(reads).buffered(AT_ONCE).try_collect().await?;
    Ok([vec![own], others].concat())
}

async fn read(
    upstreams: &Upstreams,
    Wanted { server, skill }: &Wanted,
    Place { path, file }: &Place,
) -> Result<Vec<u8>, Refusal> {
    let read = upstreams.read_skill(server, skill, &file.uri, Arc::new(())).await;
    let path = || path.clone();
    read.map(|it| it.bytes).map_err(|error| match error {
        SkillReadError::Size(_) => {
            Refusal::Content { path: path(), expected: format!("{} bytes", file.size) }
        }
        SkillReadError::Digest(_) => Refusal::Content {
            path: path(),
            expected: format!("the digest {}", file.digest_text()),
        },
        error => Refusal::Unread { path: path(), error },
    })
}

/// Holds the head of a `SKILL.md` to what was listed, field by field.
pub(super) fn check_head(bytes: &[u8], skill: &ServedSkill) -> Result<(), Refusal> {
    let refused = |reason: String| Err(Refusal::Frontmatter(reason));
    let Ok(text) = str::from_utf8(bytes) else { return refused("it is not UTF-8".to_owned()) };
    let Ok(listed) = serde_json::from_str(skill.frontmatter.get()) else {
        return refused("what was listed is no object".to_owned());
    };
    match differing_field(text, &listed) {
        Ok(None) => Ok(()),
        Ok(Some(field)) => refused(format!("the field `{field}` differs")),
        Err(error) => refused(error.to_string()),
    }
}

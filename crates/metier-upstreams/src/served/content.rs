//! A file of a served skill: taken from what the server answers, and held to what it listed.

use std::{fmt, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::{Files, MOST_BYTES, ServedSkill, is_below};
use crate::{
    call::{CallError, Request},
    caller::Caller,
    spec::ServerName,
    upstreams::Upstreams,
    uri::{NormalUri, Unclean},
};

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillContent {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether the server sent it as text.
    pub is_text: bool,
    /// Of which type it is, if the server says.
    pub mime_type: Option<String>,
}

/// A file in an answer that is what was listed.
#[derive(Clone, Debug)]
pub struct Verified<'a> {
    /// The URI of the file.
    pub uri: Box<str>,
    /// All that was sent.
    pub raw: &'a RawValue,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

/// Which file of which skill of which server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOfSkill {
    /// The server.
    pub server: ServerName,
    /// The name of the skill.
    pub skill: Box<str>,
    /// The URI of the file.
    pub uri: Box<str>,
}

/// Why a file of a skill cannot be used.
#[derive(Debug, Error)]
pub enum SkillReadError {
    /// The server does not give it.
    #[error(transparent)]
    Call(#[from] CallError),
    /// It is none of the skill's files.
    #[error("{0} is none of the skill's files: ask for one that it lists")]
    Unlisted(FileOfSkill),
    /// The server's answer does not hold it.
    #[error("{0} is not in the server's answer: the skill may have changed, list the skills again")]
    Empty(FileOfSkill),
    /// What the server answers cannot be read.
    #[error("{0} is not in base64 as the server says: its owner must mend that")]
    Garbled(FileOfSkill),
    /// It has not as many bytes as the server listed.
    #[error("{0} is not as long as the server said: the skill has changed, list the skills again")]
    Size(FileOfSkill),
    /// It has not the digest that the server listed.
    #[error("{0} is not what the server listed: the skill has changed, list the skills again")]
    Digest(FileOfSkill),
    /// It is larger than a whole skill may be.
    #[error("{0} is larger than a skill may be: its owner must make it smaller")]
    Large(FileOfSkill),
}

#[derive(Default, Deserialize)]
struct Contents<'a> {
    #[serde(borrow, default)]
    contents: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Content {
    uri: String,
    text: Option<String>,
    blob: Option<String>,
    #[serde(rename = "mimeType")]
    mime_type: Option<String>,
}

#[derive(Deserialize)]
struct Got<'a> {
    #[serde(borrow)]
    skill: &'a RawValue,
}

impl Upstreams {
    /// Asks a server what it says of a skill now, by the URI of its `SKILL.md`.
    pub async fn get_skill(
        &self,
        server: &ServerName,
        uri: &str,
        caller: Arc<dyn Caller>,
    ) -> Result<ServedSkill, CallError> {
        let asked = to_raw_value(uri).unwrap_or_default();
        let params = [("uri", &*asked)];
        let request = Request::new("skills/get", &params);
        let result = self.request(server, request, caller).await?;
        let lost = |reason: String| CallError::Lost { server: server.clone(), reason };
        let got: Got<'_> = serde_json::from_str(result.get())
            .map_err(|error| lost(format!("its answer has no skill: {error}")))?;
        match ServedSkill::read(got.skill).map_err(lost)? {
            skill if *skill.uri == *uri => Ok(skill),
            _ => Err(lost("it answered with another skill".to_owned())),
        }
    }

    /// Reads a file of a skill, from the very server that has the skill, and holds it to what was
    /// listed. A file that is not what it should be makes us ask that server what it offers again.
    pub async fn read_skill(
        &self,
        server: &ServerName,
        skill: &ServedSkill,
        uri: &str,
        caller: Arc<dyn Caller>,
    ) -> Result<SkillContent, SkillReadError> {
        let file =
            FileOfSkill { server: server.clone(), skill: skill.name.clone(), uri: uri.into() };
        if !skill.holds(uri) {
            return Err(SkillReadError::Unlisted(file));
        }
        let result = self.read(server, uri, caller).await.map_err(SkillReadError::Call);
        let content = result.and_then(|it| skill.content(file, &it));
        content.inspect_err(|error| {
            if error.is_stale() {
                self.doubt(server);
            }
        })
    }

    /// Asks a server again what it offers: it has answered as if that were something else by now.
    pub fn doubt(&self, server: &ServerName) {
        let roster = self.roster();
        if let Some(link) = roster.server(server).and_then(|it| it.standing.link.as_ref()) {
            link.board().miss();
        }
    }
}

impl ServedSkill {
    /// Those contents in the answer to `resources/read` of a file that are what was listed, as they
    /// were sent. The file itself must be among them, and nothing else under its URI; what else there
    /// is need not.
    pub fn verified<'a>(
        &self,
        server: &ServerName,
        uri: &str,
        result: &'a RawValue,
    ) -> Result<Vec<Verified<'a>>, SkillReadError> {
        let file =
            |uri: Box<str>| FileOfSkill { server: server.clone(), skill: self.name.clone(), uri };
        let all: Contents<'_> = serde_json::from_str(result.get()).unwrap_or_default();
        let mut verified = Vec::new();
        for raw in all.contents {
            let Ok(content) = serde_json::from_str::<Content>(raw.get()) else { continue };
            let its_uri: Box<str> = content.uri.as_str().into();
            if !self.holds(&its_uri) {
                continue;
            }
            match self.hold(file(its_uri.clone()), content) {
                Ok(it) => verified.push(Verified { uri: its_uri, raw, bytes: it.bytes }),
                Err(error) if *its_uri == *uri => return Err(error),
                Err(_) => {}
            }
        }
        match verified.iter().any(|it| *it.uri == *uri) {
            true => Ok(verified),
            false => Err(SkillReadError::Empty(file(uri.into()))),
        }
    }

    /// Whether a URI is that of one of its files, as far as one can know.
    #[must_use]
    pub fn holds(&self, uri: &str) -> bool {
        match &self.files {
            Files::Listed(_) => self.file(uri).is_some(),
            Files::Dynamic => is_below(self.root(), uri) && self.unclean(uri).is_none(),
        }
    }

    /// Why a URI below the skill could be taken for something elsewhere, where its files are not known:
    /// for one that is listed, perhaps, of another skill.
    #[must_use]
    pub fn unclean(&self, uri: &str) -> Option<Unclean> {
        let path = uri.strip_prefix(self.root()).filter(|_| self.files == Files::Dynamic)?;
        NormalUri::of(&format!("skill://skill{path}")).err()
    }

    /// The file in the answer to `resources/read`, if it is what was listed.
    fn content(
        &self,
        file: FileOfSkill,
        result: &RawValue,
    ) -> Result<SkillContent, SkillReadError> {
        match found(&file.uri, result) {
            Some(content) => self.hold(file, content),
            None => Err(SkillReadError::Empty(file)),
        }
    }

    /// A file, if it is what was listed.
    fn hold(&self, file: FileOfSkill, content: Content) -> Result<SkillContent, SkillReadError> {
        let blob = content.blob.as_deref().map(|it| STANDARD.decode(it.trim()));
        let (bytes, is_text) = match (content.text.map(String::into_bytes), blob) {
            (Some(text), None) => (text, true),
            // Who reads it may take either.
            (Some(text), Some(Ok(blob))) if text == blob => (text, true),
            (None, Some(Ok(blob))) => (blob, false),
            (_, Some(_)) => return Err(SkillReadError::Garbled(file)),
            (None, None) => return Err(SkillReadError::Empty(file)),
        };
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match self.file(&file.uri) {
            Some(listed) if listed.size != size => Err(SkillReadError::Size(file)),
            Some(listed) if listed.digest != *Sha256::digest(&bytes) => {
                Err(SkillReadError::Digest(file))
            }
            None if size > MOST_BYTES => Err(SkillReadError::Large(file)),
            _ => Ok(SkillContent { bytes, is_text, mime_type: content.mime_type }),
        }
    }
}

/// The first of the contents that has the URI; others that cannot be read are no matter.
fn found(uri: &str, result: &RawValue) -> Option<Content> {
    let all: Contents<'_> = serde_json::from_str(result.get()).unwrap_or_default();
    let mut contents = all.contents.iter().filter_map(|it| serde_json::from_str(it.get()).ok());
    contents.find(|it: &Content| it.uri == uri)
}

impl SkillReadError {
    /// Whether the skill seems to be another by now than it was when it was listed.
    fn is_stale(&self) -> bool {
        use SkillReadError::{Call, Digest, Empty, Size};
        matches!(self, Call(CallError::Refused { .. }) | Empty(_) | Size(_) | Digest(_))
    }
}

impl fmt::Display for FileOfSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of skill `{}` of server `{}`", self.uri, self.skill, self.server)
    }
}

//! Entries of `skills/list`: a page of them at a time, each with its files as they are now.

use std::sync::Arc;

use metier_skills::{Digests, Manifest, SKILL_FILE, Skill, manifests};
use metier_wire::{Era, Error, write};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Holding;
use crate::{offer::Offer, text::Line};

/// How many skills are looked at before it is asked whether a page is full.
const STEP: usize = 64;
/// How many entries make a page full.
const FULL: usize = 256;
/// How many files make a page full.
const MANY_FILES: usize = 4_096;
/// What every result says that may be kept for a while.
const CACHE: &[u8] = br#""ttlMs":5000,"cacheScope":"private","resultType":"complete","#;

#[derive(Serialize)]
struct Entry<'a> {
    uri: String,
    frontmatter: &'a Map<String, Value>,
    resources: Vec<File>,
}

#[derive(Serialize)]
struct File {
    uri: String,
    digest: String,
    size: u64,
}

/// One page of `skills/list`: from which skill on.
pub(crate) struct Page(usize);

impl Page {
    /// The page that a cursor means, which is the URI that it begins with; the first without one.
    pub(crate) fn of(cursor: Option<&str>, offer: &Offer) -> Result<Page, Error> {
        let Some(uri) = cursor else { return Ok(Page(0)) };
        let library = offer.library();
        let here = library.position(uri);
        let at = here.or_else(|| Some(library.holdings().len() + offer.served().position(uri)?));
        at.map(Page).ok_or_else(|| unknown_cursor(uri))
    }

    /// Appends the result.
    pub(crate) fn write(&self, offer: &Offer, digests: &Digests, era: Era, out: &mut Vec<u8>) {
        let (holdings, mut at) = (offer.library().holdings(), self.0);
        let (mut entries, mut n_files) = (Vec::new(), 0);
        while at < holdings.len() && entries.len() < FULL && n_files < MANY_FILES {
            let step = &holdings[at..holdings.len().min(at + STEP)];
            at += step.len();
            let skills: Vec<Arc<Skill>> = step.iter().map(|it| Arc::clone(&it.skill)).collect();
            for (holding, manifest) in step.iter().zip(manifests(&skills, digests)) {
                match manifest {
                    Ok(manifest) => {
                        n_files += manifest.files.len();
                        entries.push(holding.entry(&manifest));
                    }
                    // One bad skill costs only itself; `metier doctor` names them.
                    Err(unfit) => tracing::debug!(skill = &*holding.id, %unfit, "not published"),
                }
            }
        }
        let served = offer.served().from(at.saturating_sub(holdings.len()));
        for served in served {
            if at < holdings.len() || entries.len() >= FULL || n_files >= MANY_FILES {
                break;
            }
            at += 1;
            n_files += served.skill.n_files();
            entries.push(served.entry(&served.skill));
        }
        begin(era, out);
        out.extend_from_slice(br#""skills":["#);
        out.extend_from_slice(&entries.join(&b','));
        out.push(b']');
        if let Some(next) = uri_at(offer, at) {
            out.extend_from_slice(br#","nextCursor":"#);
            write::json(out, &next);
        }
        out.push(b'}');
    }
}

/// What somebody hears whose cursor stands nowhere.
pub(crate) fn unknown_cursor(cursor: &str) -> Error {
    let cursor = Line(cursor, 200);
    Error::invalid_params(format!("`cursor` is unknown or stale: `{cursor}`; list anew"))
}

/// The URI of the skill at a place of the whole list.
fn uri_at(offer: &Offer, at: usize) -> Option<String> {
    let holdings = offer.library().holdings();
    match holdings.get(at) {
        Some(holding) => Some(holding.uri(SKILL_FILE)),
        None => offer.served().from(at - holdings.len()).next().map(|it| it.shown(&it.skill.uri)),
    }
}

/// Appends the result of `skills/get`.
pub(crate) fn write_entry(entry: &[u8], era: Era, out: &mut Vec<u8>) {
    begin(era, out);
    out.extend_from_slice(br#""skill":"#);
    out.extend_from_slice(entry);
    out.push(b'}');
}

fn begin(era: Era, out: &mut Vec<u8>) {
    out.push(b'{');
    if era == Era::Modern {
        out.extend_from_slice(CACHE);
    }
}

impl Holding {
    /// The entry of a skill as JSON.
    pub(crate) fn entry(&self, manifest: &Manifest) -> Vec<u8> {
        let file = |it: &metier_skills::ManifestFile| File {
            uri: self.uri(&it.path),
            digest: it.digest.to_string(),
            size: it.size,
        };
        let entry = Entry {
            uri: self.uri(SKILL_FILE),
            frontmatter: &manifest.frontmatter,
            resources: manifest.files.iter().map(file).collect(),
        };
        let mut out = Vec::new();
        write::json(&mut out, &entry);
        out
    }
}

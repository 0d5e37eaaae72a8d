//! Which skill of a server a URI leads into, however the URI is spelled.

use std::{borrow::Cow, sync::Arc};

use metier_skills::differing_field;
use metier_upstreams::{
    Files, Roster, Route, ServedSkill, ServerName, SkillReadError, Verified,
    uri::{NormalUri, Unclean, names_skill},
};
use metier_wire::{Era, Error, Members, write};
use serde_json::value::{RawValue, to_raw_value};

use super::{Gateway, journey::Thing};
use crate::{
    library::{joined, not_of_a_skill, unknown_resource},
    responder::Body,
    text::Line,
};

/// What lists the skills of a server.
const SKILLS: &str = "skills/list";

/// Something of a skill that a server lists: whose it is, and what it is called there.
pub(crate) struct Inside {
    pub(crate) server: ServerName,
    pub(crate) skill: Arc<ServedSkill>,
    /// As the server spells it; the skill's folder, or something below it.
    pub(crate) uri: String,
    /// As the client spells it.
    pub(super) asked: String,
}

/// Why a file is not passed on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unlike {
    /// It is not what was listed.
    #[error(transparent)]
    Listed(#[from] SkillReadError),
    /// It is a `SKILL.md` with another frontmatter.
    #[error(
        "`{uri}`: its frontmatter is not what server `{server}` listed: its owner must mend that"
    )]
    Head {
        /// As the client spells it.
        uri: String,
        /// Whose it is.
        server: ServerName,
    },
}

/// A URI as a server is asked for it.
struct Asked<'a> {
    uri: &'a str,
    normal: Result<NormalUri, Unclean>,
    /// It was `skill://server/path`, which says nothing of the scheme that the server uses.
    is_of_any_scheme: bool,
}

impl Gateway {
    /// What a URI means, if that is something of a listed skill. One that could be and has no clean
    /// form is refused: the server might take it for a file that it listed, and nobody would check.
    pub(crate) fn inside(&self, uri: &str) -> Result<Option<Inside>, Error> {
        inside(&self.upstreams.roster(), uri)
    }
}

/// The same, by what servers list at one moment.
pub(super) fn inside(roster: &Roster, uri: &str) -> Result<Option<Inside>, Error> {
    let routes = roster.resources().routes(uri);
    // A server's own URI may begin as if it were shown: `skill://server/path` of that very server.
    let own = routes.iter().filter(|it| *it.uri != *uri);
    let own = own.map(|it| Route { uri: Cow::Borrowed(uri), ..it.clone() });
    for route in routes.iter().chain(&own.collect::<Vec<_>>()) {
        let asked = Asked::new(uri, route);
        let skills = roster.skills().filter(|(server, _)| *server == route.server);
        let within = skills.filter_map(|(_, skill)| Some((skill, asked.within(skill)?)));
        // Of a skill within another, the inner one.
        if let Some((skill, own)) = within.max_by_key(|(skill, _)| skill.root().len()) {
            if let Some(reason) = skill.unclean(&own) {
                return Err(Error::invalid_params(not_of_a_skill(uri, reason)));
            }
            let (server, skill) = (route.server.clone(), Arc::clone(skill));
            return Ok(Some(Inside { server, skill, uri: own, asked: uri.to_owned() }));
        }
    }
    let unclean = routes.iter().find_map(|route| {
        let reason = NormalUri::of(&route.uri).err()?;
        has_skills_like(roster, route).then_some(reason)
    });
    let unclean = unclean.or_else(|| NormalUri::of(uri).err().filter(|_| names_skill(uri)));
    match unclean.filter(|_| roster.resources().position(uri).is_none()) {
        Some(reason) => Err(Error::invalid_params(not_of_a_skill(uri, reason))),
        None => Ok(None),
    }
}

/// The file of a listed skill that is read by a URI; none if it is of no skill. What may be of one that
/// could not be listed is refused.
pub(super) fn file_at(roster: &Roster, uri: &str) -> Result<Option<Inside>, Error> {
    let found = inside(roster, uri)?;
    if found.is_some() {
        return Ok(found);
    }
    for route in roster.resources().routes(uri) {
        let offer = roster.server(route.server).and_then(|it| it.standing.offer.as_ref());
        if let Some(reason) = offer.and_then(|it| it.gap(SKILLS))
            && (names_skill(uri) || names_skill(&route.uri))
        {
            let (uri, server) = (Line(uri, 200), route.server);
            return Err(Error::internal(format!(
                "`{uri}` cannot be checked: `{SKILLS}` of server `{server}` could not be read: {reason}"
            )));
        }
    }
    Ok(None)
}

impl Inside {
    /// Whether it is the skill's `SKILL.md`.
    pub(crate) fn is_skill(&self) -> bool {
        *self.uri == *self.skill.uri
    }

    /// The URI under which clients are shown it.
    pub(crate) fn shown(&self) -> String {
        self.shown_as(&self.uri)
    }

    /// The same of anything of the skill.
    fn shown_as(&self, uri: &str) -> String {
        let rest = uri.strip_prefix(self.skill.root()).unwrap_or_default();
        format!("{}{rest}", self.skill.root_at(&self.server))
    }

    /// Whether it may be asked for.
    pub(super) fn listed(&self, era: Era) -> Result<(), Error> {
        match self.skill.holds(&self.uri) {
            true => Ok(()),
            false => Err(unknown_resource(&self.asked, era)),
        }
    }

    /// How its server is asked for it.
    pub(super) fn thing(&self, era: Era) -> Thing {
        let (server, value) = (self.server.clone(), to_raw_value(&self.uri).unwrap_or_default());
        Thing { server, era, method: "resources/read", key: "uri", value }
    }

    /// The answer to `resources/read` without what is not as it was listed, and with the URIs that the
    /// client knows; a question goes as it came.
    pub(super) fn held(&self, body: Body) -> Result<Body, Unlike> {
        let text = String::from_utf8(body.result).unwrap_or_default();
        let result = RawValue::from_string(text).unwrap_or_default();
        let members = Members::of(&result).unwrap_or_default();
        let is_question = members.text("resultType").is_some_and(|it| it == "input_required");
        if is_question && members.get("contents").is_none() {
            return Ok(Body { result: result.get().into(), meta: body.meta });
        }
        let mut verified = self.skill.verified(&self.server, &self.uri, &result)?;
        verified.retain(|it| *it.uri != *self.skill.uri || is_headed(&it.bytes, &self.skill));
        if !verified.iter().any(|it| *it.uri == *self.uri) {
            return Err(Unlike::Head { uri: self.asked.clone(), server: self.server.clone() });
        }
        let contents = verified.iter().map(|Verified { uri, raw, .. }| {
            let mut out = Vec::with_capacity(raw.get().len() + 64);
            let shown = if **uri == *self.uri { self.asked.clone() } else { self.shown_as(uri) };
            Members::of(raw).unwrap_or_default().write_with(&mut out, "uri", &shown);
            out
        });
        let contents = [b"[", &*contents.collect::<Vec<_>>().join(&b','), b"]"].concat();
        let contents =
            String::from_utf8(contents).ok().and_then(|it| RawValue::from_string(it).ok());
        let contents = contents.unwrap_or_default();
        let held = members.0.iter().map(|(key, value)| match &**key {
            "contents" => (key.clone(), &*contents),
            _ => (key.clone(), *value),
        });
        let mut out = Vec::new();
        write::json(&mut out, &Members(held.collect()));
        Ok(Body { result: out, meta: body.meta })
    }
}

/// Whether the head of a `SKILL.md` says what its server listed.
pub(super) fn is_headed(bytes: &[u8], skill: &ServedSkill) -> bool {
    let listed = serde_json::from_str(skill.frontmatter.get()).ok();
    let text = str::from_utf8(bytes).ok();
    text.zip(listed).is_some_and(|(text, it)| matches!(differing_field(text, &it), Ok(None)))
}

/// Whether a URI is of the scheme of skills, or of one that the server has skills in.
fn has_skills_like(roster: &Roster, route: &Route<'_>) -> bool {
    let scheme = |uri: &str| uri.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    let wanted = scheme(&route.uri);
    let mut skills = roster.skills().filter(|(server, _)| *server == route.server);
    names_skill(&route.uri) || skills.any(|(_, skill)| scheme(&skill.uri) == wanted)
}

impl<'a> Asked<'a> {
    fn new(shown: &str, route: &'a Route<'_>) -> Asked<'a> {
        Asked {
            uri: &route.uri,
            normal: NormalUri::of(&route.uri),
            is_of_any_scheme: names_skill(shown) && *shown != *route.uri,
        }
    }

    /// How the server spells it, if it is the folder of a skill or below it.
    fn within(&self, skill: &ServedSkill) -> Option<String> {
        let exact = self.exactly_within(skill);
        match exact {
            Some(uri) if skill.file(&uri).is_some() => Some(uri),
            exact => self.normally_within(skill).or(exact),
        }
    }

    fn exactly_within(&self, skill: &ServedSkill) -> Option<String> {
        let root = skill.root();
        let rest = match self.is_of_any_scheme {
            true => bare(self.uri).strip_prefix(bare(root))?,
            false => self.uri.strip_prefix(root)?,
        };
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{root}{rest}"))
    }

    fn normally_within(&self, skill: &ServedSkill) -> Option<String> {
        let (asked, root) = (self.normal.as_ref().ok()?, skill.root());
        let rest = match self.is_of_any_scheme {
            true => asked.path_below(root)?,
            false => asked.below(root)?,
        };
        let is_it = |uri: &str| asked.path_below(uri).is_some_and(<[_]>::is_empty);
        let listed = match &skill.files {
            Files::Listed(files) => files.iter().find(|it| is_it(&it.uri)),
            Files::Dynamic => None,
        };
        Some(match listed {
            Some(file) => file.uri.to_string(),
            None if rest.is_empty() => root.to_owned(),
            None => format!("{root}/{}", joined(rest)),
        })
    }
}

fn bare(uri: &str) -> &str {
    uri.split_once("://").map_or(uri, |(_, rest)| rest)
}

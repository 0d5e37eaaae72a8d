//! Skills that servers have, beside those of this machine: under names that take nothing from them.

use std::{collections::HashSet, fmt, sync::Arc};

use metier_skills::{Catalog, Filter, Lookup, Match};
use metier_upstreams::{Roster, ServedSkill, ServerName};
use metier_wire::{Members, write};
use serde_json::value::RawValue;

/// What the URI of every skill ends in.
const SKILL_FILE: &str = "/SKILL.md";

/// One skill of a server.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    /// The name that loads it: `server:name`, or its URI where that means something else.
    pub(crate) id: String,
    /// Where it is for clients: `skill://server/path`, without the name of its file.
    pub(crate) root: String,
    pub(crate) server: ServerName,
    pub(crate) skill: Arc<ServedSkill>,
}

/// The skills of all servers, in the order they are listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServedSkills(Vec<Served>);

impl ServedSkills {
    /// Names the skills of a roster, so that none goes by a name of the catalog.
    pub(crate) fn new(roster: &Roster, catalog: &Catalog, filter: &Filter) -> ServedSkills {
        let (mut taken, mut roots) = (HashSet::new(), HashSet::new());
        let mut served = Vec::new();
        for (server, skill) in roster.skills() {
            if !filter.shows_named(server.as_str(), &skill.name) {
                continue;
            }
            let root = skill.root_at(server);
            let short = format!("{server}:{}", skill.name);
            let is_free = matches!(catalog.find(&short), Lookup::Missing { .. });
            let names = [Some(short).filter(|_| is_free), Some(root.clone())];
            // Two skills of one server whose URIs differ in nothing but the scheme are one here.
            let is_new = roots.insert(root.clone());
            let mut names = names.into_iter().flatten().filter(|_| is_new);
            let Some(id) = names.find(|it| taken.insert(it.to_lowercase())) else {
                tracing::warn!(%server, uri = &*skill.uri, "a skill has no name of its own");
                continue;
            };
            served.push(Served { id, root, server: server.clone(), skill: Arc::clone(skill) });
        }
        ServedSkills(served)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Served> {
        self.0.iter()
    }

    /// Those from a place of the list on.
    pub(crate) fn from(&self, at: usize) -> impl Iterator<Item = &Served> {
        self.0.iter().skip(at)
    }

    /// At which place of the list the skill is whose `SKILL.md` clients know by this URI.
    pub(crate) fn position(&self, uri: &str) -> Option<usize> {
        let root = uri.strip_suffix(SKILL_FILE)?;
        self.0.iter().position(|it| it.root == root)
    }

    /// A skill of a server, if it is shown.
    pub(crate) fn get(&self, server: &ServerName, skill: &ServedSkill) -> Option<&Served> {
        self.0.iter().find(|it| it.server == *server && it.skill.uri == skill.uri)
    }

    /// The skill that a name means: its id, its URI, or its own name if no other goes by it.
    pub(crate) fn find(&self, asked: &str) -> Option<&Served> {
        let asked = asked.trim();
        let root = asked.strip_suffix(SKILL_FILE).unwrap_or(asked);
        let by_id = self.0.iter().find(|it| it.id.eq_ignore_ascii_case(asked) || it.root == root);
        by_id.or_else(|| {
            let mut named = self.called(asked);
            named.next().filter(|_| named.next().is_none())
        })
    }

    /// The skills that their servers call so.
    pub(crate) fn called(&self, asked: &str) -> impl Iterator<Item = &Served> {
        let asked = asked.trim();
        self.0.iter().filter(move |it| it.skill.name.eq_ignore_ascii_case(asked))
    }

    /// The skills whose names or descriptions have the words of a query, and how many words each has.
    pub(crate) fn search(&self, query: &str, mode: Match) -> Vec<(&Served, usize)> {
        let query = query.to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let enough = match mode {
            Match::All => words.len(),
            Match::Any | Match::Fuzzy => 1,
        };
        let scored = self.0.iter().map(|it| {
            let text = format!("{} {}", it.id, it.skill.description).to_lowercase();
            (it, words.iter().filter(|word| text.contains(**word)).count())
        });
        scored.filter(|(_, n_words)| *n_words >= enough.max(1)).collect()
    }
}

impl Served {
    /// The URI under which clients know a file, given the server's own.
    pub(crate) fn path_of<'a>(&self, uri: &'a str) -> &'a str {
        let own = self.skill.uri.strip_suffix(SKILL_FILE).unwrap_or(&self.skill.uri);
        uri.strip_prefix(own).map_or(uri, |path| path.trim_start_matches('/'))
    }

    /// The URI under which clients know what the server has at one of its own.
    pub(crate) fn shown(&self, uri: &str) -> String {
        let own = self.skill.root();
        let rest = uri.strip_prefix(own).unwrap_or_default();
        format!("{}{rest}", self.root)
    }

    /// What the server says of the skill, with the URIs under which clients know it.
    pub(crate) fn entry(&self, skill: &ServedSkill) -> Vec<u8> {
        let mut out = Vec::new();
        let entry = Members::of(&skill.raw).unwrap_or_default();
        let shown = |raw: &RawValue, out: &mut Vec<u8>| {
            let file = Members::of(raw).unwrap_or_default();
            let uri = file.text("uri").unwrap_or_default();
            file.write_with(out, "uri", &self.shown(&uri));
        };
        for (at, (key, value)) in entry.0.iter().enumerate() {
            out.push(if at == 0 { b'{' } else { b',' });
            write::json(&mut out, key);
            out.push(b':');
            let files = || serde_json::from_str::<Vec<&RawValue>>(value.get()).ok();
            match &**key {
                "uri" => write::json(&mut out, &self.shown(&skill.uri)),
                "resources" if let Some(files) = files() => {
                    for (at, file) in files.iter().enumerate() {
                        out.push(if at == 0 { b'[' } else { b',' });
                        shown(file, &mut out);
                    }
                    out.push(b']');
                }
                _ => out.extend_from_slice(value.get().as_bytes()),
            }
        }
        out.push(b'}');
        out
    }

    /// The server's own URI of a file below the skill.
    pub(crate) fn uri_of(&self, path: &str) -> String {
        let own = self.skill.uri.strip_suffix(SKILL_FILE).unwrap_or(&self.skill.uri);
        format!("{own}/{}", path.trim_start_matches("./"))
    }
}

/// Where a skill of a server is, in words.
pub(crate) struct Origin<'a>(pub(crate) &'a Served);

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Served { id, root, server, skill } = self.0;
        writeln!(f, "Loading: {id}")?;
        writeln!(f, "Base directory: {root}")?;
        writeln!(f, "Path: {root}{SKILL_FILE}")?;
        writeln!(f, "Location: server")?;
        writeln!(f, "Provider: {server}")?;
        match skill.files {
            metier_upstreams::Files::Listed(_) => {
                writeln!(f, "Origin: MCP server `{server}`; the text is what the server listed")
            }
            metier_upstreams::Files::Dynamic => {
                writeln!(f, "Origin: MCP server `{server}`, which makes the text anew each time")
            }
        }
    }
}

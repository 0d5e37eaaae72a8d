//! The catalog: all skills of one scan that exist for a user, and what each name means.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::{
    filter::Filter,
    key::fold,
    similar::similar,
    skill::{Skill, State},
    source::{Owner, Source, Tier},
};

/// How many bytes of an id may stand before its name: provider, plugin and marketplace are names of
/// folders, of 255 bytes at most each, which may grow when folded.
const LONGEST_PREFIX: usize = 4_096;

/// All skills of one scan and one state that a filter lets through. Never changes.
#[derive(Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
    /// Folded name to positions in `entries`, highest precedence first.
    by_name: HashMap<Box<str>, Vec<u32>>,
    /// How many bytes the longest folded name has.
    longest_name: usize,
}

/// One skill and the name that loads it.
#[derive(Debug)]
pub struct Entry {
    /// The skill.
    pub skill: Arc<Skill>,
    /// The name that loads this very skill; `None` where another copy takes them all.
    pub id: Option<Box<str>>,
    winner: Option<u32>,
}

/// What a name means.
#[derive(Debug)]
pub enum Lookup<'a> {
    /// This skill.
    Found(&'a Entry),
    /// Any of several; each is listed with the id that loads it.
    Ambiguous(Vec<&'a Entry>),
    /// Nothing; perhaps one of these was meant.
    Missing {
        /// Ids that look alike, best first.
        similar: Vec<&'a str>,
    },
}

impl Catalog {
    /// Builds the catalog of the enabled skills that `filter` shows.
    #[must_use]
    pub fn new(skills: &[Arc<Skill>], filter: &Filter) -> Catalog {
        Catalog::of(State::Enabled, skills, filter)
    }

    /// Builds the catalog of the skills in one state that `filter` shows.
    #[must_use]
    pub fn of(state: State, skills: &[Arc<Skill>], filter: &Filter) -> Catalog {
        let mut catalog = Catalog::default();
        let in_state = skills.iter().filter(|skill| skill.state == state);
        let mut shown: Vec<Arc<Skill>> = in_state.filter_map(|it| filter.shown(it)).collect();
        // Where a skill's highest place is filtered away, a lower one counts.
        shown.sort_by_key(|skill| skill.source.tier);
        shown.into_iter().for_each(|skill| catalog.insert(skill));
        let mut naming = Naming { catalog: &catalog, resolved: HashMap::new() };
        let names: Vec<_> = (0..catalog.entries.len()).map(|at| naming.of(at)).collect();
        for (entry, (id, winner)) in catalog.entries.iter_mut().zip(names) {
            entry.id = id;
            entry.winner = winner;
        }
        catalog
    }

    /// Every skill, highest precedence first, also those that no name loads.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The skills that can be loaded, each with the id that loads it.
    pub fn listed(&self) -> impl Iterator<Item = (&str, &Skill)> {
        self.entries.iter().filter_map(|it| Some((it.id.as_deref()?, &*it.skill)))
    }

    /// The entry whose skill takes this one's name, if another does.
    #[must_use]
    pub fn winner(&self, entry: &Entry) -> Option<&Entry> {
        self.entries.get(entry.winner? as usize)
    }

    /// Resolves a name as a person or an agent may write it.
    #[must_use]
    pub fn find(&self, asked: &str) -> Lookup<'_> {
        match self.resolve(&fold(asked)).as_slice() {
            [] => Lookup::Missing { similar: similar(asked, self.listed()) },
            [only] => Lookup::Found(&self.entries[*only]),
            several => Lookup::Ambiguous(several.iter().map(|&at| &self.entries[at]).collect()),
        }
    }

    fn insert(&mut self, skill: Arc<Skill>) {
        let at = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let name = fold(skill.name());
        self.longest_name = self.longest_name.max(name.len());
        self.by_name.entry(name.into()).or_default().push(at);
        self.entries.push(Entry { skill, id: None, winner: None });
    }

    /// What a folded name means: nothing, one skill, or the best of each who claims it.
    fn resolve(&self, asked: &str) -> Vec<usize> {
        // Nobody has such an id, and to try every colon of a megabyte of them would take minutes.
        if asked.len() > self.longest_name + LONGEST_PREFIX {
            return Vec::new();
        }
        let own = self.prefixed(asked, |skill| ids_in(&skill.source, skill.name()));
        if !own.is_empty() {
            return self.of_prefix(&own);
        }
        let linked = self.prefixed(asked, ids);
        if linked.is_empty() { self.of_plain_name(asked) } else { self.of_prefix(&linked) }
    }

    /// Skills that have the asked name among their ids, highest precedence first.
    fn prefixed(&self, asked: &str, ids: impl Fn(&Skill) -> Vec<String>) -> Vec<usize> {
        let has_id = |at: &usize| ids(&self.entries[*at].skill).iter().any(|id| fold(id) == asked);
        let colons = asked.match_indices(':');
        let named = colons.flat_map(|(colon, _)| self.named(&asked[colon + 1..]));
        let mut found: Vec<usize> = named.filter(has_id).collect();
        found.sort_unstable();
        found
    }

    /// Skills with this folded name, highest precedence first.
    fn named(&self, name: &str) -> impl Iterator<Item = usize> {
        self.by_name.get(name).into_iter().flatten().map(|&at| at as usize)
    }

    fn of_plain_name(&self, name: &str) -> Vec<usize> {
        let all: Vec<usize> = self.named(name).collect();
        let Some(&first) = all.first() else { return all };
        match self.entries[first].skill.source.tier {
            Tier::Custom | Tier::UniversalProject | Tier::UniversalGlobal => vec![first],
            Tier::AgentProject | Tier::AgentGlobal => {
                let local = |at: &usize| self.entries[*at].skill.plugin().is_none();
                self.best_of_each(all.into_iter().filter(local))
            }
            Tier::Plugin => self.best_of_each(all.into_iter()),
        }
    }

    /// A prefix names one provider or plugin; a plugin's name may be used by two marketplaces.
    fn of_prefix(&self, candidates: &[usize]) -> Vec<usize> {
        match candidates.iter().find(|&&at| self.entries[at].skill.plugin().is_none()) {
            Some(&local) => vec![local],
            None => self.best_of_each(candidates.iter().copied()),
        }
    }

    /// The first candidate of each provider, or of each plugin.
    fn best_of_each(&self, candidates: impl Iterator<Item = usize>) -> Vec<usize> {
        let owner = |at: usize| {
            let skill = &*self.entries[at].skill;
            let plugin = skill.plugin().map(|it| (&it.name, &it.marketplace));
            (skill.provider(), plugin)
        };
        let mut best: Vec<usize> = Vec::new();
        for at in candidates {
            if !best.iter().any(|&earlier| owner(earlier) == owner(at)) {
                best.push(at);
            }
        }
        best
    }
}

/// The naming of all skills. Copies of one name ask the same questions, so answers are kept.
struct Naming<'a> {
    catalog: &'a Catalog,
    resolved: HashMap<String, Vec<usize>>,
}

impl Naming<'_> {
    /// The first of a skill's ids that loads it, and who else has its plain name.
    fn of(&mut self, at: usize) -> (Option<Box<str>>, Option<u32>) {
        let skill = &*self.catalog.entries[at].skill;
        let name = skill.name();
        let plain = self.resolve(name);
        let winner = match plain.as_slice() {
            &[other] if other != at => u32::try_from(other).ok(),
            _ => None,
        };
        if skill.plugin().is_none() && plain == [at] {
            return (Some(name.into()), None);
        }
        let ids = ids(skill);
        if let Some(id) = ids.iter().find(|id| self.resolve(id) == [at]) {
            return (Some((**id).into()), winner.filter(|_| skill.plugin().is_none()));
        }
        let mut rivals = ids.iter().flat_map(|id| self.resolve(id));
        let rival = rivals.find(|rival| *rival != at);
        (None, winner.or(rival.and_then(|rival| u32::try_from(rival).ok())))
    }

    fn resolve(&mut self, name: &str) -> Vec<usize> {
        let folded = fold(name);
        if let Some(known) = self.resolved.get(&*folded) {
            return known.clone();
        }
        let resolved = self.catalog.resolve(&folded);
        self.resolved.insert(folded.into_owned(), resolved.clone());
        resolved
    }
}

/// The names with a prefix by which a skill may be asked for, the one to show first.
fn ids(skill: &Skill) -> Vec<String> {
    skill.places().flat_map(|source| ids_in(source, skill.name())).collect()
}

fn ids_in(source: &Source, name: &str) -> Vec<String> {
    let provider = &source.provider;
    let Some(Owner { plugin, .. }) = &source.plugin else {
        return vec![format!("{provider}:{name}")];
    };
    let owner = &plugin.name;
    let marketplace = plugin.marketplace.as_deref().unwrap_or_default();
    // A name that repeats its plugin's is said once.
    let base = name.split_once(':').filter(|(prefix, _)| fold(prefix) == fold(owner));
    let base = base.map(|(_, base)| base);
    let repeats = base.is_some() || fold(owner) == fold(name);
    let base = base.unwrap_or(name);
    let mut ids = vec![
        format!("{owner}:{base}"),
        format!("{provider}:{owner}:{base}"),
        format!("{owner}:{name}"),
        format!("{owner}@{marketplace}:{name}"),
        format!("{provider}:{name}"),
    ];
    if repeats {
        ids.insert(0, name.to_owned());
    }
    ids
}

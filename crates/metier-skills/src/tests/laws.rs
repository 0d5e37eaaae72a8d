//! Laws that hold for any set of skills.

use std::{path::PathBuf, sync::Arc};

use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any, prop_oneof, proptest},
    sample::select,
};

use crate::{
    Catalog, Filter, Lookup, Owner, Plugin, Skill, Source, State, Tier, frontmatter::Frontmatter,
    skill::Text,
};

/// Names that clash with each other, with providers, with plugins, and with prefixes.
const NAMES: [&str; 10] =
    ["pdf", "PDF", "git", "claude", "office", "claude:pdf", "office:pdf", "a:b", "b", "größe"];

const SOURCES: [(Tier, &str); 8] = [
    (Tier::Custom, "custom"),
    (Tier::UniversalProject, "agents"),
    (Tier::UniversalGlobal, "agents"),
    (Tier::AgentProject, "claude"),
    (Tier::AgentProject, "a"),
    (Tier::AgentGlobal, "claude"),
    (Tier::AgentGlobal, "codex"),
    (Tier::Plugin, "claude"),
];

fn plugin() -> impl Strategy<Value = Plugin> {
    let marketplace =
        prop_oneof![Just(None), Just(Some("m".to_owned())), Just(Some("n".to_owned()))];
    let name = select(vec!["office", "Office", "claude", "pdf", "a"]);
    let version = prop_oneof![Just(None), Just(Some("1.0".to_owned()))];
    (name, marketplace, version).prop_map(|(name, marketplace, version)| Plugin {
        name: name.to_owned(),
        marketplace,
        version,
    })
}

/// Sources that lead to a skill beside its own.
fn also() -> impl Strategy<Value = Vec<Arc<Source>>> {
    let source = select(&SOURCES[3..7]);
    let source = source.prop_map(|(tier, provider)| Source::new(tier, provider, PathBuf::new()));
    vec(source.prop_map(Arc::new), 0..2)
}

fn skill() -> impl Strategy<Value = Skill> {
    let state = select(vec![State::Enabled, State::Enabled, State::Enabled, State::Disabled]);
    (select(&SOURCES[..]), select(&NAMES[..]), plugin(), also(), state).prop_map(
        |((tier, provider), name, plugin, also, state)| {
            let mut source = Source::new(tier, provider, PathBuf::new());
            source.plugin = (tier == Tier::Plugin)
                .then(|| Owner { plugin: Arc::new(plugin), install: PathBuf::new() });
            let frontmatter = Frontmatter {
                name: name.to_owned(),
                description: "d".to_owned(),
                fields: Vec::new(),
                repairs: Vec::new(),
            };
            Skill {
                source: Arc::new(source),
                also,
                folder: PathBuf::new(),
                file_name: "SKILL.md".into(),
                state,
                text: Arc::new(Text { frontmatter, size: 0, digest: 0, whole: None }),
            }
        },
    )
}

/// A scan's skills come in order of their tiers.
fn skills() -> impl Strategy<Value = Vec<Arc<Skill>>> {
    vec(skill(), 0..12).prop_map(|mut skills| {
        skills.sort_by_key(|skill| skill.source.tier);
        skills.into_iter().map(Arc::new).collect()
    })
}

fn patterns() -> impl Strategy<Value = Vec<String>> {
    let words = ["pdf", "p*", "?", "claude", "office:*", "@project", "@plugins", "*", "custom:pdf"];
    vec(select(words.to_vec()).prop_map(str::to_owned), 0..3)
}

/// A skill with the name of all others; asked for one by one they would take minutes.
#[test]
fn any_number_of_copies_of_one_name_is_named_at_once() {
    let source = Arc::new(Source::new(Tier::AgentProject, "claude", PathBuf::new()));
    let frontmatter = Frontmatter {
        name: "x".to_owned(),
        description: "d".to_owned(),
        fields: Vec::new(),
        repairs: Vec::new(),
    };
    let text = Arc::new(Text { frontmatter, size: 0, digest: 0, whole: None });
    let copy = |number: usize| Skill {
        source: source.clone(),
        also: Vec::new(),
        folder: PathBuf::from(number.to_string()),
        file_name: "SKILL.md".into(),
        state: State::Enabled,
        text: text.clone(),
    };
    let skills: Vec<Arc<Skill>> = (0..20_000).map(copy).map(Arc::new).collect();
    let catalog = Catalog::new(&skills, &Filter::default());
    assert_eq!(catalog.listed().count(), 1);
}

proptest! {
    #![proptest_config(crate::tests::cases(1_024))]

    #[test]
    fn every_name_that_is_listed_loads_that_very_skill(skills in skills()) {
        let catalog = Catalog::new(&skills, &Filter::default());
        for (id, listed) in catalog.listed() {
            let Lookup::Found(found) = catalog.find(id) else { panic!("`{id}` is not found") };
            assert!(std::ptr::eq(&*found.skill, listed), "`{id}` loads another skill");
        }
    }

    #[test]
    fn every_enabled_skill_is_listed_or_has_a_winner(skills in skills()) {
        let catalog = Catalog::new(&skills, &Filter::default());
        for entry in catalog.entries() {
            assert!(entry.id.is_some() || catalog.winner(entry).is_some(), "{entry:?}");
        }
        let disabled = Catalog::of(State::Disabled, &skills, &Filter::default());
        assert_eq!(catalog.entries().len() + disabled.entries().len(), skills.len());
    }

    #[test]
    fn ids_that_an_ambiguous_name_offers_are_listed_ids(skills in skills(), at in 0..NAMES.len()) {
        let catalog = Catalog::new(&skills, &Filter::default());
        if let Lookup::Ambiguous(entries) = catalog.find(NAMES[at]) {
            assert!(entries.len() > 1);
            assert!(entries.iter().all(|entry| entry.id.is_some()));
        }
    }

    #[test]
    fn a_filter_never_shows_what_it_excludes(
        skills in skills(), include in patterns(), exclude in patterns(),
    ) {
        let filter = Filter::new(&include, &exclude).unwrap();
        let catalog = Catalog::new(&skills, &filter);
        let none: [&str; 0] = [];
        for pattern in &exclude {
            let only = Filter::new(&[pattern.as_str()], &none).unwrap();
            assert!(catalog.entries().iter().all(|entry| only.shown(&entry.skill).is_none()));
        }
        for id in &NAMES {
            if let Lookup::Found(found) = catalog.find(id) {
                assert!(filter.shown(&found.skill).is_some());
            }
        }
    }

    #[test]
    fn finding_never_panics(skills in skills(), asked in any::<String>()) {
        let _ = Catalog::new(&skills, &Filter::default()).find(&asked);
    }
}

//! Searching a catalog: a query in, skills with excerpts out, best first.

use std::borrow::Cow;

use crate::{
    catalog::Catalog,
    frontmatter::split,
    search::{Entry, Pass, Query, excerpt},
    skill::Skill,
};

/// What a search found.
#[derive(Debug)]
pub struct SearchResults<'a> {
    /// How many skills match, shown or not.
    pub total: usize,
    /// The best of them.
    pub results: Vec<SearchResult<'a>>,
}

/// One skill that matches.
#[derive(Debug)]
pub struct SearchResult<'a> {
    /// The name that loads it.
    pub id: &'a str,
    /// The skill.
    pub skill: &'a Skill,
    /// How many of the query's words it has.
    pub score: usize,
    /// The text around the first match.
    pub excerpt: String,
}

impl Catalog {
    /// Searches every listed skill once, at the price of reading through it.
    #[must_use]
    pub fn search(&self, query: &Query, limit: usize) -> SearchResults<'_> {
        let listed: Vec<(&str, &Skill)> = self.listed().collect();
        let mut pass = Pass::new(query);
        for (_, skill) in &listed {
            let text = text_of(skill);
            pass.add(Entry {
                name: skill.name(),
                description: skill.description(),
                body: body_of(&text),
            });
        }
        let hits = pass.finish();
        let results = hits.iter().take(limit).map(|hit| {
            let (id, skill) = listed[hit.entry];
            let text = text_of(skill);
            let excerpt = excerpt(query, skill.description(), body_of(&text));
            SearchResult { id, skill, score: hit.score, excerpt }
        });
        SearchResults { total: hits.len(), results: results.collect() }
    }
}

/// The skill's file, kept or read; one that has vanished meanwhile has no text.
fn text_of(skill: &Skill) -> Cow<'_, str> {
    match skill.kept_text() {
        Some(text) => text.into(),
        None => skill.read().unwrap_or_default().into(),
    }
}

fn body_of(text: &str) -> &str {
    split(text).map_or(text, |document| document.body)
}

//! Searching a catalog: a query in, skills with excerpts out, best first.

use std::borrow::Cow;

use crate::{
    catalog::Catalog,
    frontmatter::split,
    problem::Cause,
    search::{Builder, Entry, Hit, Index, Pass, Query, excerpt},
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

/// The words of every listed skill of one catalog, for many searches.
#[derive(Debug)]
pub struct SearchIndex(Index);

impl SearchIndex {
    /// Reads every listed skill once. For one search alone [`Catalog::search`] is cheaper.
    #[must_use]
    pub fn new(catalog: &Catalog) -> SearchIndex {
        let mut builder = Builder::default();
        catalog.each_text(|entry| builder.add(entry));
        SearchIndex(builder.finish())
    }
}

impl Catalog {
    /// Searches every listed skill once, at the price of reading through it.
    #[must_use]
    pub fn search(&self, query: &Query, limit: usize) -> SearchResults<'_> {
        let mut pass = Pass::new(query);
        self.each_text(|entry| pass.add(entry));
        self.results(&pass.finish(), query, limit)
    }

    /// Searches by an index that was built from this very catalog; finds what
    /// [`Catalog::search`] finds, in the same order.
    #[must_use]
    pub fn search_with(
        &self,
        index: &SearchIndex,
        query: &Query,
        limit: usize,
    ) -> SearchResults<'_> {
        self.results(&index.0.search(query), query, limit)
    }

    /// Shows every listed skill with its text, in order.
    fn each_text(&self, mut look: impl FnMut(Entry<'_>)) {
        for (_, skill) in self.listed() {
            let text = text_of(skill);
            let (name, description) = (skill.name(), skill.description());
            look(Entry { name, description, body: body_of(&text) });
        }
    }

    fn results(&self, hits: &[Hit], query: &Query, limit: usize) -> SearchResults<'_> {
        let listed: Vec<(&str, &Skill)> = self.listed().collect();
        let results = hits.iter().take(limit).filter_map(|hit| {
            let &(id, skill) = listed.get(hit.entry)?;
            let text = text_of(skill);
            let excerpt = excerpt(query, skill.description(), body_of(&text));
            Some(SearchResult { id, skill, score: hit.score, excerpt })
        });
        SearchResults { total: hits.len(), results: results.collect() }
    }
}

impl Skill {
    /// Reads what follows the frontmatter, as it is now.
    pub fn read_body(&self) -> Result<String, Cause> {
        let mut text = self.read()?;
        let body = body_of(&text).len();
        Ok(text.split_off(text.len() - body))
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

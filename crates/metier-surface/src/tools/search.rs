//! `skills_search`: skills that have the words, best first.

use std::{borrow::Cow, fmt::Write};

use metier_skills::SearchResult;
use serde::Serialize;

use super::{Tool, available::echo, reply::Reply, summary::Summary};
use crate::{
    offer::Offer,
    text::{Line, Visible},
};

/// How many characters of a description are shown.
const LONGEST_DESCRIPTION: usize = 160;

#[derive(Serialize)]
struct Found<'a> {
    query: &'a str,
    limit: usize,
    total: usize,
    results: Vec<Hit<'a>>,
}

#[derive(Serialize)]
struct Hit<'a> {
    #[serde(flatten)]
    skill: Summary<'a>,
    score: usize,
    excerpt: Cow<'a, str>,
}

pub(super) fn fill(query: &str, limit: usize, offer: &Offer, reply: Reply<'_>) {
    let Some(found) = offer.search(query, limit) else {
        return reply.refusal("There is no word to look for.");
    };
    // Of the skills of servers only what was listed is known; they come last.
    let served = offer.search_served(query);
    let total = found.total + served.len();
    let room = limit.saturating_sub(found.results.len());
    let served = &served[..served.len().min(room)];
    let mut text = heading(query, found.results.len() + served.len(), total, offer);
    for result in &found.results {
        // A `String` takes everything.
        let _ = write_result(&mut text, result);
    }
    for (it, _) in served {
        let description = Line(&it.skill.description, LONGEST_DESCRIPTION);
        let _ = writeln!(text, "- {}: {description}", Visible(&it.id));
    }
    let here = found.results.iter().map(|it| Hit {
        skill: Summary::new(it.id, it.skill),
        score: it.score,
        excerpt: Cow::Borrowed(&it.excerpt),
    });
    let there = served.iter().map(|(it, score)| Hit {
        skill: Summary::served(it),
        score: *score,
        excerpt: Line(&it.skill.description, LONGEST_DESCRIPTION).to_string().into(),
    });
    let results = here.chain(there).collect();
    reply.structured(text.trim_end(), Found { query, limit, total, results });
}

fn heading(query: &str, n_shown: usize, total: usize, offer: &Offer) -> String {
    let query = echo(query);
    match (total, offer.name_of(Tool::List)) {
        (0, Some(list)) => {
            format!("No skill matches '{query}'. Try fewer or other words, or `{list}`.\n")
        }
        (0, None) => format!("No skill matches '{query}'. Try fewer or other words.\n"),
        (1, _) => format!("1 skill matches '{query}'\n"),
        _ if n_shown < total => format!("{n_shown} of {total} skills that match '{query}'\n"),
        _ => format!("{total} skills match '{query}'\n"),
    }
}

fn write_result(out: &mut String, result: &SearchResult<'_>) -> std::fmt::Result {
    let description = Line(result.skill.description(), LONGEST_DESCRIPTION).to_string();
    let excerpt = Line(&result.excerpt, usize::MAX).to_string();
    writeln!(out, "- {}: {description}", Visible(result.id))?;
    if !description.contains(excerpt.trim_matches('…')) {
        writeln!(out, "  {excerpt}")?;
    }
    Ok(())
}

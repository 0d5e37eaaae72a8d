//! `skills_list`: every skill with its metadata, and its body if that is wanted.

use metier_skills::Skill;
use serde::Serialize;

use super::{
    available::{Lines, echo},
    load::warn_unreadable,
    reply::Reply,
    summary::{Summary, install_name},
};
use crate::{offer::Offer, served::Served};

/// How many bytes all bodies of one answer may have together.
const MOST_BODIES: usize = 8 << 20;

/// Whether bodies are part of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bodies {
    Hidden,
    Shown,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    skills: Vec<Summary<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies_omitted: Option<usize>,
}

pub(super) fn fill(query: Option<&str>, bodies: Bodies, offer: &Offer, reply: Reply<'_>) {
    let query = query.map(str::trim).filter(|query| !query.is_empty());
    let wanted = query.map(str::to_lowercase);
    let all = offer.catalog().listed();
    let matching = all.filter(|(_, skill)| wanted.as_ref().is_none_or(|it| has(skill, it)));
    let skills: Vec<(&str, &Skill)> = matching.collect();
    let mut summaries: Vec<Summary<'_>> =
        skills.iter().map(|(id, skill)| Summary::new(id, skill)).collect();
    let n_omitted = match bodies {
        Bodies::Hidden => 0,
        Bodies::Shown => add_bodies(&mut summaries, &skills),
    };
    // Nothing is fetched from servers for a list.
    let served = offer.served().iter().filter(|it| {
        wanted.as_ref().is_none_or(|wanted| {
            [&*it.id, &*it.skill.description].iter().any(|it| it.to_lowercase().contains(wanted))
        })
    });
    let served: Vec<&Served> = served.collect();
    summaries.extend(served.iter().map(|it| Summary::served(it)));
    let mut text = heading(summaries.len(), query);
    if n_omitted > 0 {
        let most = MOST_BODIES >> 20;
        text += &format!("The bodies of {n_omitted} are left out: together over {most} MiB.\n");
    }
    let here = skills.iter().map(|(id, skill)| (*id, skill.description()));
    let there = served.iter().map(|it| (&*it.id, &*it.skill.description));
    text += &Lines::some(&here.chain(there).collect::<Vec<_>>()).to_string();
    let bodies_omitted = (n_omitted > 0).then_some(n_omitted);
    reply.structured(text.trim_end(), Listed { skills: summaries, bodies_omitted });
}

fn heading(n_skills: usize, query: Option<&str>) -> String {
    let skills = if n_skills == 1 { "skill" } else { "skills" };
    match query {
        Some(query) => format!("{n_skills} {skills} with '{}'\n", echo(query)),
        None => format!("{n_skills} {skills}\n"),
    }
}

/// Whether a skill has a text, given in lower case, in one of its names or its description.
fn has(skill: &Skill, wanted: &str) -> bool {
    [&*install_name(skill), skill.name(), skill.description()]
        .iter()
        .any(|field| field.to_lowercase().contains(wanted))
}

/// Reads bodies while there is room for them, and says for how many there was none.
fn add_bodies(summaries: &mut [Summary<'_>], skills: &[(&str, &Skill)]) -> usize {
    let mut room = MOST_BODIES;
    for (at, (summary, (id, skill))) in summaries.iter_mut().zip(skills).enumerate() {
        match skill.read_body() {
            Ok(body) if body.len() > room => return skills.len() - at,
            Ok(body) => {
                room -= body.len();
                summary.body = Some(body);
            }
            Err(cause) => warn_unreadable(id, skill, &cause),
        }
    }
    0
}

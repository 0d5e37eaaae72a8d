//! `metier search`: skills that hold the words, best first.

use std::process::ExitCode;

use metier_skills::{Bodies, Match, Query, SearchResult};
use serde::Serialize;

use crate::{
    args::{MatchMode, Search},
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::SkillJson,
    ui::{Styles, Ui, cut, one_line},
    view::View,
};

#[derive(Serialize)]
struct SearchJson<'a> {
    query: &'a str,
    limit: usize,
    total: usize,
    results: Vec<HitJson<'a>>,
}

#[derive(Serialize)]
struct HitJson<'a> {
    #[serde(flatten)]
    skill: SkillJson<'a>,
    score: usize,
    excerpt: &'a str,
}

pub(crate) fn run(args: &Search, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let text = args.words.join(" ");
    let mode = match args.mode {
        MatchMode::All => Match::All,
        MatchMode::Any => Match::Any,
        MatchMode::Fuzzy => Match::Fuzzy,
    };
    let query = Query::new(&text, mode).ok_or_else(|| {
        Failure::new(Exit::Usage, "there is no word to look for")
            .hinted("write `metier search WORD`")
    })?;
    let view = View::open(&args.selection, environment, Bodies::Kept, ui)?;
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let found = view.catalog.search(&query, limit);
    if args.format.json {
        let results = found.results.iter().map(|hit| HitJson {
            skill: SkillJson::new(Some(hit.id), hit.skill),
            score: hit.score,
            excerpt: &hit.excerpt,
        });
        ui.json(&SearchJson {
            query: &text,
            limit,
            total: found.total,
            results: results.collect(),
        })?;
    } else {
        for hit in &found.results {
            print_hit(hit, &args.words, ui)?;
        }
        print_summary(args, found.results.len(), found.total, ui)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_hit(hit: &SearchResult<'_>, words: &[String], ui: &mut Ui<'_>) -> Result<(), Failure> {
    let style = ui.style;
    let (name, dim) = (style.name, style.dim);
    let owner = match hit.skill.plugin() {
        Some(plugin) => format!("{plugin} · plugin"),
        None => format!("{} · {}", hit.skill.provider(), hit.skill.location()),
    };
    ui.line(format!("{name}{}{name:#} {dim}{}{dim:#}", one_line(hit.id), one_line(&owner)))?;
    let room = ui.width.map_or(usize::MAX, |columns| columns.saturating_sub(4).max(20));
    ui.line(format!("  {}", cut(&one_line(hit.skill.description()), room)))?;
    let excerpt = one_line(&hit.excerpt);
    if !one_line(hit.skill.description()).contains(excerpt.trim_matches('…')) {
        let excerpt = marked(&cut(&excerpt, room), words, style);
        ui.line(format!("  {dim}│{dim:#} {excerpt}"))?;
    }
    Ok(())
}

/// The text with every word of the query in bold.
fn marked(text: &str, words: &[String], style: Styles) -> String {
    let mark = style.mark;
    let lower = text.to_ascii_lowercase();
    let found = words
        .iter()
        .flat_map(|words| words.split_whitespace())
        .map(str::to_ascii_lowercase)
        .flat_map(|word| {
            lower.match_indices(&word).map(|(at, it)| (at, at + it.len())).collect::<Vec<_>>()
        });
    let mut found: Vec<(usize, usize)> = found.collect();
    found.sort_unstable();
    let mut out = String::new();
    let mut done = 0;
    for (from, to) in found.into_iter().filter(|(from, to)| from < to) {
        if from < done {
            continue;
        }
        out.push_str(&text[done..from]);
        out.push_str(&format!("{mark}{}{mark:#}", &text[from..to]));
        done = to;
    }
    out.push_str(&text[done..]);
    out
}

fn print_summary(
    args: &Search,
    shown: usize,
    total: usize,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    if total == 0 {
        ui.note("no skill matches")?;
        if args.mode != MatchMode::Fuzzy {
            ui.note("hint: `--match any` asks for less, `--match fuzzy` forgives typing mistakes")?;
        }
    } else if shown < total {
        ui.note("")?;
        ui.dim_note(&format!("{shown} of {total} skills (--limit {total} shows all)"))?;
    }
    Ok(())
}

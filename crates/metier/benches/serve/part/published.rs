//! `skills/list`: its first page and all of it, the first time and again, and what it keeps in memory.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant},
};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::progress;
use crate::{
    figures::{median, millis},
    lines::Lines,
    plan::Plan,
    process::{Memory, cpu, settle},
    reply,
    server::{Channel, Contender, Server},
    shelf::Shelf,
    table::{Table, figure, times},
};

/// One way to list, measured.
struct Listing {
    elapsed: f64,
    cpu: f64,
    kb: f64,
    memory: Memory,
    n_skills: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    skills: Vec<serde::de::IgnoredAny>,
    next_cursor: Option<String>,
}

/// How much is asked for.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    FirstPage,
    All,
}

const STEPS: [(&str, Scope); 4] = [
    ("first page", Scope::FirstPage),
    ("first page again", Scope::FirstPage),
    ("all", Scope::All),
    ("all again", Scope::All),
];

pub(super) fn tables(plan: &Plan) -> io::Result<Vec<Table>> {
    let head = ["", "", "ms", "cpu ms", "KB", "skills", "resident MB", "ms/bare"];
    let title = format!("skills/list on stdio, files in the page cache, median of {}", plan.starts);
    let mut table = Table::new(title, &head);
    for n_skills in plan.extremes() {
        progress(&format!("skills/list of {n_skills} skills"));
        let shelf = Shelf::make(n_skills)?;
        let mut runs: Vec<Vec<Listing>> = STEPS.map(|_| Vec::new()).into();
        for _ in 0..plan.starts {
            for (run, listing) in runs.iter_mut().zip(run(&shelf)?) {
                run.push(listing);
            }
        }
        for ((label, _), run) in STEPS.iter().zip(&runs) {
            let of = |value: fn(&Listing) -> f64| median(run.iter().map(value));
            let listed = run[0].n_skills;
            let bare = median((0..plan.starts).map(|_| millis(bare(&shelf, listed))));
            table.push(vec![
                format!("{n_skills} skills"),
                (*label).to_owned(),
                figure(of(|it| it.elapsed)),
                figure(of(|it| it.cpu)),
                figure(of(|it| it.kb)),
                listed.to_string(),
                figure(of(|it| it.memory.resident as f64 / 1024.0)),
                times(of(|it| it.elapsed) / bare),
            ]);
        }
    }
    Ok(vec![table])
}

/// All steps of one server.
fn run(shelf: &Shelf) -> io::Result<Vec<Listing>> {
    let (server, mut lines) = Server::stdio(Contender::Metier, shelf, Channel::Pipes)?;
    lines.initialize()?;
    // The first scan is measured elsewhere.
    lines.ask(br#"{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{}}"#)?;
    settle(server.pid())?;
    STEPS.iter().map(|(_, scope)| list(&server, &mut lines, *scope)).collect()
}

fn list(server: &Server, lines: &mut Lines, scope: Scope) -> io::Result<Listing> {
    let before = cpu(server.pid())?;
    let (mut kb, mut n_skills, mut cursor) = (0.0, 0, None::<String>);
    let mut elapsed = Duration::ZERO;
    loop {
        let params = cursor.map_or("{}".to_owned(), |it| format!("{{\"cursor\":\"{it}\"}}"));
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":2,"method":"skills/list","params":{params}}}"#);
        let asked = Instant::now();
        let answer = lines.ask(request.as_bytes())?;
        elapsed += asked.elapsed();
        kb += answer.len() as f64 / 1024.0;
        let page: Page = serde_json::from_str(reply::result(&answer)?.get())?;
        n_skills += page.skills.len();
        cursor = page.next_cursor;
        if cursor.is_none() || scope == Scope::FirstPage {
            break;
        }
    }
    let cpu = millis(cpu(server.pid())? - before);
    Ok(Listing { elapsed: millis(elapsed), cpu, kb, memory: Memory::of(server.pid())?, n_skills })
}

/// Reads every file of so many skills, and makes its digest: the least that a first list can cost.
fn bare(shelf: &Shelf, n_skills: usize) -> Duration {
    let began = Instant::now();
    let folders = shelf.names.iter().take(n_skills).map(|it| shelf.root().join(it));
    let digested: usize = folders.map(|it| digest_all(&it)).sum();
    assert!(digested >= n_skills);
    began.elapsed()
}

fn digest_all(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let digested = entries.map(|entry| match entry.file_type().unwrap().is_dir() {
        true => digest_all(&entry.path()),
        false => {
            let digest = Sha256::digest(fs::read(entry.path()).unwrap());
            usize::from(!digest.is_empty())
        }
    });
    digested.sum()
}

//! What it costs to show a catalog, and to answer calls from it.
//!
//! `taskset -c 0 cargo bench -p metier-surface` measures on one core.
#![expect(clippy::unwrap_used, reason = "without its files a benchmark has nothing to measure")]

#[path = "../../metier-skills/benches/corpus/mod.rs"]
mod corpus;

use criterion::{Criterion, criterion_group, criterion_main};
use metier_skills::{Catalog, Filter, Places, scan};
use metier_surface::{Offer, Presentation, Tool};
use metier_wire::Era;
use serde_json::value::RawValue;

const N_SKILLS: usize = 10_000;

fn tools(criterion: &mut Criterion) {
    let corpus = corpus::make(N_SKILLS);
    let places = Places { custom: vec![corpus.path().to_owned()], ..Places::default() };
    let scan = scan(&places.sources().list);
    let catalog = || Catalog::new(&scan.skills, &Filter::default());
    let presentation = Presentation::default();
    let offer = Offer::new(catalog(), &presentation, None);
    let name = offer.catalog().listed().nth(N_SKILLS / 2).unwrap().0.to_owned();

    let mut group = criterion.benchmark_group("tools, 10000 skills");
    group.sample_size(20);
    group.bench_function("bare walk and read", |bencher| {
        bencher.iter(|| corpus::bare_walk_and_read(corpus.path()));
    });
    for (title, budget) in [("usual budget", presentation.budget), ("no budget", 0)] {
        let presentation = Presentation { budget, ..presentation.clone() };
        group.bench_function(format!("new offer, {title}"), |bencher| {
            let make = |catalog| Offer::new(catalog, &presentation, Some(&offer));
            bencher.iter_batched(catalog, make, criterion::BatchSize::LargeInput);
        });
    }
    let mut call = |title: &str, tool: Tool, arguments: &str| {
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        let mut out = Vec::new();
        group.bench_function(title, |bencher| {
            bencher.iter(|| {
                out.clear();
                tool.order(Some(&arguments)).unwrap().fill(&offer, Era::Modern, &mut out);
                out.len()
            });
        });
    };
    call("skill", Tool::Skill, &format!(r#"{{"name":"{name}"}}"#));
    call("skill that is missing", Tool::Skill, r#"{"name":"table-colum"}"#);
    call("skills_read, list of files", Tool::Read, &format!(r#"{{"name":"{name}"}}"#));
    call("skills_list", Tool::List, "{}");
    call("skills_search by a pass", Tool::Search, r#"{"query":"table 00042"}"#);
    offer.build_index();
    call("skills_search by an index", Tool::Search, r#"{"query":"table 00042"}"#);
    group.finish();
}

criterion_group!(benches, tools);
criterion_main!(benches);

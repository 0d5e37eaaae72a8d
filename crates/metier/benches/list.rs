//! What a whole `metier list` and `metier search` cost beside the bare walk and read of the same
//! files, in one run.
//!
//! `taskset -c 0 cargo bench -p metier` compares on one core.
#![expect(clippy::unwrap_used, reason = "without its files a benchmark has nothing to measure")]

#[path = "../../metier-skills/benches/corpus/mod.rs"]
mod corpus;

use std::{path::Path, process::Command};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// Runs the binary and waits for its end.
fn metier(args: &[&str], root: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metier"));
    let output = command.args(args).arg("--root").arg(root).output().unwrap();
    assert!(output.status.success());
}

fn commands(criterion: &mut Criterion) {
    for n_skills in [1_000, 10_000] {
        let corpus = corpus::make(n_skills);
        let root = corpus.path();
        let mut group = criterion.benchmark_group("commands");
        group.sample_size(10);
        let id = |name| BenchmarkId::new(name, n_skills);
        group.bench_function(id("bare walk and read"), |bencher| {
            bencher.iter(|| corpus::bare_walk_and_read(root));
        });
        group.bench_function(id("metier list"), |bencher| bencher.iter(|| metier(&["list"], root)));
        group.bench_function(id("metier list --json"), |bencher| {
            bencher.iter(|| metier(&["list", "--json"], root));
        });
        group.bench_function(id("metier search, rare word"), |bencher| {
            bencher.iter(|| metier(&["search", "00042"], root));
        });
        group.bench_function(id("metier search, two common words"), |bencher| {
            bencher.iter(|| metier(&["search", "table", "cache"], root));
        });
        group.finish();
    }
}

criterion_group!(benches, commands);
criterion_main!(benches);

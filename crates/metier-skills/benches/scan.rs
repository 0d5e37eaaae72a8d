//! What a scan costs beside the bare walk and read of the same files, in one run.
//!
//! `taskset -c 0 cargo bench -p metier-skills` compares on one core.

#![expect(clippy::unwrap_used, reason = "without its files a benchmark has nothing to measure")]
#![expect(clippy::print_stderr, reason = "the number of files read belongs to the result")]

mod corpus;

use std::{fs, hint::black_box, path::Path};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use metier_skills::{Bodies, Progress, Source, Tier, rescan, scan, scan_watched};

/// Asks for the metadata of every folder and every `SKILL.md`.
fn bare_stat(paths: &[std::path::PathBuf]) -> u64 {
    paths.iter().map(|path| fs::metadata(path).unwrap().len()).sum()
}

fn folders_and_skills(folder: &Path, paths: &mut Vec<std::path::PathBuf>) {
    paths.push(folder.to_owned());
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            folders_and_skills(&entry.path(), paths);
        } else if entry.file_name() == "SKILL.md" {
            paths.push(entry.path());
        }
    }
}

fn scans(criterion: &mut Criterion) {
    for n_skills in [100, 1_000, 10_000] {
        let corpus = corpus::make(n_skills);
        let sources = [Source::new(Tier::Custom, "custom", corpus.path().to_owned())];
        let mut group = criterion.benchmark_group("scan");
        group.sample_size(10);
        let id = |name| BenchmarkId::new(name, n_skills);

        group.bench_function(id("bare walk and read"), |bencher| {
            bencher.iter(|| corpus::bare_walk_and_read(black_box(corpus.path())));
        });
        group.bench_function(id("scan"), |bencher| bencher.iter(|| scan(black_box(&sources))));

        let mut paths = Vec::new();
        folders_and_skills(corpus.path(), &mut paths);
        group.bench_function(id("bare stat"), |bencher| bencher.iter(|| bare_stat(&paths)));
        let progress = Progress::default();
        let previous = scan_watched(&sources, Bodies::Dropped, &progress);
        group.bench_function(id("rescan, nothing changed"), |bencher| {
            bencher.iter(|| rescan(black_box(&sources), &previous, &Progress::default()));
        });
        let again = Progress::default();
        let _ = rescan(&sources, &previous, &again);
        eprintln!(
            "{n_skills} skills: scan read {} files of {} folders, rescan read {}",
            progress.files.into_inner(),
            progress.folders.into_inner(),
            again.files.into_inner(),
        );
        group.finish();
    }
}

criterion_group!(benches, scans);
criterion_main!(benches);

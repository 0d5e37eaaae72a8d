//! What clients see, one sentence each.

use proptest::test_runner::{Config, RngSeed};

mod arguments;
mod descriptions;
pub(super) mod fixture;
mod lists;
mod loads;
mod offers;
mod reads;
mod schemas;
mod searches;

/// Cases of a property: the same on every run, unless `PROPTEST_RNG_SEED` asks for others.
fn cases(cases: u32) -> Config {
    let config = Config { failure_persistence: None, ..Config::with_cases(cases) };
    match config.rng_seed {
        RngSeed::Random => Config { rng_seed: RngSeed::Fixed(20_261_116), ..config },
        RngSeed::Fixed(_) => config,
    }
}

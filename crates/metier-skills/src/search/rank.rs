//! Which hits come first: names that match, then BM25 over the fields, then the name.

use super::names::Names;
use super::query::Query;

/// Name, description and body.
pub(super) const N_FIELDS: usize = 3;

/// How much an occurrence in each field counts.
const BOOSTS: [f32; N_FIELDS] = [12.0, 4.0, 1.0];
/// How much less it counts the longer the field is: from not at all, 0, to in proportion, 1.
const LENGTH_SHARES: [f32; N_FIELDS] = [0.3, 0.5, 0.75];
/// How many weighted occurrences are worth half of what endless ones would be.
const SATURATION: f32 = 1.2;

/// One entry that a query found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Its position in the order in which entries were added.
    pub(crate) entry: usize,
    /// How many of the query's words it has.
    pub(crate) score: usize,
}

/// How a word was found, and what that is worth.
#[derive(Clone, Copy)]
pub(super) enum Found {
    Nearly = 1,
    Exactly = 2,
}

/// How all entries stand while the words of a query are counted.
pub(super) struct Ranking(Vec<Standing>);

#[derive(Clone, Copy, Default)]
struct Standing {
    n_words: usize,
    merit: u32,
    relevance: f32,
}

/// What one occurrence weighs in each field of each entry, given how long these are.
pub(super) fn occurrence_weights(lengths: &[[u32; N_FIELDS]]) -> Vec<[f32; N_FIELDS]> {
    let mean = |field: usize| {
        let total: f64 = lengths.iter().map(|it| f64::from(it[field])).sum();
        (total / lengths.len() as f64) as f32
    };
    let means: [f32; N_FIELDS] = std::array::from_fn(mean);
    let weight = |length: u32, field: usize| {
        let share = LENGTH_SHARES[field];
        BOOSTS[field] / (1.0 - share + share * length as f32 / means[field].max(1.0))
    };
    lengths.iter().map(|it| std::array::from_fn(|field| weight(it[field], field))).collect()
}

impl Ranking {
    pub(super) fn new(n_entries: usize) -> Ranking {
        Ranking(vec![Standing::default(); n_entries])
    }

    /// Adds one word, given its weighted occurrences in each entry.
    pub(super) fn count(&mut self, frequencies: &[f32], found: Found) {
        let n_with = frequencies.iter().filter(|it| **it > 0.0).count() as f32;
        let rarity = (1.0 + (self.0.len() as f32 - n_with + 0.5) / (n_with + 0.5)).ln();
        for (standing, frequency) in self.0.iter_mut().zip(frequencies) {
            if *frequency > 0.0 {
                standing.n_words += 1;
                standing.merit += found as u32;
                standing.relevance += rarity * frequency / (SATURATION + frequency);
            }
        }
    }

    /// Everything with enough of the query's words, best first.
    pub(super) fn finish(self, query: &Query, names: &Names) -> Vec<Hit> {
        let tier = names.tiers(&query.name);
        let hits = self.0.iter().zip(&names.places).filter(|(it, _)| it.n_words >= query.needed());
        let mut keys: Vec<u128> = hits.map(|(it, place)| it.key(tier(*place), *place)).collect();
        keys.sort_unstable();
        let hit = |key: u128| {
            let entry = names.entry(key as u32);
            Hit { entry, score: self.0[entry].n_words }
        };
        keys.into_iter().map(hit).collect()
    }
}

impl Standing {
    /// One number to sort by, the lower the better: a common word is in thousands of entries, and
    /// numbers sort twice as fast as a struct of the same parts. The place comes last.
    fn key(&self, tier: u32, place: u32) -> u128 {
        // The bits of floats that are not negative sort as the floats do.
        [tier, !self.merit, !self.relevance.to_bits(), place]
            .into_iter()
            .fold(0, |key, part| key << u32::BITS | u128::from(part))
    }
}

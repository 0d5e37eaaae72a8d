//! Which hits come first: names that match, then BM25 over the fields, then the name.

use std::cmp::Reverse;
use std::ops::Range;

use super::query::Query;

/// What is searched of an entry, the weightiest first.
pub(super) const N_FIELDS: usize = 3;

/// How much an occurrence in name, description and body counts.
const BOOSTS: [f32; N_FIELDS] = [12.0, 4.0, 1.0];
/// How much a long name, description or body makes up for its many words.
const LENGTH_SHARES: [f32; N_FIELDS] = [0.3, 0.5, 0.75];
/// How soon more occurrences stop to matter.
const SATURATION: f32 = 1.2;

/// One entry that a query found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its position in the order in which entries were added.
    pub entry: usize,
    /// How many of the query's words it has.
    pub score: usize,
}

/// How the words of a query were found in an entry.
#[derive(Clone, Copy)]
pub(super) enum Found {
    Exactly,
    Nearly,
}

/// What one occurrence weighs in each field of each entry: boost over relative length.
pub(super) fn occurrence_weights(lengths: &[[u32; N_FIELDS]]) -> Vec<[f32; N_FIELDS]> {
    let n_entries = lengths.len().max(1) as f64;
    let total = |field: usize| lengths.iter().map(|it| f64::from(it[field])).sum::<f64>();
    let means: [f32; N_FIELDS] =
        std::array::from_fn(|field| (total(field) / n_entries).max(1.0) as f32);
    let weight = |length: u32, field: usize| {
        let share = LENGTH_SHARES[field];
        BOOSTS[field] / (1.0 - share + share * length as f32 / means[field])
    };
    lengths.iter().map(|it| std::array::from_fn(|field| weight(it[field], field))).collect()
}

/// How all entries stand while the words of a query are counted.
pub(super) struct Ranking(Vec<Standing>);

#[derive(Clone, Copy, Default)]
struct Standing {
    n_words: u32,
    n_exact: u32,
    relevance: f32,
}

impl Ranking {
    pub(super) fn new(n_entries: usize) -> Ranking {
        Ranking(vec![Standing::default(); n_entries])
    }

    /// Adds one word: how often each entry has it, weighted by field.
    pub(super) fn count(&mut self, frequencies: &[f32], found: Found) {
        let n_with = frequencies.iter().filter(|it| **it > 0.0).count() as f32;
        let rarity = (1.0 + (self.0.len() as f32 - n_with + 0.5) / (n_with + 0.5)).ln();
        for (standing, frequency) in self.0.iter_mut().zip(frequencies) {
            if *frequency > 0.0 {
                standing.n_words += 1;
                standing.n_exact += u32::from(matches!(found, Found::Exactly));
                standing.relevance += rarity * frequency / (SATURATION + frequency);
            }
        }
    }

    /// Everything with enough of the query's words, best first.
    pub(super) fn finish(self, query: &Query, names: &Names) -> Vec<Hit> {
        let places = names.matching(&query.name);
        let n_needed = query.needed() as u32;
        let hits = self.0.iter().enumerate().filter(|(_, it)| it.n_words >= n_needed);
        let mut keyed: Vec<u128> = hits
            .map(|(entry, standing)| {
                let place = names.places[entry];
                let tier = places.tier(place);
                (u128::from(tier) << 112)
                    | u128::from(!standing.n_words as u16) << 96
                    | u128::from(!standing.n_exact) << 64
                    | u128::from(!standing.relevance.to_bits()) << 32
                    | u128::from(place)
            })
            .collect();
        keyed.sort_unstable();
        keyed
            .into_iter()
            .map(|k| Hit {
                entry: names.order[k as u32 as usize] as usize,
                score: (!(k >> 96) as u16) as usize,
            })
            .collect()
    }
}

/// The names of all entries in their order.
#[derive(Debug)]
pub(super) struct Names {
    sorted: Vec<Box<str>>,
    /// Where each entry's name stands among the sorted ones.
    places: Vec<u32>,
    order: Vec<u32>,
}

/// Which places among the sorted names a query's name fits.
struct Matching {
    exact: Range<u32>,
    prefix: Range<u32>,
}

impl Names {
    pub(super) fn new(names: Vec<Box<str>>) -> Names {
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_by(|a, b| names[*a as usize].cmp(&names[*b as usize]));
        let mut places = vec![0; names.len()];
        for (place, entry) in (0..).zip(&order) {
            places[*entry as usize] = place;
        }
        let mut sorted = names;
        sorted.sort();
        Names { sorted, places, order }
    }

    fn matching(&self, key: &str) -> Matching {
        let count =
            |before: &dyn Fn(&str) -> bool| self.sorted.partition_point(|name| before(name)) as u32;
        let start = count(&|name| name < key);
        Matching {
            exact: start..count(&|name| name <= key),
            prefix: start..count(&|name| name < key || name.starts_with(key)),
        }
    }
}

impl Matching {
    fn tier(&self, place: u32) -> u8 {
        match place {
            it if self.exact.contains(&it) => 0,
            it if self.prefix.contains(&it) => 1,
            _ => 2,
        }
    }
}

//! Search over tools: an index of their words, and BM25 over its fields.

mod words;

use std::{
    collections::{BTreeMap, HashMap},
    iter::zip,
    sync::Arc,
};

use metier_wire::Text;
use serde::Deserialize;
use serde_json::value::RawValue;

use self::words::{Word, query_words, words};
use crate::{offer::Tool, registry::ToolEntry};

/// Name (with the server's), title, names of parameters, description, descriptions of parameters.
const N_FIELDS: usize = 5;
/// How much an occurrence in each field counts.
const BOOSTS: [f32; N_FIELDS] = [4.0, 2.0, 1.2, 0.8, 0.4];
/// How much less it counts the longer the field is: from not at all, 0, to in proportion, 1.
const LENGTH_SHARES: [f32; N_FIELDS] = [0.5, 0.5, 0.75, 0.75, 0.75];
/// How many weighted occurrences are worth half of what endless ones would be.
const SATURATION: f32 = 1.2;

/// What a word that only begins like the one looked for is worth.
const BEGINNING: f32 = 0.5;
/// How many letters a word must have to be looked for as the beginning of others.
const SHORTEST_BEGINNING: usize = 3;

/// How much of one text is read.
const LONGEST_TEXT: usize = 16 << 10;
/// How many parameters of one tool are read.
const MOST_PARAMETERS: usize = 256;

/// The words of some tools.
#[derive(Debug)]
pub(crate) struct Index {
    /// Every word and where it is, in order.
    terms: Vec<(String, Vec<Posting>)>,
    /// What an occurrence in each field of each tool weighs.
    weights: Vec<[f32; N_FIELDS]>,
}

/// How often a word is in one field of one tool.
#[derive(Debug)]
struct Posting {
    tool: u32,
    field: u8,
    count: u16,
}

impl Index {
    pub(crate) fn new(entries: &[Arc<ToolEntry>]) -> Index {
        let mut terms: HashMap<String, Vec<Posting>> = HashMap::new();
        let mut lengths: Vec<[u32; N_FIELDS]> = Vec::with_capacity(entries.len());
        for (tool, entry) in zip(0.., entries) {
            let mut length = [0; N_FIELDS];
            for (field, texts) in zip(0.., fields(entry)) {
                for word in texts.iter().flat_map(|it| words(beginning(it))) {
                    length[usize::from(field)] += 1;
                    for term in [&word.whole].into_iter().chain(&word.parts) {
                        note(&mut terms, term, Posting { tool, field, count: 1 });
                    }
                }
            }
            lengths.push(length);
        }
        let mut terms: Vec<_> = terms.into_iter().collect();
        terms.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Index { terms, weights: weights(&lengths) }
    }

    /// The places of the tools that a query is about, and how well each fits. Of the words that any
    /// tool has, one must have half.
    pub(crate) fn search(&self, query: &str) -> Vec<(usize, f64)> {
        let mut standings = vec![(0, 0.0); self.weights.len()];
        let mut n_known: usize = 0;
        for word in query_words(beginning(query)) {
            let frequencies = self.frequencies(&word);
            let n_with = frequencies.iter().filter(|it| **it > 0.0).count() as f32;
            let rarity = (1.0 + (standings.len() as f32 - n_with + 0.5) / (n_with + 0.5)).ln();
            n_known += usize::from(n_with > 0.0);
            for ((n_words, score), frequency) in standings.iter_mut().zip(&frequencies) {
                if *frequency > 0.0 {
                    *n_words += 1;
                    *score += f64::from(rarity * frequency / (SATURATION + frequency));
                }
            }
        }
        let needed = n_known.div_ceil(2).max(1);
        let hits = standings.into_iter().enumerate().filter(|(_, (n_words, _))| *n_words >= needed);
        hits.map(|(at, (_, score))| (at, score)).collect()
    }

    /// How often each tool has a word, or else all of its parts.
    fn frequencies(&self, word: &Word<'_>) -> Vec<f32> {
        let mut frequencies = self.occurrences(&word.whole);
        if let [first, others @ ..] = word.parts.as_slice() {
            let mut least = self.occurrences(first);
            for part in others {
                for (least, here) in least.iter_mut().zip(self.occurrences(part)) {
                    *least = least.min(here);
                }
            }
            for (frequency, least) in frequencies.iter_mut().zip(least) {
                *frequency = frequency.max(least);
            }
        }
        frequencies
    }

    /// How often each tool has a word, weighted by field and length.
    fn occurrences(&self, word: &str) -> Vec<f32> {
        let mut occurrences = vec![0.0; self.weights.len()];
        let start = self.terms.partition_point(|(term, _)| term.as_str() < word);
        let alike = self.terms[start..].iter().take_while(|(term, _)| term.starts_with(word));
        for (term, postings) in alike {
            let worth = match term.len() - word.len() {
                0 => 1.0,
                _ if word.len() < SHORTEST_BEGINNING => break,
                _ => BEGINNING,
            };
            for posting in postings {
                let tool = posting.tool as usize;
                let weight = self.weights[tool][usize::from(posting.field)];
                occurrences[tool] += worth * weight * f32::from(posting.count);
            }
        }
        occurrences
    }
}

/// As much of a text as is read.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

/// Counts one more occurrence; tools and their fields come in order.
fn note(terms: &mut HashMap<String, Vec<Posting>>, term: &str, posting: Posting) {
    let Some(postings) = terms.get_mut(term) else {
        terms.insert(term.to_owned(), vec![posting]);
        return;
    };
    match postings.last_mut() {
        Some(last) if (last.tool, last.field) == (posting.tool, posting.field) => {
            last.count = last.count.saturating_add(1);
        }
        _ => postings.push(posting),
    }
}

/// What one occurrence weighs in each field of each tool, given how long these are.
fn weights(lengths: &[[u32; N_FIELDS]]) -> Vec<[f32; N_FIELDS]> {
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

/// The texts of each field.
fn fields(entry: &ToolEntry) -> [Vec<String>; N_FIELDS] {
    let tool = &entry.tool;
    let text = |it: Option<std::borrow::Cow<'_, str>>| it.map(Into::into).into_iter().collect();
    let (names, descriptions) = parameters(tool);
    let name = vec![entry.server.to_string(), tool.name.to_string()];
    [name, text(tool.title()), names, text(tool.description()), descriptions]
}

/// The names of a tool's parameters, and what is said of them.
fn parameters(tool: &Tool) -> (Vec<String>, Vec<String>) {
    #[derive(Deserialize)]
    struct Schema<'a> {
        #[serde(borrow)]
        properties: BTreeMap<String, &'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Property<'a> {
        #[serde(borrow)]
        description: Text<'a>,
    }
    let schema = tool.input_schema().and_then(|it| serde_json::from_str(it.get()).ok());
    let Some(Schema { properties }) = schema else { return Default::default() };
    let (names, properties): (Vec<String>, Vec<&RawValue>) =
        properties.into_iter().take(MOST_PARAMETERS).unzip();
    let description = |raw: &RawValue| {
        let property: Property<'_> = serde_json::from_str(raw.get()).ok()?;
        Some(property.description.0.into_owned())
    };
    (names, properties.into_iter().filter_map(description).collect())
}

#[cfg(test)]
mod tests;

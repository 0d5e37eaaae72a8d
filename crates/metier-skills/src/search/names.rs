//! The names of all entries, in order.

use super::text::fold;

/// Names sorted, and who has them.
#[derive(Debug)]
pub(super) struct Names {
    sorted: Vec<Box<str>>,
    /// For each place in that order, the entry that has the name.
    entries: Vec<u32>,
    /// For each entry, the place of its name.
    pub(super) places: Vec<u32>,
}

/// The form in which names are compared: `PDF Tools`, `pdf-tools` and `pdf tools` are one.
pub(super) fn name_key(text: &str) -> String {
    fold(text).split_ascii_whitespace().collect::<Vec<_>>().join("-")
}

impl Names {
    /// Takes the key of every entry's name; entries with the same name stay in their order.
    pub(super) fn new(mut keys: Vec<Box<str>>) -> Names {
        let mut entries: Vec<u32> = (0..keys.len() as u32).collect();
        entries.sort_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]));
        let mut places = vec![0; keys.len()];
        for (place, entry) in (0..).zip(&entries) {
            places[*entry as usize] = place;
        }
        keys.sort_unstable();
        Names { sorted: keys, entries, places }
    }

    pub(super) fn entry(&self, place: u32) -> usize {
        self.entries[place as usize] as usize
    }

    /// Ranks places: 0 if the name there is `key`, 1 if it begins with it, else 2.
    pub(super) fn tiers(&self, key: &str) -> impl Fn(u32) -> u32 {
        let start = self.sorted.partition_point(|name| **name < *key) as u32;
        let end = self.sorted.partition_point(|name| **name <= *key) as u32;
        let end_of_longer =
            self.sorted.partition_point(|name| **name <= *key || name.starts_with(key)) as u32;
        move |place| match place {
            it if (start..end).contains(&it) => 0,
            it if (end..end_of_longer).contains(&it) => 1,
            _ => 2,
        }
    }
}

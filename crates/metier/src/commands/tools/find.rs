//! Words in, tools out: every word must be there, names count most.

use metier_upstreams::ToolEntry;

use crate::schema::Schema;

/// The tools that hold every word, best first; all of them, in their order, if there is no word.
pub(super) fn find<'a>(query: &str, entries: &'a [ToolEntry]) -> Vec<&'a ToolEntry> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let scored = entries.iter().filter_map(|entry| Some((score(&words, entry)?, entry)));
    let mut scored: Vec<(usize, &ToolEntry)> = scored.collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

/// How many of the words are in the name; `None` if one is nowhere.
fn score(words: &[&str], entry: &ToolEntry) -> Option<usize> {
    let id = entry.id.to_lowercase();
    let in_id = words.iter().filter(|word| id.contains(**word)).count();
    if in_id == words.len() {
        return Some(in_id);
    }
    let schema = Schema::of(&entry.tool);
    let mut text = entry.tool.description().unwrap_or_default().to_lowercase();
    for parameter in schema.parameters() {
        text.push('\n');
        text.push_str(&parameter.name.to_lowercase());
    }
    text.push('\n');
    text.push_str(&entry.tool.title().unwrap_or_default().to_lowercase());
    words.iter().all(|word| id.contains(word) || text.contains(word)).then_some(in_id)
}

//! Surveys: asking a server what it offers, and reading what it says item by item.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use metier_wire::Error;
use serde_json::value::RawValue;

use crate::{
    link::{Failed, Link},
    list::{List, Listed, MOST_BYTES, MOST_INSTANCES, MOST_ITEMS},
    offer::{Gap, Item, Key, Listing, Offer, Omission, Tool},
    served::ServedSkill,
};

/// How many reasons are kept for which something is left out, and how many characters of each.
const MOST_REASONS: usize = 64;
const LONGEST_REASON: usize = 500;

/// What a server offers now, of the lists that are asked for; the others stay.
///
/// Without its tools a server is of no use; any other list that cannot be had stays what it was, and
/// of one that was read in part nothing is forgotten. Each may take as long as there is patience for it.
pub(crate) async fn survey(
    link: &Link,
    before: &Offer,
    lists: &BTreeSet<List>,
    patience: impl Fn(List) -> Option<Duration>,
) -> Result<Offer, Failed> {
    let mut offer = before.clone();
    let asked = lists.iter().map(async |list| (*list, list.follow(link, patience(*list)).await));
    for (list, listed) in join_all(asked).await {
        offer.gaps.retain(|it| it.method != list.method());
        let gap = |reason: &str| gap(list, reason, before);
        let Listed { items, instances, gap: told } = match listed {
            Ok(listed) => listed,
            Err(failed) if list == List::Tools => return Err(in_list(list, failed)),
            // It has nothing of that kind to be missed.
            Err(Failed::Refused(error)) if error.code == Error::METHOD_NOT_FOUND => continue,
            Err(failed) => {
                offer.gaps.push(gap(&failed.to_string()));
                continue;
            }
        };
        offer.gaps.extend(told.map(|it| gap(&it)));
        match list {
            List::Tools => {
                offer.tools = read_each(&items, Tool::read).0;
                offer.instances = instances;
            }
            List::Resources => offer.resources = read_items(&items, Key::Uri),
            List::Templates => offer.templates = read_items(&items, Key::UriTemplate),
            List::Prompts => offer.prompts = read_items(&items, Key::Name),
            List::Skills => {
                (offer.skills, offer.unfit_skills) = read_each(&items, ServedSkill::read);
            }
        }
    }
    remember(&mut offer, before);
    Ok(offer)
}

/// Adds what was known before of lists that were not read whole: it may be gone, but nobody knows.
pub(crate) fn remember(offer: &mut Offer, before: &Offer) {
    let is_partial = |list: &List| offer.gap(list.method()).is_some();
    for list in List::ALL.into_iter().filter(is_partial).collect::<Vec<_>>() {
        match list {
            List::Tools => {
                keep(&mut offer.tools, &before.tools);
                offer.instances.extend_from_slice(&before.instances);
                offer.instances.sort();
                offer.instances.dedup();
                offer.instances.truncate(MOST_INSTANCES);
            }
            List::Resources => keep(&mut offer.resources, &before.resources),
            List::Templates => keep(&mut offer.templates, &before.templates),
            List::Prompts => keep(&mut offer.prompts, &before.prompts),
            List::Skills => {
                keep(&mut offer.skills, &before.skills);
                let reasons = before.unfit_skills.iter();
                let others = reasons.filter(|it| !offer.unfit_skills.contains(it)).cloned();
                offer.unfit_skills.extend(others.collect::<Vec<_>>());
                offer.unfit_skills.truncate(MOST_REASONS);
            }
        }
    }
}

/// Adds the items that only an earlier list had, as long as the list does not become too long.
fn keep<T: Listing>(items: &mut Vec<Arc<T>>, before: &[Arc<T>]) {
    let keys: HashSet<&str> = items.iter().map(|it| it.key()).collect();
    let mut n_bytes: usize = items.iter().map(|it| it.raw().get().len()).sum();
    let known = before.iter().filter(|it| !keys.contains(it.key()));
    let known = known.take(MOST_ITEMS.saturating_sub(items.len())).take_while(|it| {
        n_bytes += it.raw().get().len();
        n_bytes <= MOST_BYTES
    });
    let known: Vec<Arc<T>> = known.cloned().collect();
    items.extend(known);
    items.sort_by(|one, other| one.key().cmp(other.key()));
}

/// Notes why a list was not read whole; it is told once.
fn gap(list: List, reason: &str, before: &Offer) -> Gap {
    let gap = Gap { method: list.method(), reason: reason.chars().take(LONGEST_REASON).collect() };
    if !before.gaps.contains(&gap) {
        tracing::warn!(method = list.method(), reason, "a list was not read whole");
    }
    gap
}

/// Says which list it was.
fn in_list(list: List, failed: Failed) -> Failed {
    match failed {
        Failed::Refused(error) => Failed::Garbled(format!("`{}` failed: {error}", list.method())),
        other => other,
    }
}

/// Reads each item; one that cannot be read, or repeats the key of another, costs only itself, and
/// the reason is told.
fn read_each<T: Listing>(
    raw: &[Box<RawValue>],
    read: impl Fn(&RawValue) -> Result<T, Omission>,
) -> (Vec<Arc<T>>, Vec<Box<str>>) {
    let mut items: Vec<T> = Vec::with_capacity(raw.len());
    let mut keys: HashSet<Box<str>> = HashSet::with_capacity(raw.len());
    let mut omitted: Vec<Box<str>> = Vec::new();
    for raw in raw {
        let reason = match read(raw) {
            Ok(item) if keys.insert(item.key().into()) => {
                items.push(item);
                continue;
            }
            Ok(item) => format!("`{}`: it is listed twice", item.key()),
            Err(reason) => reason,
        };
        if omitted.len() < MOST_REASONS {
            omitted.push(reason.chars().take(LONGEST_REASON).collect());
        }
    }
    if let Some(reason) = omitted.last() {
        let n_omitted = raw.len() - items.len();
        tracing::warn!(n_omitted, reason, "not all that is listed can be used");
    }
    items.sort_by(|one, other| one.key().cmp(other.key()));
    (items.into_iter().map(Arc::new).collect(), omitted)
}

/// Reads items by the member that is their key.
fn read_items(raw: &[Box<RawValue>], key: Key) -> Vec<Arc<Item>> {
    read_each(raw, |raw| Item::read(raw, key)).0
}

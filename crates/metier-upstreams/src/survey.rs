//! Surveys: asking a server what it offers, and reading what it says item by item.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use futures_util::future::join_all;
use metier_wire::Error;
use serde_json::value::RawValue;

use crate::{
    link::{Failed, Link},
    list::{List, Listed},
    offer::{Gap, Item, Key, Offer, Omission, Tool},
    served::ServedSkill,
};

/// How many reasons are kept for which something is left out, and how many characters of each.
const MOST_REASONS: usize = 64;
const LONGEST_REASON: usize = 500;

/// What a server offers now, of the lists that are asked for; the others stay.
///
/// Without its tools a server is of no use; any other list that cannot be had stays what it was.
pub(crate) async fn survey(
    link: &Link,
    offer: &Offer,
    lists: &BTreeSet<List>,
) -> Result<Offer, Failed> {
    let mut offer = offer.clone();
    let asked = lists.iter().map(|list| async { (*list, list.follow(link).await) });
    for (list, listed) in join_all(asked).await {
        offer.gaps.retain(|it| it.method != list.method());
        let Listed { items, instances, gap: told } = match listed {
            Ok(listed) => listed,
            Err(failed) if list == List::Tools => return Err(in_list(list, failed)),
            // It has nothing of that kind to be missed.
            Err(Failed::Refused(error)) if error.code == Error::METHOD_NOT_FOUND => continue,
            Err(failed) => {
                offer.gaps.push(gap(list, &failed.to_string()));
                continue;
            }
        };
        offer.gaps.extend(told.map(|it| gap(list, &it)));
        match list {
            List::Tools => {
                offer.tools = read_each(&items, Tool::read, |tool| &tool.name).0;
                offer.instances = instances;
            }
            List::Resources => offer.resources = read_items(&items, Key::Uri),
            List::Templates => offer.templates = read_items(&items, Key::UriTemplate),
            List::Prompts => offer.prompts = read_items(&items, Key::Name),
            List::Skills => {
                (offer.skills, offer.unfit_skills) =
                    read_each(&items, ServedSkill::read, |it| &it.uri);
            }
        }
    }
    Ok(offer)
}

/// Notes why a list was not read whole.
fn gap(list: List, reason: &str) -> Gap {
    tracing::warn!(method = list.method(), reason, "a list was not read whole");
    Gap { method: list.method(), reason: reason.chars().take(LONGEST_REASON).collect() }
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
fn read_each<T>(
    raw: &[Box<RawValue>],
    read: impl Fn(&RawValue) -> Result<T, Omission>,
    key: impl Fn(&T) -> &str,
) -> (Vec<Arc<T>>, Vec<Box<str>>) {
    let mut items: Vec<T> = Vec::with_capacity(raw.len());
    let mut keys: HashSet<Box<str>> = HashSet::with_capacity(raw.len());
    let mut omitted: Vec<Box<str>> = Vec::new();
    for raw in raw {
        let reason = match read(raw) {
            Ok(item) if keys.insert(key(&item).into()) => {
                items.push(item);
                continue;
            }
            Ok(item) => format!("`{}`: it is listed twice", key(&item)),
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
    items.sort_by(|one, other| key(one).cmp(key(other)));
    (items.into_iter().map(Arc::new).collect(), omitted)
}

/// Reads items by the member that is their key.
fn read_items(raw: &[Box<RawValue>], key: Key) -> Vec<Arc<Item>> {
    read_each(raw, |raw| Item::read(raw, key), |item| &item.key).0
}

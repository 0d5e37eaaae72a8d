//! Lists of a server: all pages of them, every item as it was sent.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;

use crate::{
    link::{Ask, Failed, Link},
    offer::{Item, Key, Omission},
};

/// How many pages are followed.
const MOST_PAGES: usize = 100;
/// How many items are kept.
const MOST_ITEMS: usize = 10_000;
/// How long the name of a page may be.
const LONGEST_CURSOR: usize = 64 << 10;

/// One kind of list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) method: &'static str,
    member: &'static str,
}

/// The tools.
pub(crate) const TOOLS: List = List { method: "tools/list", member: "tools" };
/// The resources.
pub(crate) const RESOURCES: List = List { method: "resources/list", member: "resources" };
/// The templates of resources.
pub(crate) const TEMPLATES: List =
    List { method: "resources/templates/list", member: "resourceTemplates" };
/// The prompts.
pub(crate) const PROMPTS: List = List { method: "prompts/list", member: "prompts" };

/// One page.
struct Page {
    items: Vec<Box<RawValue>>,
    next: Option<Box<RawValue>>,
}

impl List {
    /// Follows all pages. What a later page costs is only itself.
    pub(crate) async fn follow(self, link: &Link) -> Result<Vec<Box<RawValue>>, Failed> {
        let Page { mut items, mut next } = self.page(link, None).await?;
        let mut seen = HashSet::new();
        while let Some(cursor) = next.take() {
            if items.len() >= MOST_ITEMS || seen.len() + 1 >= MOST_PAGES {
                tracing::warn!(method = self.method, items = items.len(), "the list has no end");
                break;
            }
            if !seen.insert(cursor.get().to_owned()) {
                tracing::warn!(method = self.method, "a page leads back to one before it");
                break;
            }
            match self.page(link, Some(&cursor)).await {
                Ok(page) => {
                    items.extend(page.items);
                    next = page.next;
                }
                Err(failed) => {
                    tracing::warn!(method = self.method, %failed, "a page is missing");
                    break;
                }
            }
        }
        items.truncate(MOST_ITEMS);
        Ok(items)
    }

    async fn page(self, link: &Link, cursor: Option<&RawValue>) -> Result<Page, Failed> {
        let members = cursor.map(|it| ("cursor", it));
        let result = link.request(Ask::new(self.method, members.as_slice())).await?;
        self.read(&result).ok_or_else(|| {
            Failed::Garbled(format!(
                "the answer to `{}` has no list of {}",
                self.method, self.member
            ))
        })
    }

    fn read(self, result: &RawValue) -> Option<Page> {
        let members: HashMap<String, &RawValue> = serde_json::from_str(result.get()).ok()?;
        let items: Option<Vec<&RawValue>> =
            serde_json::from_str(members.get(self.member)?.get()).ok()?;
        let next = members.get("nextCursor").map(|it| it.get());
        let next = next.filter(|it| it.starts_with('"') && *it != "\"\"");
        if next.is_some_and(|it| it.len() > LONGEST_CURSOR) {
            tracing::warn!(method = self.method, "the name of the next page is too long");
        }
        let next = next.filter(|it| it.len() <= LONGEST_CURSOR);
        Some(Page {
            // Some programs write an empty list as null.
            items: items.unwrap_or_default().into_iter().map(ToOwned::to_owned).collect(),
            next: next.and_then(|it| RawValue::from_string(it.to_owned()).ok()),
        })
    }
}

/// Reads each item; one that cannot be read, or repeats the key of another, costs only itself.
pub(crate) fn read_each<T>(
    raw: &[Box<RawValue>],
    read: impl Fn(&RawValue) -> Result<T, Omission>,
    key: impl Fn(&T) -> &str,
) -> Vec<std::sync::Arc<T>> {
    let mut items: Vec<T> = Vec::with_capacity(raw.len());
    let mut keys: HashSet<Box<str>> = HashSet::with_capacity(raw.len());
    for raw in raw {
        match read(raw) {
            Ok(item) if keys.insert(key(&item).into()) => items.push(item),
            Ok(item) => tracing::warn!(item = key(&item), "it is listed twice; the first counts"),
            Err(reason) => tracing::warn!(reason, "something that is listed is left out"),
        }
    }
    items.sort_by(|one, other| key(one).cmp(key(other)));
    items.into_iter().map(std::sync::Arc::new).collect()
}

/// Reads items by the member that is their key.
pub(crate) fn read_items(raw: &[Box<RawValue>], key: Key) -> Vec<std::sync::Arc<Item>> {
    read_each(raw, |raw| Item::read(raw, key), |item| &item.key)
}

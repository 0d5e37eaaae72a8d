//! Lists of a server: all pages of them, every item as it was sent.

use std::collections::{HashMap, HashSet};

use metier_wire::Text;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::link::{Ask, Failed, Link};

/// How many pages are followed.
const MOST_PAGES: usize = 100;
/// How many items are kept.
const MOST_ITEMS: usize = 10_000;
/// How many bytes they may have together.
const MOST_BYTES: usize = 64 << 20;
/// How many gateways behind a server are kept in mind, and how long their ids may be.
const MOST_INSTANCES: usize = 64;
const LONGEST_INSTANCE: usize = 64;
/// How long the name of a page may be.
const LONGEST_CURSOR: usize = 64 << 10;

/// One kind of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum List {
    Tools,
    Resources,
    /// Templates of resources.
    Templates,
    Prompts,
    Skills,
}

/// A list as far as it could be followed.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) items: Vec<Box<RawValue>>,
    /// The gateways that it came through.
    pub(crate) instances: Vec<Box<str>>,
}

/// One page.
struct Page {
    items: Vec<Box<RawValue>>,
    next: Option<Box<RawValue>>,
    instances: Vec<Box<str>>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "metier/instances")]
    instances: Vec<&'a RawValue>,
}

impl List {
    pub(crate) const ALL: [List; 5] =
        [List::Tools, List::Resources, List::Templates, List::Prompts, List::Skills];

    /// The request for it, and the member of the answer that holds it.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            List::Tools => ("tools/list", "tools"),
            List::Resources => ("resources/list", "resources"),
            List::Templates => ("resources/templates/list", "resourceTemplates"),
            List::Prompts => ("prompts/list", "prompts"),
            List::Skills => ("skills/list", "skills"),
        }
    }

    pub(crate) const fn method(self) -> &'static str {
        self.names().0
    }

    /// Follows all pages. What a later page costs is only itself.
    pub(crate) async fn follow(self, link: &Link) -> Result<Listed, Failed> {
        let Page { mut items, mut next, mut instances } = self.page(link, None).await?;
        let mut seen = HashSet::new();
        while let Some(cursor) = next.take() {
            let bytes: usize = items.iter().map(|it| it.get().len()).sum();
            if items.len() >= MOST_ITEMS || bytes >= MOST_BYTES || seen.len() + 1 >= MOST_PAGES {
                tracing::warn!(method = self.method(), items = items.len(), "the list has no end");
                break;
            }
            if !seen.insert(cursor.get().to_owned()) {
                tracing::warn!(method = self.method(), "a page leads back to one before it");
                break;
            }
            match self.page(link, Some(&cursor)).await {
                Ok(page) => {
                    items.extend(page.items);
                    next = page.next;
                    instances.extend(page.instances);
                }
                Err(Failed::Loop) => return Err(Failed::Loop),
                Err(failed) => {
                    tracing::warn!(method = self.method(), %failed, "a page is missing");
                    break;
                }
            }
        }
        items.truncate(MOST_ITEMS);
        instances.sort();
        instances.dedup();
        instances.truncate(MOST_INSTANCES);
        Ok(Listed { items, instances })
    }

    async fn page(self, link: &Link, cursor: Option<&RawValue>) -> Result<Page, Failed> {
        let (method, member) = self.names();
        let params = cursor.map(|it| ("cursor", it));
        let result = link.request(Ask::new(method, params.as_slice())).await?;
        let garbled = || format!("the answer to `{method}` has no list of {member}");
        let page = self.read(&result).ok_or_else(|| Failed::Garbled(garbled()))?;
        if link.board().identity.breaks(&page.instances) {
            return Err(Failed::Loop);
        }
        Ok(page)
    }

    fn read(self, result: &RawValue) -> Option<Page> {
        let members: HashMap<String, &RawValue> = serde_json::from_str(result.get()).ok()?;
        let items: Option<Vec<&RawValue>> =
            serde_json::from_str(members.get(self.names().1)?.get()).ok()?;
        let next = members.get("nextCursor").map(|it| it.get());
        let next = next.filter(|it| it.starts_with('"') && *it != "\"\"");
        if next.is_some_and(|it| it.len() > LONGEST_CURSOR) {
            tracing::warn!(method = self.method(), "the name of the next page is too long");
        }
        let next = next.filter(|it| it.len() <= LONGEST_CURSOR);
        Some(Page {
            // Some programs write an empty list as null.
            items: items.unwrap_or_default().into_iter().map(ToOwned::to_owned).collect(),
            next: next.and_then(|it| RawValue::from_string(it.to_owned()).ok()),
            instances: members.get("_meta").map(|it| instances(it)).unwrap_or_default(),
        })
    }
}

/// The ids of gateways that a `_meta` names; what is none is passed over.
fn instances(meta: &RawValue) -> Vec<Box<str>> {
    let meta: Meta<'_> = serde_json::from_str(meta.get()).unwrap_or_default();
    let ids = meta.instances.into_iter();
    let ids = ids.filter_map(|it| serde_json::from_str::<Text<'_>>(it.get()).ok());
    ids.filter(|it| it.0.chars().count() <= LONGEST_INSTANCE).map(|it| it.0.into()).collect()
}

//! Lists of a server: all pages of them, every item as it was sent.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use metier_wire::Text;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use crate::link::{Ask, Failed, Link};

/// How many pages are followed.
const MOST_PAGES: usize = 100;
/// How many items are kept.
pub(crate) const MOST_ITEMS: usize = 10_000;
/// How many bytes they may have together.
pub(crate) const MOST_BYTES: usize = 64 << 20;
/// How many gateways behind a server are kept in mind, and how long their ids may be.
pub(crate) const MOST_INSTANCES: usize = 64;
const LONGEST_INSTANCE: usize = 64;
/// How long a list other than the tools may take, all its pages together.
const PATIENCE: Duration = Duration::from_secs(5);
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
    /// Why it is not the whole list, if it is not.
    pub(crate) gap: Option<String>,
}

/// One page.
struct Page {
    items: Vec<Box<RawValue>>,
    /// What the next page is called, if there is one; or why it cannot be asked for.
    next: Result<Option<Box<RawValue>>, &'static str>,
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

    /// How long it may take while someone waits, who does not wait long for one that a server may do
    /// without; for the tools it is up to them.
    pub(crate) const fn patience(self) -> Option<Duration> {
        match self {
            List::Tools => None,
            List::Resources | List::Templates | List::Prompts | List::Skills => Some(PATIENCE),
        }
    }

    /// Follows all pages. What a later page costs is only itself, and the list knows of it.
    pub(crate) async fn follow(
        self,
        link: &Link,
        within: Option<Duration>,
    ) -> Result<Listed, Failed> {
        let until = within.map(|it| (Instant::now() + it, it));
        let (mut items, mut instances) = (Vec::new(), Vec::new());
        let (mut seen, mut cursor) = (HashSet::new(), None::<Box<RawValue>>);
        let gap = loop {
            let page = match self.page(link, cursor.as_deref(), until).await {
                Ok(page) => page,
                Err(failed) if cursor.is_none() || matches!(failed, Failed::Loop) => {
                    return Err(failed);
                }
                Err(Failed::Silent(it)) => break Some(format!("it takes longer than {it:?}")),
                Err(failed) => break Some(format!("a page is missing: {failed}")),
            };
            items.extend(page.items);
            instances.extend(page.instances);
            let next = match page.next {
                Ok(Some(next)) => next,
                Ok(None) => break None,
                Err(reason) => break Some(reason.to_owned()),
            };
            let bytes: usize = items.iter().map(|it| it.get().len()).sum();
            if items.len() >= MOST_ITEMS || bytes >= MOST_BYTES || seen.len() + 1 >= MOST_PAGES {
                break Some("it has no end".to_owned());
            }
            if !seen.insert(next.get().to_owned()) {
                break Some("a page leads back to one before it".to_owned());
            }
            cursor = Some(next);
        };
        let gap = gap.or_else(|| (items.len() > MOST_ITEMS).then(|| "it is too long".to_owned()));
        items.truncate(MOST_ITEMS);
        instances.sort();
        instances.dedup();
        instances.truncate(MOST_INSTANCES);
        Ok(Listed { items, instances, gap })
    }

    async fn page(
        self,
        link: &Link,
        cursor: Option<&RawValue>,
        until: Option<(Instant, Duration)>,
    ) -> Result<Page, Failed> {
        let (method, member) = self.names();
        let params = cursor.map(|it| ("cursor", it));
        let asked = link.request(Ask::new(method, params.as_slice()));
        let result = match until {
            Some((until, within)) => {
                timeout_at(until, asked).await.unwrap_or(Err(Failed::Silent(within)))?
            }
            None => asked.await?,
        };
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
        let next = match members.get("nextCursor").map(|it| it.get()) {
            None | Some("null" | "\"\"") => Ok(None),
            Some(next) if !next.starts_with('"') => Err("the name of its next page is no text"),
            Some(next) if next.len() > LONGEST_CURSOR => {
                Err("the name of its next page is too long")
            }
            Some(next) => Ok(RawValue::from_string(next.to_owned()).ok()),
        };
        Some(Page {
            // Some programs write an empty list as null.
            items: items.unwrap_or_default().into_iter().map(ToOwned::to_owned).collect(),
            next,
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

//! Greetings: how a connection begins, in both eras, without breaking servers of either.

use std::{collections::HashMap, time::Duration};

use metier_wire::{Era, Error, Revision};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    link::{Ask, DISCOVER, Failed, Link},
    list::List,
    served::EXTENSION,
};

/// How long a server may take to say that it does not know `server/discover`.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(5);

/// The revision that is spoken with servers of the modern era.
const MODERN: Revision = Revision::V2026_07_28;

/// What a server says when it is met.
#[derive(Debug)]
pub(crate) struct Greeting {
    pub(crate) revision: Revision,
    pub(crate) server: Option<Box<RawValue>>,
    pub(crate) capabilities: Box<RawValue>,
    pub(crate) instructions: Option<String>,
}

/// Which lists a server has, and of which it tells when they change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    pub(crate) tools: Option<Changes>,
    pub(crate) resources: Option<Changes>,
    pub(crate) prompts: Option<Changes>,
    pub(crate) skills: Option<Changes>,
}

/// Whether a server tells when a list changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changes {
    Told,
    Untold,
}

/// Greets a server, in the era that is tried first or else in the other.
pub(crate) async fn greet(link: &Link, first: Era) -> Result<Greeting, Failed> {
    let greeting = match first {
        Era::Legacy => match initialize(link).await {
            // A server without `initialize` may be one of the other era.
            Err(refused @ Failed::Refused(_)) => discover_twice(link).await.map_err(|_| refused),
            other => other,
        },
        Era::Modern => match discover_twice(link).await {
            Err(failed @ (Failed::Unsent(_) | Failed::Unauthorized(_))) => Err(failed),
            Err(failed) if link.board().is_over() => Err(failed),
            Err(_) => initialize(link).await,
            other => other,
        },
    }?;
    link.board().settle(greeting.revision);
    if greeting.revision.era() == Era::Legacy {
        link.notify("notifications/initialized", None::<&()>).await?;
    }
    Ok(greeting)
}

/// Meets a server of the legacy era in the newest revision, or in one that it names instead.
async fn initialize(link: &Link) -> Result<Greeting, Failed> {
    match initialize_in(link, Revision::NEWEST_LEGACY).await {
        Err(Failed::Refused(error)) => match named_instead(&error) {
            Some(revision) => initialize_in(link, revision).await,
            None => Err(Failed::Refused(error)),
        },
        other => other,
    }
}

/// The newest revision of the legacy era that a refusal of the newest one names.
fn named_instead(refusal: &Error) -> Option<Revision> {
    let supported = supported(refusal);
    let is_named = |it: &Revision| supported.iter().any(|date| date == it.as_str());
    let older = Revision::ALL.into_iter().filter(|it| *it < Revision::NEWEST_LEGACY);
    older.filter(is_named).max()
}

/// The revisions that a refusal says are spoken instead.
fn supported(refusal: &Error) -> Vec<String> {
    #[derive(Default, Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    member::<Data>(refusal.data.as_deref()).supported
}

async fn initialize_in(link: &Link, revision: Revision) -> Result<Greeting, Failed> {
    let identity = &link.board().identity;
    let revision = raw(&revision.as_str())?;
    let (client, capabilities) = (raw(&identity.client())?, identity.known().await);
    let params: [_; 3] = [
        ("protocolVersion", &*revision),
        ("capabilities", &*capabilities),
        ("clientInfo", &*client),
    ];
    let result = link.request(Ask::new("initialize", &params)).await?;
    let said: Introduction<'_> = read(&result, "initialize")?;
    let date: String = member(said.revision);
    // What a server says must be one that we offered or an older one of ours.
    let revision =
        Revision::named(&date).filter(|it| it.era() == Era::Legacy).ok_or_else(|| {
            Failed::Garbled(format!(
                "it speaks revision `{date}` of the protocol, which is not known here"
            ))
        })?;
    Ok(said.greeting(revision))
}

/// Asks again where a server refuses our revision, yet names it among those that it speaks.
async fn discover_twice(link: &Link) -> Result<Greeting, Failed> {
    match discover(link).await {
        Err(Failed::Refused(error)) if supported(&error).iter().any(|it| it == MODERN.as_str()) => {
            discover(link).await
        }
        other => other,
    }
}

async fn discover(link: &Link) -> Result<Greeting, Failed> {
    let asked = link.request(Ask::new(DISCOVER, &[]));
    let Ok(result) = tokio::time::timeout(DISCOVER_TIMEOUT, asked).await else {
        return Err(Failed::Lost("it does not answer `server/discover`".to_owned()));
    };
    let result = result?;
    let said: Introduction<'_> = read(&result, DISCOVER)?;
    let supported: Vec<String> = member(said.supported);
    if supported.iter().any(|it| it == MODERN.as_str()) {
        Ok(said.greeting(MODERN))
    } else {
        Err(Failed::Garbled(format!("it does not speak revision {MODERN}")))
    }
}

/// What a server says of itself. A member of odd shape costs only itself.
#[derive(Deserialize)]
struct Introduction<'a> {
    #[serde(borrow, default, rename = "protocolVersion")]
    revision: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "supportedVersions")]
    supported: Option<&'a RawValue>,
    #[serde(borrow, default)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "serverInfo")]
    server: Option<&'a RawValue>,
    #[serde(borrow, default)]
    instructions: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct ServerMeta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/serverInfo")]
    server: Option<&'a RawValue>,
}

impl Introduction<'_> {
    fn greeting(self, revision: Revision) -> Greeting {
        let is_object = |it: &&RawValue| it.get().starts_with('{');
        let server = self.server.or(member::<ServerMeta<'_>>(self.meta).server);
        let capabilities = self.capabilities.filter(is_object);
        Greeting {
            revision,
            server: server.filter(is_object).map(ToOwned::to_owned),
            capabilities: capabilities.map_or_else(Box::default, ToOwned::to_owned),
            instructions: Some(member(self.instructions)).filter(|it: &String| !it.is_empty()),
        }
    }
}

/// Reads a member; one that is not there or of another shape is as good as empty.
fn member<'a, T: Default + Deserialize<'a>>(raw: Option<&'a RawValue>) -> T {
    raw.and_then(|it| serde_json::from_str(it.get()).ok()).unwrap_or_default()
}

impl Capabilities {
    /// The lists that the server has.
    pub(crate) fn lists(self) -> impl Iterator<Item = List> {
        List::ALL.into_iter().filter(move |list| self.of(*list).is_some())
    }

    /// Whether the server tells when any of its lists changes.
    pub(crate) fn tells_changes(self) -> bool {
        self.lists().any(|list| self.of(list) == Some(Changes::Told))
    }

    fn of(self, list: List) -> Option<Changes> {
        match list {
            List::Tools => self.tools,
            List::Resources | List::Templates => self.resources,
            List::Prompts => self.prompts,
            List::Skills => self.skills,
        }
    }

    /// Reads what a server can do; what is not an object is not there.
    pub(crate) fn read(raw: &RawValue) -> Capabilities {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Members<'a> {
            #[serde(borrow)]
            tools: Option<&'a RawValue>,
            #[serde(borrow)]
            resources: Option<&'a RawValue>,
            #[serde(borrow)]
            prompts: Option<&'a RawValue>,
            #[serde(borrow)]
            extensions: Option<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct Listed {
            #[serde(default, rename = "listChanged")]
            changed: bool,
        }
        let changes = |raw: Option<&RawValue>| {
            let raw = raw.filter(|it| it.get().starts_with('{'))?;
            let told = serde_json::from_str::<Listed>(raw.get()).is_ok_and(|it| it.changed);
            Some(if told { Changes::Told } else { Changes::Untold })
        };
        let members: Members<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
        let extensions: HashMap<String, &RawValue> = member(members.extensions);
        let resources = changes(members.resources);
        let skills = changes(extensions.get(EXTENSION).copied());
        Capabilities {
            tools: changes(members.tools),
            resources,
            prompts: changes(members.prompts),
            // That skills have changed is told as a change of resources.
            skills: skills.map(|_| resources.unwrap_or(Changes::Untold)),
        }
    }
}

fn raw(value: &impl serde::Serialize) -> Result<Box<RawValue>, Failed> {
    to_raw_value(value).map_err(|error| Failed::Unsent(error.to_string()))
}

fn read<'a, T: Deserialize<'a>>(result: &'a RawValue, method: &str) -> Result<T, Failed> {
    serde_json::from_str(result.get()).map_err(|error| {
        Failed::Garbled(format!("the answer to `{method}` cannot be read: {error}"))
    })
}

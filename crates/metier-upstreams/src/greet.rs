//! Greetings: how a connection begins, in both eras, without breaking servers of either.

use std::time::Duration;

use metier_wire::{Era, Error, Revision};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::link::{Ask, Failed, Link};

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

async fn initialize(link: &Link) -> Result<Greeting, Failed> {
    let (client, capabilities) = link.board().identity.client();
    let revision = raw(&Revision::NEWEST_LEGACY.as_str())?;
    let (client, capabilities) = (raw(&client)?, raw(capabilities)?);
    let params: [_; 3] = [
        ("protocolVersion", &*revision),
        ("capabilities", &*capabilities),
        ("clientInfo", &*client),
    ];
    let result = link.request(Ask::new("initialize", &params)).await?;
    let said: Introduction<'_> = read(&result, "initialize")?;
    let date = said.revision.clone().unwrap_or_default();
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
    #[derive(Deserialize)]
    struct Spoken {
        supported: Vec<String>,
    }
    let refused = match discover(link).await {
        Err(Failed::Refused(error)) if error.code == Error::UNSUPPORTED_REVISION => error,
        other => return other,
    };
    let data = refused.data.as_deref().map_or("", RawValue::get);
    match serde_json::from_str::<Spoken>(data) {
        Ok(Spoken { supported }) if supported.iter().any(|it| it == MODERN.as_str()) => {
            discover(link).await
        }
        _ => Err(Failed::Refused(refused)),
    }
}

async fn discover(link: &Link) -> Result<Greeting, Failed> {
    let asked = link.request(Ask::new(DISCOVER, &[]));
    let Ok(result) = tokio::time::timeout(DISCOVER_TIMEOUT, asked).await else {
        return Err(Failed::Lost("it does not answer `server/discover`".to_owned()));
    };
    let result = result?;
    let said: Introduction<'_> = read(&result, DISCOVER)?;
    if said.supported.iter().any(|it| it == MODERN.as_str()) {
        Ok(said.greeting(MODERN))
    } else {
        Err(Failed::Garbled(format!("it does not speak revision {MODERN}")))
    }
}

/// The request by which servers of the modern era are met, and asked whether they are there.
pub(crate) const DISCOVER: &str = "server/discover";

#[derive(Deserialize)]
struct Introduction<'a> {
    #[serde(default, rename = "protocolVersion")]
    revision: Option<String>,
    #[serde(default, rename = "supportedVersions")]
    supported: Vec<String>,
    #[serde(borrow, default)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "serverInfo")]
    server: Option<&'a RawValue>,
    #[serde(default)]
    instructions: Option<String>,
    #[serde(borrow, default, rename = "_meta")]
    meta: ServerMeta<'a>,
}

#[derive(Default, Deserialize)]
struct ServerMeta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/serverInfo")]
    server: Option<&'a RawValue>,
}

impl Introduction<'_> {
    fn greeting(self, revision: Revision) -> Greeting {
        let capabilities = self.capabilities.filter(|it| it.get().starts_with('{'));
        Greeting {
            revision,
            server: self.server.or(self.meta.server).map(ToOwned::to_owned),
            capabilities: capabilities.map_or_else(Box::default, ToOwned::to_owned),
            instructions: self.instructions.filter(|it| !it.is_empty()),
        }
    }
}

impl Capabilities {
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
        Capabilities {
            tools: changes(members.tools),
            resources: changes(members.resources),
            prompts: changes(members.prompts),
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

//! Resources, prompts and completion: whose each is, and what it is called there.

use std::{borrow::Cow, sync::Arc};

use metier_upstreams::{PromptEntry, Roster, Route, ServerName};
use metier_wire::{Era, Error, Members};
use serde_json::value::{RawValue, to_raw_value};

use super::{
    Gateway,
    inside::file_at,
    journey::{Parcel, Target, Thing},
    tools::MOST_NAMES,
};
use crate::{
    call::Call,
    library::{required, unknown_resource},
    responder::{Answer, Asking, Body, Done, Meta, Work},
    text::Line,
};

/// What is said where a server completes nothing.
const NOTHING: &[u8] = br#"{"completion":{"values":[],"total":0,"hasMore":false}}"#;
const NOTHING_MODERN: &[u8] =
    br#"{"resultType":"complete","completion":{"values":[],"total":0,"hasMore":false}}"#;

/// Finds what parameters ask for.
type Find = fn(&Roster, &Members<'_>, Era) -> Result<Vec<Thing>, Error>;

impl Gateway {
    /// The way of `resources/read`; files of skills are held to what was listed of them.
    pub(crate) fn read(self: &Arc<Self>, asking: &Asking<'_>) -> Result<Work, Error> {
        let (uri, parcel) = (uri_of(asking)?, Parcel::of(asking));
        let gateway = Arc::clone(self);
        Ok(Box::new(move |call| {
            Box::pin(async move {
                gateway.meet_owner(&uri).await;
                let (roster, era) = (gateway.upstreams.roster(), call.era());
                if let Some(file) = file_at(&roster, &uri)? {
                    return gateway.read_file(file, parcel, call).await;
                }
                let body = Arc::clone(&gateway).fetch(parcel, resource, call).await?;
                gateway.looked_at_again(&uri, &roster, (body, era))
            })
        }))
    }

    /// The way of `prompts/get`.
    pub(crate) fn get_prompt(self: &Arc<Self>, asking: &Asking<'_>) -> Result<Work, Error> {
        let name = asking.request.params.and_then(Members::of).and_then(|it| it.text("name"));
        let (name, parcel) = (name.unwrap_or_default().into_owned(), Parcel::of(asking));
        let gateway = Arc::clone(self);
        Ok(Box::new(move |call| {
            Box::pin(async move {
                gateway.meet_prompt(&name).await;
                gateway.fetch(parcel, prompt, call).await
            })
        }))
    }

    /// The way of `completion/complete`; servers that complete nothing are not asked.
    pub(crate) fn complete(self: &Arc<Self>, asking: &Asking<'_>) -> Result<Work, Error> {
        let (gateway, parcel) = (Arc::clone(self), Parcel::of(asking));
        Ok(Box::new(move |call| {
            Box::pin(async move {
                gateway.meet_referred(&parcel).await;
                let things = gateway.found(&parcel, referred, call.era()).await?;
                let roster = gateway.upstreams.roster();
                let completes = |it: &Thing| {
                    let offer = roster.server(&it.server).and_then(|it| it.standing.offer.as_ref());
                    offer.is_some_and(|offer| offer.has("completions"))
                };
                if things.iter().any(completes) {
                    return gateway.run(Target::Things(things), parcel, call).await;
                }
                Ok(Body::plain(match call.era() {
                    Era::Legacy => NOTHING.to_vec(),
                    Era::Modern => NOTHING_MODERN.to_vec(),
                }))
            })
        }))
    }

    /// Waits while the server is met for the first time of whose things one is completed.
    async fn meet_referred(&self, parcel: &Parcel) {
        let params = Members::of(&parcel.params).unwrap_or_default();
        let reference = params.get("ref").and_then(Members::of).unwrap_or_default();
        if let Some(name) = reference.text("name") {
            self.meet_prompt(&name).await;
        } else if let Some(uri) = reference.text("uri") {
            self.wait_while(|it| it.is_meeting_owner(&uri)).await;
        }
    }

    /// Waits while the server of a prompt is met for the first time, unless the prompt is known.
    async fn meet_prompt(&self, name: &str) {
        if self.shelf().roster.prompts().find(name).is_none() {
            self.meet(name).await;
        }
    }

    /// Passes a request on to whoever has what it asks for.
    async fn fetch(self: Arc<Self>, parcel: Parcel, find: Find, call: Call) -> Done {
        let things = self.found(&parcel, find, call.era()).await?;
        self.run(Target::Things(things), parcel, call).await
    }

    /// What a request asks for; that may be someone's who is just being met.
    async fn found(&self, parcel: &Parcel, find: Find, era: Era) -> Result<Vec<Thing>, Error> {
        let find =
            |roster: &Roster| find(roster, &Members::of(&parcel.params).unwrap_or_default(), era);
        match find(&self.upstreams.roster()) {
            Err(_) if self.settled_shelf().is_none() => find(&self.settled().await.roster),
            found => found,
        }
    }
}

/// Ends a subscription of a client.
pub(crate) fn unsubscribe(asking: &Asking<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
    let uri = uri_of(asking)?;
    if !asking.client.unwatch(&uri) {
        return Err(Error::invalid_params(format!("`{}` is not subscribed to", Line(&uri, 200))));
    }
    out.extend_from_slice(b"{}");
    Ok(Answer::Now(Meta::Absent))
}

/// The rules under which a server speaks.
pub(super) fn era(roster: &Roster, server: &ServerName) -> Era {
    let offer = roster.server(server).and_then(|it| it.standing.offer.as_ref());
    offer.map_or(Era::Legacy, |offer| offer.revision.era())
}

/// What somebody hears who asks for something that nobody has.
pub(crate) fn unknown(what: &str, name: &str) -> Error {
    let name = Line(name, 200);
    Error::invalid_params(format!("there is no {what} `{name}`: `{what}s/list` names them"))
}

fn resource(roster: &Roster, params: &Members<'_>, client: Era) -> Result<Vec<Thing>, Error> {
    let uri = required(params, "uri")?;
    let routes = roster.resources().routes(&uri);
    if routes.is_empty() {
        return Err(unknown_resource(&uri, client));
    }
    Ok(routes.into_iter().map(|it| routed(roster, &it, "resources/read", "uri")).collect())
}

fn prompt(roster: &Roster, params: &Members<'_>, _: Era) -> Result<Vec<Thing>, Error> {
    let name = required(params, "name")?;
    let entry = found_prompt(roster, &name)?;
    Ok(vec![Thing {
        era: era(roster, &entry.server),
        server: entry.server.clone(),
        method: "prompts/get",
        key: "name",
        value: to_raw_value(&entry.prompt.key).unwrap_or_default(),
    }])
}

/// The prompt that a name means; one that means several is refused with theirs.
fn found_prompt<'r>(roster: &'r Roster, name: &str) -> Result<&'r PromptEntry, Error> {
    let prompts = roster.prompts();
    if let Some(entry) = prompts.find(name) {
        return Ok(entry);
    }
    let names = prompts.ambiguous(name).take(MOST_NAMES).map(|it| format!("`{}`", it.wire_name));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Err(unknown("prompt", name));
    }
    let (name, names) = (Line(name, 100), names.join(", "));
    Err(Error::invalid_params(format!("prompt `{name}` is ambiguous: get one of {names}")))
}

/// What a completion refers to.
fn referred(roster: &Roster, params: &Members<'_>, _: Era) -> Result<Vec<Thing>, Error> {
    let raw = params.get("ref").ok_or_else(|| Error::invalid_params("`ref` is required"))?;
    let reference =
        Members::of(raw).ok_or_else(|| Error::invalid_params("`ref` must be an object"))?;
    let (server, key, own) = match reference.text("type").as_deref() {
        Some("ref/prompt") => {
            let name = required(&reference, "name")?;
            let entry = found_prompt(roster, &name)?;
            (entry.server.clone(), "name", Cow::Owned(entry.prompt.key.to_string()))
        }
        Some("ref/resource") => {
            let uri = required(&reference, "uri")?;
            let route = roster.resources().template(&uri);
            let route = route.or_else(|| roster.resources().routes(&uri).into_iter().next());
            let route = route.ok_or_else(|| unknown_resource(&uri, Era::Modern))?;
            (route.server.clone(), "uri", Cow::Owned(route.uri.into_owned()))
        }
        _ => {
            let message = "`ref.type` must be `ref/prompt` or `ref/resource`";
            return Err(Error::invalid_params(message));
        }
    };
    let mut value = Vec::new();
    reference.write_with(&mut value, key, &own);
    let value = String::from_utf8(value).ok().and_then(|it| RawValue::from_string(it).ok());
    Ok(vec![Thing {
        era: era(roster, &server),
        server,
        method: "completion/complete",
        key: "ref",
        value: value.unwrap_or_default(),
    }])
}

fn routed(roster: &Roster, route: &Route<'_>, method: &'static str, key: &'static str) -> Thing {
    Thing {
        era: era(roster, route.server),
        server: route.server.clone(),
        method,
        key,
        value: to_raw_value(&route.uri).unwrap_or_default(),
    }
}

fn uri_of(asking: &Asking<'_>) -> Result<String, Error> {
    let params = asking.request.params.and_then(Members::of).unwrap_or_default();
    required(&params, "uri").map(Cow::into_owned)
}

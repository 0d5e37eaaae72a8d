//! Answers about resources, prompts and skills: here if it is ours, else by the server that has it.

use std::{borrow::Cow, sync::Arc};

use metier_upstreams::uri::is_local;
use metier_wire::{Era, Error, Members};

use super::{
    Library, Page,
    completion::Wish,
    files::unknown_resource,
    folders::{list_served_folder, no_folder},
    prompts::task,
    write_entry,
};
use crate::{
    call::Call,
    gateway::{Gateway, only_page, unknown, unsubscribe},
    lists::List,
    responder::{Answer, Asking, Body, Done, Watching, Work},
    surface::Surface,
    text::Line,
};

/// The way of a request to a server, or why there is none.
type Passed = Result<Work, Error>;

impl Surface {
    /// Answers a request about anything but tools.
    pub(crate) fn answer_other(
        &self,
        asking: &Asking<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Error> {
        let method = &*asking.request.method;
        let no_method = || Error::method_not_found(method);
        if method.starts_with("prompts/") && !self.has_prompts() {
            return Err(no_method());
        }
        if let Some(list) = List::of(method) {
            return self.list(list, asking, out);
        }
        match (method, asking.era()) {
            ("skills/list", _) => self.list_skills(asking),
            ("skills/get", _) => self.get_skill(asking),
            ("resources/directory/read", _) => self.read_folder(asking),
            ("resources/read", _) => self.read_resource(asking),
            ("prompts/get", _) => self.get_prompt(asking),
            ("completion/complete", _) => Ok(self.complete(asking)),
            ("resources/subscribe", Era::Legacy) => self.subscribe(asking),
            ("resources/unsubscribe", Era::Legacy) => unsubscribe(asking, out),
            ("logging/setLevel", Era::Legacy) => {
                self.gateway.as_ref().ok_or_else(no_method)?.set_level(asking)
            }
            _ => Err(no_method()),
        }
    }

    /// Begins to hear of changes of a resource, whoever has it.
    pub(crate) fn watch_resource(&self, uri: &str) -> Watching {
        let (counter, gateway) = (self.counter.clone(), self.gateway.clone());
        let (watched, uri) = (Arc::clone(&self.watched), uri.to_owned());
        Box::new(move |call| {
            Box::pin(async move {
                let watch = match gateway {
                    _ if is_local(&uri) => {
                        watched.watch(counter.offer(&call).await?.library(), &uri)
                    }
                    Some(gateway) => gateway.watch(&uri).await,
                    None => None,
                };
                watch.ok_or_else(|| unknown_resource(&uri, call.era()))
            })
        })
    }

    fn list_skills(&self, asking: &Asking<'_>) -> Result<Answer, Error> {
        let cursor = cursor_of(asking)?;
        let (counter, gateway) = (self.counter.clone(), self.gateway.clone());
        let digests = Arc::clone(&self.digests);
        Ok(later(async move |call| {
            if let Some(gateway) = gateway {
                gateway.settled().await;
            }
            let offer = match cursor {
                None => counter.fresh_offer(&call).await?,
                Some(_) => counter.offer(&call).await?,
            };
            let (page, era) = (Page::of(cursor.as_deref(), &offer)?, call.era());
            let written = counter.work(&call, move || {
                let mut out = Vec::new();
                page.write(&offer, &digests, era, &mut out);
                out
            });
            Ok(Body::plain(written.await?))
        }))
    }

    fn get_skill(&self, asking: &Asking<'_>) -> Result<Answer, Error> {
        let uri = uri_of(asking)?;
        let digests = Arc::clone(&self.digests);
        if is_local(&uri) {
            return Ok(self.on_disk(move |library, era, out| {
                let at = library.position(&uri).and_then(|at| library.holdings().get(at));
                let holding = at.ok_or_else(|| no_skill(&uri))?;
                let manifest = holding.skill.manifest(&digests).map_err(|unfit| {
                    let uri = Line(&uri, 200);
                    Error::invalid_params(format!("the skill at `{uri}` is not published: {unfit}"))
                })?;
                write_entry(&holding.entry(&manifest), era, out);
                Ok(())
            }));
        }
        let gateway = self.gateway.clone().ok_or_else(|| no_skill(&uri))?;
        let filter = self.filter().clone();
        Ok(later(async move |call| {
            gateway.meet_owner(&uri).await;
            // A server may have skills that it does not list.
            let found = match gateway.inside(&uri)? {
                Some(it) if it.is_skill() => Some((it.shown(), (it.server, it.uri))),
                _ => gateway.skill_at(&uri).map(|it| (uri.clone(), it)),
            };
            let (shown, found) = found.ok_or_else(|| no_skill(&uri))?;
            let served =
                gateway.get_skill(found, &shown).await.map_err(|error| match error.code {
                    // A server without the extension has no skills.
                    Error::METHOD_NOT_FOUND => no_skill(&uri),
                    _ => error,
                })?;
            if !filter.shows_named(served.server.as_str(), &served.skill.name) {
                return Err(no_skill(&uri));
            }
            let mut out = Vec::new();
            write_entry(&served.entry(&served.skill), call.era(), &mut out);
            Ok(Body::plain(out))
        }))
    }

    fn read_folder(&self, asking: &Asking<'_>) -> Result<Answer, Error> {
        let uri = uri_of(asking)?;
        only_page(asking.request.params)?;
        if is_local(&uri) {
            return Ok(self.on_disk(move |library, era, out| library.list_folder(&uri, era, out)));
        }
        let gateway = self.gateway.clone().ok_or_else(|| no_folder(&uri))?;
        let counter = self.counter.clone();
        Ok(later(async move |call| {
            gateway.meet_owner(&uri).await;
            let offer = counter.offer(&call).await?;
            let inside = gateway.inside(&uri)?.ok_or_else(|| no_folder(&uri))?;
            let served = offer.served().get(&inside.server, &inside.skill);
            let served = served.ok_or_else(|| no_folder(&uri))?;
            let mut out = Vec::new();
            list_served_folder(served, &inside.shown(), call.era(), &mut out)?;
            Ok(Body::plain(out))
        }))
    }

    fn read_resource(&self, asking: &Asking<'_>) -> Result<Answer, Error> {
        let (uri, era) = (uri_of(asking)?, asking.era());
        if is_local(&uri) {
            return Ok(self.on_disk(move |library, era, out| library.read(&uri, era, out)));
        }
        let Some(gateway) = self.gateway.clone() else { return Err(unknown_resource(&uri, era)) };
        gateway.read(asking).map(Answer::Later)
    }

    fn get_prompt(&self, asking: &Asking<'_>) -> Result<Answer, Error> {
        let params = params_of(asking);
        let name = required(&params, "name")?.into_owned();
        let passed = self.pass_on(asking, Gateway::get_prompt, || unknown("prompt", &name));
        let (task, counter) = (task(&params), self.counter.clone());
        Ok(later(async move |call| {
            let (offer, era) = (counter.offer(&call).await?, call.era());
            if !offer.has_prompts() || offer.library().prompted(&name).is_none() {
                return passed?(call).await;
            }
            let task = task?;
            let got = counter.work(&call, move || {
                let mut out = Vec::new();
                offer.library().get_prompt(&name, task.as_deref(), era, &mut out).map(|()| out)
            });
            got.await?.map(Body::plain)
        }))
    }

    fn complete(&self, asking: &Asking<'_>) -> Answer {
        let nobody = || Error::invalid_params("`ref` names no prompt or template of this server");
        let passed = self.pass_on(asking, Gateway::complete, nobody);
        let params = asking.request.params.map(ToOwned::to_owned).unwrap_or_default();
        let counter = self.counter.clone();
        later(async move |call| {
            let offer = counter.offer(&call).await?;
            let members = Members::of(&params).unwrap_or_default();
            let Some(wish) = Wish::of(&members, offer.library())? else {
                return passed?(call).await;
            };
            let era = call.era();
            let written = counter.work(&call, move || {
                let mut out = Vec::new();
                offer.library().complete(&wish, era, &mut out);
                out
            });
            Ok(Body::plain(written.await?))
        })
    }

    fn subscribe(&self, asking: &Asking<'_>) -> Result<Answer, Error> {
        let uri = uri_of(asking)?;
        let watching = self.watch_resource(&uri);
        Ok(later(async move |call| {
            let watch = watching(call.clone()).await?;
            watch.begun().await?;
            call.client().watch(&uri, watch);
            Ok(Body::plain(b"{}".to_vec()))
        }))
    }

    /// The way of a request to whichever server has what it asks for.
    fn pass_on(
        &self,
        asking: &Asking<'_>,
        how: fn(&Arc<Gateway>, &Asking<'_>) -> Passed,
        unknown: impl FnOnce() -> Error,
    ) -> Passed {
        self.gateway.as_ref().map_or_else(|| Err(unknown()), |gateway| how(gateway, asking))
    }

    /// Answers with what is on the disk, as soon as it is known what there is.
    fn on_disk(
        &self,
        write: impl FnOnce(&Library, Era, &mut Vec<u8>) -> Result<(), Error> + Send + 'static,
    ) -> Answer {
        let counter = self.counter.clone();
        later(async move |call| {
            let (offer, era) = (counter.offer(&call).await?, call.era());
            let written = counter.work(&call, move || {
                let mut out = Vec::new();
                write(offer.library(), era, &mut out).map(|()| out)
            });
            written.await?.map(Body::plain)
        })
    }
}

fn later<F: Future<Output = Done> + Send + 'static>(
    work: impl FnOnce(Call) -> F + Send + 'static,
) -> Answer {
    Answer::Later(Box::new(move |call| Box::pin(work(call))))
}

fn no_skill(uri: &str) -> Error {
    Error::invalid_params(format!("no skill is served at `{}`", Line(uri, 200)))
}

fn params_of<'a>(asking: &Asking<'a>) -> Members<'a> {
    asking.request.params.and_then(Members::of).unwrap_or_default()
}

/// The cursor that a request for a list has.
pub(crate) fn cursor_of(asking: &Asking<'_>) -> Result<Option<String>, Error> {
    let params = params_of(asking);
    match params.get("cursor") {
        None => Ok(None),
        Some(_) => required(&params, "cursor").map(|it| Some(it.into_owned())),
    }
}

fn uri_of(asking: &Asking<'_>) -> Result<String, Error> {
    required(&params_of(asking), "uri").map(Cow::into_owned)
}

pub(crate) fn required<'a>(members: &Members<'a>, key: &str) -> Result<Cow<'a, str>, Error> {
    let text = members.text(key).filter(|it| !it.is_empty());
    text.ok_or_else(|| Error::invalid_params(format!("`{key}` must be a string that is not empty")))
}

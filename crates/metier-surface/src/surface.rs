//! The surface: answers requests from the newest offer.

use std::sync::{Arc, Mutex, PoisonError};

use metier_skills::{Catalog, Digests, Filter, Lookup};
use metier_upstreams::{Roster, Upstreams};
use metier_wire::{Error, Request, Text};
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};
use tokio::sync::{broadcast, mpsc, watch};

use crate::{
    call::Call,
    client::Client,
    counter::{Ask, Counter},
    gateway::{Ear, Expose, Gateway, gateway, only_page},
    library::WatchedFiles,
    offer::{Offer, Presentation},
    responder::{
        Answer, Asking, Body, Changes, Done, Greeting, Implementation, Meta, Remark, Responder,
        Watching,
    },
    served::{Served, ServedSkills},
    tool_list::ToolList,
    tools::Order,
};

/// How many requests may wait for a look at the disk before the next ones wait to ask.
const MOST_ASKS: usize = 64;
/// What a model should know of tools that are not about skills.
const SERVERS: &str = "\nTools named `server__tool` belong to other MCP servers. \
                       If `tools_search` is listed, find them with it and call them with `tools_call`.";

/// What a client sees. Reads offers, makes none.
pub struct Surface {
    greeting: Greeting,
    presentation: Presentation,
    changes: Arc<watch::Sender<Changes>>,
    pub(crate) counter: Counter,
    ear: Arc<Ear>,
    pub(crate) gateway: Option<Arc<Gateway>>,
    publisher: Publisher,
    pub(crate) digests: Arc<Digests>,
    pub(crate) watched: Arc<WatchedFiles>,
}

/// The other end of a surface: the one writer of its offers. Clones are the same one.
#[derive(Clone)]
pub struct Publisher {
    presentation: Presentation,
    offers: Arc<watch::Sender<Option<Arc<Offer>>>>,
    changes: Arc<watch::Sender<Changes>>,
    /// What is offered at present: the skills of this machine, and what servers have.
    present: Arc<Mutex<Present>>,
}

/// What is offered at present; before the first scan there is no catalog.
type Present = (Option<Arc<Catalog>>, Arc<Roster>);

/// Makes a surface, its publisher, and the asks of clients that must see the disk as it is.
#[must_use]
pub fn surface(
    server: Implementation,
    presentation: Presentation,
) -> (Surface, Publisher, mpsc::Receiver<Ask>) {
    let (offers, newest) = watch::channel(None);
    let changes = Arc::new(watch::Sender::new(Changes::default()));
    let (asks, asked) = mpsc::channel(MOST_ASKS);
    let mut alone = capabilities();
    alone.retain(|it, _| it != "logging" && (it != "prompts" || presentation.prompts));
    let greeting =
        Greeting { server, capabilities: alone.into(), instructions: presentation.instructions() };
    let (counter, ear) = (Counter::new(newest, asks), Ear::new());
    let offers = Arc::new(offers);
    let publisher = Publisher {
        presentation: presentation.clone(),
        offers,
        changes: Arc::clone(&changes),
        present: Arc::default(),
    };
    let surface = Surface {
        greeting,
        presentation,
        changes,
        watched: Arc::new(WatchedFiles::new(counter.clone(), Arc::clone(&ear))),
        counter,
        ear,
        gateway: None,
        publisher: publisher.clone(),
        digests: Arc::default(),
    };
    (surface, publisher, asked)
}

impl Publisher {
    /// Shows a new catalog to every client from now on.
    pub fn publish(&self, catalog: Catalog) {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        present.0 = Some(Arc::new(catalog));
        self.offer(&present);
    }

    /// Shows the skills of these servers beside the catalog from now on.
    pub(crate) fn serve(&self, roster: &Arc<Roster>) {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        let had = std::mem::replace(&mut present.1, Arc::clone(roster));
        let is_same = had
            .skills()
            .map(|(_, it)| Arc::as_ptr(it))
            .eq(roster.skills().map(|(_, it)| Arc::as_ptr(it)));
        if !is_same {
            self.offer(&present);
        }
    }

    /// Makes an offer of what there is at present.
    fn offer(&self, (catalog, roster): &Present) {
        let Some(catalog) = catalog else { return };
        let served = ServedSkills::new(roster, catalog, &self.presentation.filter);
        let previous = self.offers.borrow().clone();
        let offer = Offer::with_served(
            Arc::clone(catalog),
            Arc::new(served),
            &self.presentation,
            previous.as_deref(),
        );
        let (tools, things) = previous.map_or((0, 0), |previous| {
            let things = offer.library().differs_from(previous.library());
            (u64::from(offer.differs_from(&previous)), u64::from(things))
        });
        self.offers.send_replace(Some(Arc::new(offer)));
        // The catalog is there before anybody hears of it.
        self.changes.send_if_modified(|changes| {
            changes.tools += tools;
            changes.resources += things;
            changes.prompts += things * u64::from(self.presentation.prompts);
            tools + things > 0
        });
    }
}

#[derive(Deserialize)]
struct CallTool<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl Responder for Surface {
    fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    fn remarks(&self) -> broadcast::Receiver<Remark> {
        self.ear.remarks()
    }

    fn meet(&self, client: &Arc<Client>) {
        self.ear.meet(client);
    }

    fn hear(&self, method: &str) {
        if let Some(gateway) = &self.gateway {
            gateway.hear(method);
        }
    }

    fn watch(&self, uri: &str) -> Watching {
        self.watch_resource(uri)
    }

    fn mirrored(&self, request: &Request<'_>) -> Vec<(String, String)> {
        let gateway = self.gateway.as_ref().filter(|_| request.method == "tools/call");
        gateway.zip(request.params).map(|(it, params)| it.mirrored(params)).unwrap_or_default()
    }

    fn metrics(&self, out: &mut String) {
        if let Some(gateway) = &self.gateway {
            gateway.metrics(out);
        }
    }

    fn is_ready(&self) -> bool {
        self.counter.newest().is_some()
    }

    fn answer(&self, asking: &Asking<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
        match &*asking.request.method {
            "tools/list" => self.list_tools(asking, out),
            "tools/call" => self.call_tool(asking, out),
            _ => self.answer_other(asking, out),
        }
    }
}

impl Surface {
    /// Who hears what servers say, to be given to the servers that will be joined.
    #[must_use]
    pub fn ear(&self) -> Arc<Ear> {
        Arc::clone(&self.ear)
    }

    /// What the first client says that it can do, as soon as there is one.
    pub fn first_client(&self) -> impl Future<Output = Box<RawValue>> + Send + use<> {
        Arc::clone(&self.ear).first_client()
    }

    /// Shows what servers offer beside the skills. The future keeps their lists up to date: it has to
    /// be run for as long as the surface is. `instance` tells this process from all others.
    pub fn join(
        &mut self,
        upstreams: Upstreams,
        expose: Expose,
        instance: &str,
    ) -> impl Future<Output = ()> + Send + use<> {
        let look = (self.presentation.names, expose);
        let news = (Arc::clone(&self.changes), self.publisher.clone());
        let (gateway, stock) = gateway(upstreams, Arc::clone(&self.ear), look, instance, news);
        self.gateway = Some(gateway);
        self.greeting.capabilities = capabilities().into();
        self.greeting.instructions.push_str(SERVERS);
        stock
    }

    fn list_tools(&self, asking: &Asking<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
        only_page(asking.request.params)?;
        let list = ToolList {
            server: self.greeting.server.clone(),
            gateway: self.gateway.clone(),
            client: Arc::clone(asking.client),
        };
        let shelf = match &self.gateway {
            Some(gateway) => gateway.settled_shelf().map(Some),
            None => Some(None),
        };
        if let (Some(offer), Some(shelf)) = (self.counter.newest(), shelf) {
            return Ok(Answer::Now(list.write(&offer, shelf.as_deref(), asking.era(), out)));
        }
        let counter = self.counter.clone();
        Ok(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                let offer = counter.offer(&call).await?;
                let shelf = match &list.gateway {
                    Some(gateway) => Some(gateway.settled().await),
                    None => None,
                };
                let mut result = Vec::new();
                let meta = list.write(&offer, shelf.as_deref(), call.era(), &mut result);
                Ok(Body { result, meta })
            })
        })))
    }

    fn call_tool(&self, asking: &Asking<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
        let params = asking.request.params.map_or("{}", RawValue::get);
        let asked: CallTool<'_> = serde_json::from_str(params)
            .map_err(|error| Error::invalid_params(format!("tools/call: {error}")))?;
        let name = asked.name.ok_or_else(|| Error::invalid_params("`name` is required"))?;
        let name = serde_json::from_str::<Text<'_>>(name.get())
            .map_err(|_| Error::invalid_params("`name` must be a string"))?;
        let Some(tool) = self.presentation.tool(&name.0) else {
            let answer = match &self.gateway {
                Some(gateway) => gateway.call_tool(asking, &name.0, out)?,
                None => None,
            };
            return answer.ok_or_else(|| unknown_tool(&name.0));
        };
        let order = tool.order(asked.arguments)?;
        match self.counter.newest() {
            Some(offer)
                if order.is_quick() && (self.gateway.is_none() || is_here(&order, &offer)) =>
            {
                order.fill(&offer, asking.era(), out);
                reveal(self.gateway.as_deref(), &order, &offer, asking.client);
                Ok(Answer::Now(Meta::Absent))
            }
            _ => {
                let (counter, gateway) = (self.counter.clone(), self.gateway.clone());
                Ok(Answer::Later(Box::new(move |call| {
                    Box::pin(fill(order, counter, gateway, call))
                })))
            }
        }
    }

    /// Whether anything is a prompt.
    pub(crate) fn has_prompts(&self) -> bool {
        self.presentation.prompts || self.gateway.is_some()
    }

    /// Which skills of servers exist.
    pub(crate) fn filter(&self) -> &Filter {
        &self.presentation.filter
    }
}

/// All that a surface with servers can do.
fn capabilities() -> Map<String, Value> {
    let listed = || json!({ "listChanged": true });
    let skills = json!({ "io.modelcontextprotocol/skills": { "directoryRead": true } });
    let all = [
        ("tools", listed()),
        ("resources", json!({ "listChanged": true, "subscribe": true })),
        ("prompts", listed()),
        ("completions", json!({})),
        ("logging", json!({})),
        ("extensions", skills),
    ];
    all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Whether an order is for what is on this machine: that is never hidden by what is elsewhere.
fn is_here(order: &Order, offer: &Offer) -> bool {
    let is_missing = |name: &str| matches!(offer.catalog().find(name), Lookup::Missing { .. });
    !order.skill().is_some_and(is_missing)
}

/// The skill of a server that a name means, as soon as those are met who may have it.
async fn served(gateway: &Gateway, counter: &Counter, name: &str) -> Option<Served> {
    let find = || counter.newest()?.served().find(name).cloned();
    if let Some(served) = find() {
        return Some(served);
    }
    match name.contains("://") {
        true => gateway.meet_owner(name).await,
        false => gateway.meet(name).await,
    }
    if let Some(served) = find() {
        return Some(served);
    }
    gateway.settled().await;
    find()
}

/// Shows a client the tools that the skill wants which it has just loaded.
fn reveal(gateway: Option<&Gateway>, order: &Order, offer: &Offer, client: &Client) {
    if let (Some(gateway), Order::Load { name }) = (gateway, order)
        && let Lookup::Found(entry) = offer.catalog().find(name)
    {
        gateway.reveal(client, &entry.skill);
    }
}

/// Fills an order that may take a while, from a catalog that is as fresh as it must be.
async fn fill(order: Order, counter: Counter, gateway: Option<Arc<Gateway>>, call: Call) -> Done {
    let offer = match order.wants_fresh() {
        true => counter.fresh_offer(&call).await?,
        false => counter.offer(&call).await?,
    };
    let offer = match (&gateway, order.skill()) {
        (Some(gateway), Some(name)) if !is_here(&order, &offer) => {
            if let Some(served) = served(gateway, &counter, name).await {
                return gateway.fetch_skill(&served, &order, &call).await;
            }
            counter.offer(&call).await?
        }
        _ => offer,
    };
    reveal(gateway.as_deref(), &order, &offer, call.client());
    let era = call.era();
    let filled = counter.work(&call, move || {
        let mut out = Vec::new();
        order.fill(&offer, era, &mut out);
        let is_search = matches!(order, Order::Search { .. });
        (out, Some(offer).filter(|offer| is_search && offer.wants_index()))
    });
    let (out, searched) = filled.await?;
    if let Some(offer) = searched {
        // Nobody waits for it: the next search may be quicker.
        tokio::task::spawn_blocking(move || offer.build_index());
    }
    Ok(Body::plain(out))
}

fn unknown_tool(name: &str) -> Error {
    let name: String = name.chars().take(100).collect();
    Error::invalid_params(format!("there is no tool `{name}`: `tools/list` names them"))
}

//! The surface: answers requests from the newest offer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use metier_skills::{Catalog, Lookup};
use metier_upstreams::{Roster, Upstreams};
use metier_wire::{Error, Request, Text};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use tokio::sync::{Semaphore, broadcast, mpsc, oneshot, watch};

use crate::{
    call::Call,
    client::Client,
    gateway::{Ear, Expose, Gateway, Watch, gateway, only_page},
    offer::{Offer, Presentation},
    responder::{
        Answer, Asking, Body, Changes, Done, Greeting, Implementation, Meta, Remark, Responder,
    },
    served::ServedSkills,
    tool_list::ToolList,
    tools::Order,
};

/// How many requests may wait for a look at the disk before the next ones wait to ask.
const MOST_ASKS: usize = 64;
/// How many lists, searches and files are made ready at a time.
const MOST_FILLED: usize = 8;
/// What a model should know of tools that are not about skills.
const SERVERS: &str = "\nTools named `server__tool` belong to other MCP servers. \
                       If `tools_search` is listed, find them with it and call them with `tools_call`.";
/// How often a client hears that the first scan goes on.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a client sees. Reads offers, makes none.
pub struct Surface {
    greeting: Greeting,
    presentation: Presentation,
    changes: Arc<watch::Sender<Changes>>,
    counter: Counter,
    ear: Arc<Ear>,
    gateway: Option<Arc<Gateway>>,
    publisher: Publisher,
}

/// Where orders are filled that may take a while.
#[derive(Clone)]
struct Counter {
    offers: watch::Receiver<Option<Arc<Offer>>>,
    asks: mpsc::Sender<Ask>,
    /// Bounds how many are filled at a time.
    desks: Arc<Semaphore>,
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

/// Asks for a look at the disk; answered when the newest catalog shows its present state.
pub type Ask = oneshot::Sender<()>;

/// Makes a surface, its publisher, and the asks of clients that must see the disk as it is.
#[must_use]
pub fn surface(
    server: Implementation,
    presentation: Presentation,
) -> (Surface, Publisher, mpsc::Receiver<Ask>) {
    let (offers, newest) = watch::channel(None);
    let changes = Arc::new(watch::Sender::new(Changes::default()));
    let (asks, asked) = mpsc::channel(MOST_ASKS);
    let greeting = Greeting {
        server,
        capabilities: json!({ "tools": { "listChanged": true } }),
        instructions: presentation.instructions(),
    };
    let counter = Counter { offers: newest, asks, desks: Arc::new(Semaphore::new(MOST_FILLED)) };
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
        counter,
        ear: Ear::new(),
        gateway: None,
        publisher: publisher.clone(),
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
        let is_news = previous.is_some_and(|previous| offer.differs_from(&previous));
        self.offers.send_replace(Some(Arc::new(offer)));
        // The catalog is there before anybody hears of it.
        self.changes.send_if_modified(|changes| {
            changes.tools += u64::from(is_news);
            is_news
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

    fn watch(&self, uri: &str) -> Option<Arc<Watch>> {
        self.gateway.as_ref()?.watch(uri)
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
        self.counter.offers.borrow().is_some()
    }

    fn answer(&self, asking: &Asking<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
        match (&*asking.request.method, &self.gateway) {
            ("tools/list", _) => self.list_tools(asking, out),
            ("tools/call", _) => self.call_tool(asking, out),
            (_, Some(gateway)) => gateway.answer(asking, out),
            (method, None) => Err(Error::method_not_found(method)),
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
        self.greeting.capabilities = json!({
            "tools": { "listChanged": true },
            "resources": { "listChanged": true, "subscribe": true },
            "prompts": { "listChanged": true },
            "completions": {},
            "logging": {},
        });
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
        if let (Some(offer), Some(shelf)) = (self.newest(), shelf) {
            return Ok(Answer::Now(list.write(&offer, shelf.as_deref(), asking.era(), out)));
        }
        let offers = self.counter.offers.clone();
        Ok(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                let offer = first(offers, &call).await?;
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
        if let Some(answer) = self.fetch(&order) {
            return Ok(answer);
        }
        match self.newest() {
            Some(offer) if order.is_quick() => {
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

    /// Fetches a skill from the server that has it; none if the order is for something here.
    fn fetch(&self, order: &Order) -> Option<Answer> {
        let gateway = Arc::clone(self.gateway.as_ref()?);
        let (name, path) = match order {
            Order::Load { name } => (name, None),
            Order::Read { name, path } => (name, Some(path.clone())),
            Order::List { .. } | Order::Search { .. } => return None,
        };
        let offer = self.newest()?;
        let served = offer.served().find(name)?.clone();
        // What is here is never hidden by what is elsewhere.
        let Lookup::Missing { .. } = offer.catalog().find(name) else { return None };
        Some(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                match path {
                    None => gateway.load_skill(&served, &call).await,
                    Some(path) => gateway.read_served(&served, path.as_deref(), &call).await,
                }
            })
        })))
    }

    fn newest(&self) -> Option<Arc<Offer>> {
        self.counter.offers.borrow().clone()
    }
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
    let Counter { offers, asks, desks } = counter;
    let mut offer = first(offers.clone(), &call).await?;
    if order.wants_fresh() {
        let (ask, looked) = oneshot::channel();
        // Whoever writes the catalog may be gone; then this is the last one there is.
        if asks.send(ask).await.is_ok() && looked.await.is_ok() {
            offer = first(offers, &call).await?;
        }
    }
    reveal(gateway.as_deref(), &order, &offer, call.client());
    let _desk = desks.acquire().await;
    let era = call.era();
    let filled = tokio::task::spawn_blocking(move || {
        let mut out = Vec::new();
        if !call.is_over() {
            order.fill(&offer, era, &mut out);
        }
        let is_search = matches!(order, Order::Search { .. });
        (out, Some(offer).filter(|offer| is_search && offer.wants_index()))
    });
    let (out, searched) =
        filled.await.map_err(|_| Error::internal("internal error; the server's log says more"))?;
    if let Some(offer) = searched {
        // Nobody waits for it: the next search may be quicker.
        tokio::task::spawn_blocking(move || offer.build_index());
    }
    Ok(Body::plain(out))
}

/// The newest offer; before there is one, the first.
async fn first(
    mut offers: watch::Receiver<Option<Arc<Offer>>>,
    call: &Call,
) -> Result<Arc<Offer>, Error> {
    let mut waited = 0;
    loop {
        if let Some(offer) = offers.borrow_and_update().clone() {
            return Ok(offer);
        }
        match tokio::time::timeout(PATIENCE, offers.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(Error::internal("the server stops")),
            Err(_) => {
                waited += 1;
                call.progress(waited, Some("reading the skills of this machine")).await;
            }
        }
    }
}

fn unknown_tool(name: &str) -> Error {
    let name: String = name.chars().take(100).collect();
    Error::invalid_params(format!("there is no tool `{name}`: `tools/list` names them"))
}

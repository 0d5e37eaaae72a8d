//! The surface: answers requests from the newest offer.

use std::{sync::Arc, time::Duration};

use metier_skills::Catalog;
use metier_wire::{Era, Error, Request, Text};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use crate::{
    call::Call,
    offer::{Offer, Presentation},
    responder::{Answer, Body, Changes, Done, Greeting, Implementation, Responder},
    tools::Order,
};

/// How many requests may wait for a look at the disk before the next ones wait to ask.
const MOST_ASKS: usize = 64;
/// How many lists, searches and files are made ready at a time.
const MOST_FILLED: usize = 8;
/// How often a client hears that the first scan goes on.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a client sees. Reads offers, makes none.
pub struct Surface {
    greeting: Greeting,
    presentation: Presentation,
    changes: watch::Receiver<Changes>,
    counter: Counter,
}

/// Where orders are filled that may take a while.
#[derive(Clone)]
struct Counter {
    offers: watch::Receiver<Option<Arc<Offer>>>,
    asks: mpsc::Sender<Ask>,
    /// Bounds how many are filled at a time.
    desks: Arc<Semaphore>,
}

/// The other end of a surface: the one writer of its offers.
pub struct Publisher {
    presentation: Presentation,
    offers: watch::Sender<Option<Arc<Offer>>>,
    changes: watch::Sender<Changes>,
}

/// Asks for a look at the disk; answered when the newest catalog shows its present state.
pub type Ask = oneshot::Sender<()>;

/// Makes a surface, its publisher, and the asks of clients that must see the disk as it is.
#[must_use]
pub fn surface(
    server: Implementation,
    presentation: Presentation,
) -> (Surface, Publisher, mpsc::Receiver<Ask>) {
    let (offers, newest) = watch::channel(None);
    let (changes, changed) = watch::channel(Changes::default());
    let (asks, asked) = mpsc::channel(MOST_ASKS);
    let greeting = Greeting {
        server,
        capabilities: json!({ "tools": { "listChanged": true } }),
        instructions: presentation.instructions(),
    };
    let counter = Counter { offers: newest, asks, desks: Arc::new(Semaphore::new(MOST_FILLED)) };
    let surface =
        Surface { greeting, presentation: presentation.clone(), changes: changed, counter };
    (surface, Publisher { presentation, offers, changes }, asked)
}

impl Publisher {
    /// Shows a new catalog to every client from now on.
    pub fn publish(&self, catalog: Catalog) {
        let previous = self.offers.borrow().clone();
        let offer = Offer::new(catalog, &self.presentation, previous.as_deref());
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
struct ListTools<'a> {
    #[serde(borrow, default)]
    cursor: Option<&'a RawValue>,
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
        self.changes.clone()
    }

    fn is_ready(&self) -> bool {
        self.counter.offers.borrow().is_some()
    }

    fn answer(&self, request: &Request<'_>, era: Era, out: &mut Vec<u8>) -> Result<Answer, Error> {
        match &*request.method {
            "tools/list" => self.list_tools(request.params, era, out),
            "tools/call" => self.call_tool(request.params, era, out),
            method => Err(Error::method_not_found(method)),
        }
    }
}

impl Surface {
    fn list_tools(
        &self,
        params: Option<&RawValue>,
        era: Era,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Error> {
        let params = params.map_or("{}", RawValue::get);
        let asked: ListTools<'_> = serde_json::from_str(params)
            .map_err(|error| Error::invalid_params(format!("tools/list: {error}")))?;
        if asked.cursor.is_some() {
            return Err(Error::invalid_params("`cursor` is unknown: the list is one page"));
        }
        if let Some(offer) = self.newest() {
            out.extend_from_slice(offer.tools_list(era));
            return Ok(Answer::Now);
        }
        let offers = self.counter.offers.clone();
        Ok(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                let offer = first(offers, &call).await?;
                Ok(Body::Plain(offer.tools_list(call.era()).to_vec()))
            })
        })))
    }

    fn call_tool(
        &self,
        params: Option<&RawValue>,
        era: Era,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Error> {
        let params = params.map_or("{}", RawValue::get);
        let asked: CallTool<'_> = serde_json::from_str(params)
            .map_err(|error| Error::invalid_params(format!("tools/call: {error}")))?;
        let name = asked.name.ok_or_else(|| Error::invalid_params("`name` is required"))?;
        let name = serde_json::from_str::<Text<'_>>(name.get())
            .map_err(|_| Error::invalid_params("`name` must be a string"))?;
        let tool = self.presentation.tool(&name.0).ok_or_else(|| unknown_tool(&name.0))?;
        let order = tool.order(asked.arguments)?;
        match self.newest() {
            Some(offer) if order.is_quick() => {
                order.fill(&offer, era, out);
                Ok(Answer::Now)
            }
            _ => {
                let counter = self.counter.clone();
                Ok(Answer::Later(Box::new(move |call| Box::pin(fill(order, counter, call)))))
            }
        }
    }

    fn newest(&self) -> Option<Arc<Offer>> {
        self.counter.offers.borrow().clone()
    }
}

/// Fills an order that may take a while, from a catalog that is as fresh as it must be.
async fn fill(order: Order, counter: Counter, call: Call) -> Done {
    let Counter { offers, asks, desks } = counter;
    let mut offer = first(offers.clone(), &call).await?;
    if order.wants_fresh() {
        let (ask, looked) = oneshot::channel();
        // Whoever writes the catalog may be gone; then this is the last one there is.
        if asks.send(ask).await.is_ok() && looked.await.is_ok() {
            offer = first(offers, &call).await?;
        }
    }
    let _desk = desks.acquire().await;
    let (era, cancelled) = (call.era(), call.cancellation());
    let filled = tokio::task::spawn_blocking(move || {
        let mut out = Vec::new();
        if !cancelled.is_cancelled() {
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
    Ok(Body::Plain(out))
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

//! Questions of a server: whose they are, how long they are open, and what is owed for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::future::join_all;
use metier_wire::{Error, Id, IdKey, Request, write};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::{Pending, Seat, Switchboard};
use crate::caller::{Caller, Claim, Running, Thinking};

/// What servers ask of their own accord as often as for a call.
const ROOTS: &str = "roots/list";

/// The questions that are open, by the ids that the server gave them.
#[derive(Clone, Default)]
pub(super) struct Open(Arc<Mutex<HashMap<IdKey, CancellationToken>>>);

/// A question that is open until this is dropped.
struct Question {
    open: Open,
    key: IdKey,
    withdrawn: CancellationToken,
}

/// Who is asked.
enum Addressee {
    /// Someone, and those of their calls that wait for the answer.
    Someone(Arc<dyn Caller>, Vec<Thinking>),
    /// It may be any of several.
    Unclear,
}

#[derive(Deserialize)]
struct Cancelled<'a> {
    #[serde(borrow, rename = "requestId")]
    id: &'a RawValue,
}

impl Switchboard {
    /// What is owed to a server that asks.
    pub(super) fn asked(&self, request: &Request<'_>, here: Option<Seat>) -> Pending {
        let id = request.id.to_raw();
        if request.method == "ping" {
            let nothing = RawValue::from_string("{}".to_owned()).unwrap_or_default();
            return Box::pin(async move { reply(&id, Ok(nothing)) });
        }
        let (method, params) = (request.method.to_string(), request.params.map(ToOwned::to_owned));
        let here = here.filter(|it| it.is_call);
        // One that comes by a way which calls share may belong to none of them.
        let is_bound = here.is_some() || method != ROOTS;
        let addressee = self.addressee(here, &method);
        let question = self.open.enter(request.id);
        let over = self.over.clone();
        Box::pin(async move {
            let Addressee::Someone(caller, thinking) = addressee else {
                return reply(&id, Err(unclear(&method)));
            };
            let answer = tokio::select! {
                biased;
                () = question.withdrawn.cancelled() => return None,
                answer = caller.asked(&method, params.as_deref()) => answer,
                () = over.cancelled() => Err(Error::internal("the connection is over")),
                () = calls_over(&thinking), if is_bound && !thinking.is_empty() => {
                    Err(Error::internal("the call is over for which this was asked"))
                }
            };
            drop(thinking);
            reply(&id, answer)
        })
    }

    /// Who is asked: the caller on whose stream it came, else the only client whose calls it may be
    /// for, else the audience.
    fn addressee(&self, here: Option<Seat>, method: &str) -> Addressee {
        let think = |calls: &[Arc<Running>]| calls.iter().map(Running::think).collect();
        if let Some(seat) = here {
            return match self.desk.running(seat.id) {
                Some(call) => Addressee::Someone(call.caller.clone(), think(&[call])),
                None => Addressee::Someone(Arc::new(()), Vec::new()),
            };
        }
        let mut claims: Vec<(Claim, Arc<Running>)> =
            self.desk.calls().into_iter().map(|it| (it.caller.claim(method), it)).collect();
        let strongest = claims.iter().map(|(claim, _)| *claim).max().unwrap_or(Claim::Nobody);
        claims.retain(|(claim, _)| *claim == strongest);
        let calls: Vec<Arc<Running>> = claims.into_iter().map(|(_, call)| call).collect();
        match (&calls[..], strongest) {
            ([], _) | (_, Claim::Nobody) => Addressee::Someone(self.audience.clone(), Vec::new()),
            ([newest, others @ ..], _) => {
                let client = newest.caller.client();
                let is_one = others.iter().all(|it| it.caller.client() == client);
                if is_one || strongest == Claim::Unable {
                    Addressee::Someone(newest.caller.clone(), think(&calls))
                } else {
                    Addressee::Unclear
                }
            }
        }
    }
}

impl Open {
    fn enter(&self, id: Id<'_>) -> Question {
        let (key, withdrawn) = (id.key(), CancellationToken::new());
        self.book().insert(key.clone(), withdrawn.clone());
        Question { open: self.clone(), key, withdrawn }
    }

    /// The server no longer wants to know something; it says what.
    pub(super) fn withdraw(&self, params: &RawValue) {
        let cancelled = serde_json::from_str::<Cancelled<'_>>(params.get()).ok();
        let Some(id) = cancelled.and_then(|it| Id::new(it.id)) else { return };
        if let Some(withdrawn) = self.book().get(&id.key()) {
            withdrawn.cancel();
        }
    }

    fn book(&self) -> MutexGuard<'_, HashMap<IdKey, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.open.book().remove(&self.key);
    }
}

/// Resolves when none of the calls is left that wait for an answer.
async fn calls_over(thinking: &[Thinking]) {
    join_all(thinking.iter().map(Thinking::call_over)).await;
}

fn unclear(method: &str) -> Error {
    let message = format!(
        "it is not clear whom `{method}` is for: several clients that could answer have calls \
         under way here, and it does not say for which of these it is"
    );
    Error::new(Error::METHOD_NOT_FOUND, message)
}

/// The message that answers a question.
fn reply(id: &RawValue, answer: Result<Box<RawValue>, Error>) -> Option<Vec<u8>> {
    let (id, mut out) = (Id::new(id)?, Vec::new());
    match answer {
        Ok(result) => {
            write::result(&mut out, id, |out| out.extend_from_slice(result.get().as_bytes()));
        }
        Err(error) => write::error(&mut out, Some(id), &error),
    }
    Some(out)
}

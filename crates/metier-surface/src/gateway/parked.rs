//! Calls that wait for a client which can only be asked by way of a result.
//!
//! A server of an earlier revision asks in the middle of a call. A client of 2026-07-28 is asked by
//! ending its request, and answers with the next one. Between the two the call is parked here.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use metier_wire::{Error, Members};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::{sync::oneshot, time::Instant};

use super::{journey::Journey, relay::Question};
use crate::responder::Body;

/// How many calls may wait.
const MOST_PARKED: usize = 256;
/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(300);
/// What the one question of a round is called.
const KEY: &str = "question";

/// The calls that wait, by what their clients must send back.
#[derive(Default)]
pub(super) struct Parked(Mutex<HashMap<String, Waiting>>);

struct Waiting {
    journey: Journey,
    answer: oneshot::Sender<Result<Box<RawValue>, Error>>,
    until: Instant,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InputRequired<'a> {
    result_type: &'static str,
    input_requests: HashMap<&'static str, InputRequest<'a>>,
    request_state: &'a str,
}

#[derive(Serialize)]
struct InputRequest<'a> {
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
}

impl Parked {
    /// Parks a call, and gives the result that asks the client.
    pub(super) fn park(&self, journey: Journey, question: Question) -> Result<Body, Error> {
        let state = random().ok_or_else(|| Error::internal("the system has no random numbers"))?;
        let Question { method, params, answer } = question;
        let asked = InputRequired {
            result_type: "input_required",
            input_requests: HashMap::from([(
                KEY,
                InputRequest { method: &method, params: params.as_deref() },
            )]),
            request_state: &state,
        };
        let mut result = Vec::new();
        metier_wire::write::json(&mut result, &asked);
        let until = Instant::now() + PATIENCE;
        let mut waiting = self.waiting();
        // Whoever waited too long is dropped, and its server told.
        waiting.retain(|_, it| it.until > Instant::now());
        if waiting.len() >= MOST_PARKED {
            return Err(Error::internal("too many calls wait for answers of their clients"));
        }
        waiting.insert(state, Waiting { journey, answer, until });
        Ok(Body::plain(result))
    }

    /// The call that waits under a state, if one does, with the answer that these parameters bring.
    /// A request that does not fit is refused, and the call goes on waiting for one that does.
    pub(super) fn resume(
        &self,
        state: &str,
        params: &Members<'_>,
        purpose: &str,
    ) -> Result<Option<Journey>, Error> {
        let mut waiting = self.waiting();
        let Some(Waiting { journey, .. }) = waiting.get(state) else { return Ok(None) };
        if *journey.purpose != *purpose || !journey.has_arguments(params) {
            let message = "`requestState` belongs to another request: repeat that with the answer";
            return Err(Error::invalid_params(message));
        }
        let responses = params.get("inputResponses").and_then(Members::of).unwrap_or_default();
        let Some(response) = responses.get(KEY).filter(|it| it.get().starts_with('{')) else {
            let message = format!("`inputResponses` must have the answer `{KEY}`, an object");
            return Err(Error::invalid_params(message));
        };
        let Some(Waiting { journey, answer, .. }) = waiting.remove(state) else { return Ok(None) };
        let _ = answer.send(Ok(response.to_owned()));
        Ok(Some(journey))
    }

    /// Drops calls whose clients do not come back.
    pub(super) fn sweep(&self) {
        self.waiting().retain(|_, it| it.until > Instant::now());
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 128 bits that nobody can guess, if the system has any.
pub(super) fn random() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

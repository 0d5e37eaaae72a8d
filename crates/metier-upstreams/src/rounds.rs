//! Rounds: calls of 2026-07-28 that need answers from the caller before they can end.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use metier_wire::{Error, Text};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{caller::Caller, link::Member};

/// How often a server may ask before a call has its result.
pub(crate) const MOST_ROUNDS: usize = 16;
/// The parameters by which answers travel.
const RESPONSES: &str = "inputResponses";
const STATE: &str = "requestState";

/// What a server wants to know first.
#[derive(Debug)]
pub(crate) struct Questions {
    requests: Vec<(String, String, Option<Box<RawValue>>)>,
    state: Option<Box<RawValue>>,
}

/// The answers, as parameters for the next round.
#[derive(Debug)]
pub(crate) struct Answers {
    responses: Box<RawValue>,
    state: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Incomplete<'a> {
    #[serde(borrow, default, rename = "resultType")]
    kind: Option<Text<'a>>,
    #[serde(borrow, default, rename = "inputRequests")]
    requests: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "requestState")]
    state: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Asked<'a> {
    method: String,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

impl Questions {
    /// What a result asks for, if it is none yet.
    pub(crate) fn in_result(result: &RawValue) -> Option<Questions> {
        // Most results say nothing of the kind; those need not be read.
        if !result.get().contains("input_required") {
            return None;
        }
        let incomplete: Incomplete<'_> = serde_json::from_str(result.get()).ok()?;
        if incomplete.kind.is_none_or(|kind| kind.0 != "input_required") {
            return None;
        }
        let requests = incomplete.requests.map_or("{}", RawValue::get);
        let requests: HashMap<String, &RawValue> = serde_json::from_str(requests).ok()?;
        let mut requests: Vec<(String, &RawValue)> = requests.into_iter().collect();
        // In the order of the text, of which each is a part: people are asked one after another.
        requests.sort_by_key(|(_, raw)| raw.get().as_ptr());
        let requests = requests.into_iter().filter_map(|(key, raw)| {
            let asked: Asked<'_> = serde_json::from_str(raw.get()).ok()?;
            Some((key, asked.method, asked.params.map(ToOwned::to_owned)))
        });
        Some(Questions {
            requests: requests.collect(),
            state: incomplete.state.map(ToOwned::to_owned),
        })
    }

    /// Lets the caller answer them all.
    pub(crate) async fn put_to(self, caller: &Arc<dyn Caller>) -> Result<Answers, Error> {
        let mut responses = BTreeMap::new();
        for (key, method, params) in self.requests {
            responses.insert(key, caller.asked(&method, params.as_deref()).await?);
        }
        let responses = to_raw_value(&responses).map_err(|error| {
            Error::internal(format!("an answer of the caller cannot be sent: {error}"))
        })?;
        Ok(Answers { responses, state: self.state })
    }
}

impl Answers {
    /// The parameters of a call with these answers, in place of any that it had before.
    pub(crate) fn beside<'a>(&'a self, params: &[Member<'a>]) -> Vec<Member<'a>> {
        let is_answer = |key: &str| key == RESPONSES || key == STATE;
        let mut all: Vec<Member<'a>> =
            params.iter().filter(|(key, _)| !is_answer(key)).copied().collect();
        all.push((RESPONSES, &self.responses));
        all.extend(self.state.as_deref().map(|state| (STATE, state)));
        all
    }
}

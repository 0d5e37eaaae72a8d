//! Calls of tools of servers, by name or through the three tools that find others.

use std::sync::Arc;

use metier_upstreams::{Roster, ToolEntry};
use metier_wire::{Error, Members};
use serde_json::value::RawValue;

use super::{
    Gateway, Shelf, Shown,
    finder::{self, Finder},
    journey::{Parcel, Target},
    things::{era, unknown},
};
use crate::{
    responder::{Answer, Asking, Meta},
    tools::{Reply, Tool},
};

impl Gateway {
    /// Answers a call of a tool of that name; none if nobody has such a tool.
    pub(crate) fn call_tool(
        self: &Arc<Self>,
        asking: &Asking<'_>,
        name: &str,
        out: &mut Vec<u8>,
    ) -> Result<Option<Answer>, Error> {
        let shelf = self.shelf();
        if let Some(finder) = Finder::named(name).filter(|_| shelf.shown != Shown::All) {
            return self.find(finder, &shelf, asking, out).map(Some);
        }
        // No server's own name for a tool takes one of ours, offered or not.
        let is_ours = Finder::named(name).is_some() || Tool::named(name).is_some();
        let tools = shelf.roster.tools();
        let entry = if is_ours { tools.get(name) } else { tools.find(name) };
        if let Some(entry) = entry {
            return Ok(Some(self.forward(&shelf, entry, Parcel::of(asking))));
        }
        if shelf.roster.is_settled() {
            return Ok(None);
        }
        // It may belong to someone who is just being met.
        let (gateway, parcel, name) = (Arc::clone(self), Parcel::of(asking), name.to_owned());
        Ok(Some(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                let roster = gateway.upstreams.knowing(&name).await;
                let entry = roster.tools().find(&name).ok_or_else(|| unknown("tool", &name))?;
                gateway.run(target(&roster, entry), parcel, call).await
            })
        }))))
    }

    /// The headers that must repeat arguments of a call, and what they carry.
    pub(crate) fn mirrored(&self, params: &RawValue) -> Vec<(String, String)> {
        let Some(params) = Members::of(params) else { return Vec::new() };
        let name = params.text("name").unwrap_or_default();
        let (shelf, arguments) = (self.shelf(), params.get("arguments"));
        let entry = shelf.roster.tools().find(&name);
        entry.zip(arguments).map(|(it, arguments)| it.headers(arguments)).unwrap_or_default()
    }

    fn find(
        self: &Arc<Self>,
        finder: Finder,
        shelf: &Shelf,
        asking: &Asking<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Error> {
        let params = asking.request.params.and_then(Members::of).unwrap_or_default();
        let reply = Reply { era: asking.era(), out };
        match finder {
            Finder::Search => finder::search(shelf, params.get("arguments"), reply)?,
            Finder::Describe => finder::describe(shelf, params.get("arguments"), reply)?,
            Finder::Call => {
                let (entry, params) = finder::call(shelf, &params)?;
                let parcel = Parcel { params, ..Parcel::of(asking) };
                return Ok(self.forward(shelf, entry, parcel));
            }
        }
        Ok(Answer::Now(Meta::Absent))
    }

    /// Passes a call on to the server whose tool it is.
    fn forward(self: &Arc<Self>, shelf: &Shelf, entry: &ToolEntry, parcel: Parcel) -> Answer {
        let (gateway, target) = (Arc::clone(self), target(&shelf.roster, entry));
        Answer::Later(Box::new(move |call| {
            Box::pin(async move { gateway.run(target, parcel, call).await })
        }))
    }
}

fn target(roster: &Roster, entry: &ToolEntry) -> Target {
    Target::Tool(entry.clone(), era(roster, &entry.server))
}

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
    text::Line,
    tools::{Reply, Tool},
};

/// How many are named where one name means several.
pub(super) const MOST_NAMES: usize = 50;

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
        let find = if is_ours { by_full_name } else { by_any_name };
        self.forward(&shelf, Wanted { name, find, shown: |it| &it.wire_name }, Parcel::of(asking))
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
                let (id, params) = finder::call(&params)?;
                let wanted = Wanted { name: &id, find: by_any_name, shown: |it| &it.id };
                let parcel = Parcel { params, ..Parcel::of(asking) };
                let answer = self.forward(shelf, wanted, parcel)?;
                return answer.ok_or_else(|| finder::unknown(&id));
            }
        }
        Ok(Answer::Now(Meta::Absent))
    }

    /// Passes a call on to the server whose tool it is; none if nobody has such a tool.
    fn forward(
        self: &Arc<Self>,
        shelf: &Shelf,
        wanted: Wanted<'_>,
        parcel: Parcel,
    ) -> Result<Option<Answer>, Error> {
        let gateway = Arc::clone(self);
        if let Some(entry) = wanted.among(&shelf.roster)? {
            let target = target(&shelf.roster, entry);
            return Ok(Some(Answer::Later(Box::new(move |call| {
                Box::pin(gateway.run(target, parcel, call))
            }))));
        }
        if shelf.roster.is_settled() {
            return Ok(None);
        }
        // It may belong to someone who is just being met.
        let (name, Wanted { find, shown, .. }) = (wanted.name.to_owned(), wanted);
        Ok(Some(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                let wanted = Wanted { name: &name, find, shown };
                let roster = gateway.met(&wanted).await;
                let entry = wanted.among(&roster)?.ok_or_else(|| unknown("tool", &name))?;
                gateway.run(target(&roster, entry), parcel, call).await
            })
        }))))
    }

    /// The roster when somebody has the tool, or when all have been met whom one waits for.
    async fn met(&self, wanted: &Wanted<'_>) -> Arc<Roster> {
        let roster = self.upstreams.knowing(wanted.name).await;
        match (wanted.find)(&roster, wanted.name) {
            Some(_) => roster,
            // Whose it is cannot be seen by its name.
            None => Arc::clone(&self.settled().await.roster),
        }
    }
}

/// A tool by its name.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    name: &'a str,
    /// What the name means.
    find: for<'r> fn(&'r Roster, &str) -> Option<&'r Arc<ToolEntry>>,
    /// Which name of a tool is told to who asked.
    shown: fn(&ToolEntry) -> &str,
}

impl Wanted<'_> {
    /// The tool, if somebody has it; a name that means several is refused with theirs.
    fn among<'r>(&self, roster: &'r Roster) -> Result<Option<&'r Arc<ToolEntry>>, Error> {
        if let Some(entry) = (self.find)(roster, self.name) {
            return Ok(Some(entry));
        }
        let names = roster.tools().ambiguous(self.name).take(MOST_NAMES);
        let names: Vec<String> = names.map(|it| format!("`{}`", (self.shown)(it))).collect();
        if names.is_empty() {
            return Ok(None);
        }
        let (name, names) = (Line(self.name, 100), names.join(", "));
        Err(Error::invalid_params(format!("tool `{name}` is ambiguous: call one of {names}")))
    }
}

fn by_full_name<'r>(roster: &'r Roster, name: &str) -> Option<&'r Arc<ToolEntry>> {
    roster.tools().get(name)
}

fn by_any_name<'r>(roster: &'r Roster, name: &str) -> Option<&'r Arc<ToolEntry>> {
    roster.tools().find(name)
}

fn target(roster: &Roster, entry: &Arc<ToolEntry>) -> Target {
    Target::Tool(entry.clone(), era(roster, &entry.server))
}

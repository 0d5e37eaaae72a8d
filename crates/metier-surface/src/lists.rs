//! Lists of resources, templates and prompts: what is here first, then what servers have.

use std::sync::Arc;

use metier_wire::{Era, Error, write};

use crate::{
    gateway::{Shelf, only_page},
    library::{Resource, cursor_of, unknown_cursor, write_prompt, write_template},
    offer::Offer,
    responder::{Answer, Asking, Body, Meta},
    surface::Surface,
};

/// How many items make a page full.
const FULL: usize = 1_000;
/// How many bytes make a page full.
const LARGE: usize = 1 << 20;

/// A list that comes by pages, of which most need but one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// `resources/list`: the `SKILL.md` of every skill.
    Resources,
    /// `resources/templates/list`: one template for all other files; always one page.
    Templates,
    /// `prompts/list`: a prompt for every skill.
    Prompts,
}

/// What a list is made of.
struct Sheet<'a> {
    list: List,
    offer: &'a Offer,
    shelf: Option<&'a Shelf>,
}

impl List {
    /// The list that a method asks for.
    pub(crate) fn of(method: &str) -> Option<List> {
        match method {
            "resources/list" => Some(List::Resources),
            "resources/templates/list" => Some(List::Templates),
            "prompts/list" => Some(List::Prompts),
            _ => None,
        }
    }
}

impl Sheet<'_> {
    /// Appends the page that begins with what the cursor names.
    fn write(&self, cursor: Option<&str>, era: Era, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut at = match cursor {
            None => 0,
            Some(cursor) => self.position(cursor).ok_or_else(|| unknown_cursor(cursor))?,
        };
        out.push(b'{');
        if era == Era::Modern {
            out.extend_from_slice(
                br#""resultType":"complete","ttlMs":5000,"cacheScope":"private","#,
            );
        }
        out.extend_from_slice(match self.list {
            List::Resources => br#""resources":["#.as_slice(),
            List::Templates => br#""resourceTemplates":["#,
            List::Prompts => br#""prompts":["#,
        });
        let (first, begin) = (at, out.len());
        let is_full = |n_items, n_bytes| n_items >= FULL || n_bytes >= LARGE;
        while at < self.n_items() && (self.is_whole() || !is_full(at - first, out.len() - begin)) {
            let end = out.len();
            if end > begin {
                out.push(b',');
            }
            let item = out.len();
            self.write_item(at, out);
            if out.len() == item {
                // It is not shown.
                out.truncate(end);
            }
            at += 1;
        }
        out.push(b']');
        if let Some(next) = self.key(at) {
            out.extend_from_slice(br#","nextCursor":"#);
            write::json(out, &next);
        }
        out.push(b'}');
        Ok(())
    }

    /// Whether it is never cut.
    fn is_whole(&self) -> bool {
        self.list == List::Templates
    }

    /// How many of the items are of this machine.
    fn n_own(&self) -> usize {
        let n_skills = self.offer.library().holdings().len();
        match self.list {
            List::Resources => n_skills,
            List::Templates => n_skills.min(1),
            List::Prompts if self.offer.has_prompts() => n_skills,
            List::Prompts => 0,
        }
    }

    fn n_items(&self) -> usize {
        let n_others = self.shelf.map(|it| match self.list {
            List::Resources => it.resources.len(),
            List::Templates => it.templates.len(),
            List::Prompts => it.prompts.len(),
        });
        self.n_own() + n_others.unwrap_or_default()
    }

    /// Appends an item, if it is one that is shown.
    fn write_item(&self, at: usize, out: &mut Vec<u8>) {
        let own = self.offer.library().holdings().get(at).filter(|_| at < self.n_own());
        match (self.list, own) {
            (List::Resources, Some(holding)) => write::json(out, &Resource::skill(holding)),
            (List::Templates, Some(_)) => write_template(out),
            (List::Prompts, Some(holding)) => write_prompt(holding, out),
            (list, None) => {
                let Some(shelf) = self.shelf else { return };
                let others = match list {
                    List::Resources => &shelf.resources,
                    List::Templates => &shelf.templates,
                    List::Prompts => &shelf.prompts,
                };
                out.extend_from_slice(others.get(at - self.n_own()));
            }
        }
    }

    /// What the item at a place is called there.
    fn key(&self, at: usize) -> Option<String> {
        if let Some(holding) = self.offer.library().holdings().get(at).filter(|_| at < self.n_own())
        {
            return Some(match self.list {
                List::Prompts => holding.prompt.to_string(),
                List::Resources | List::Templates => holding.own_uri(),
            });
        }
        let (roster, at) = (&self.shelf?.roster, at.checked_sub(self.n_own())?);
        match self.list {
            List::Resources => roster.resources().entries().get(at).map(|it| it.uri.to_string()),
            List::Templates => None,
            List::Prompts => roster.prompts().entries().get(at).map(|it| it.id.to_string()),
        }
    }

    /// At which place the item is that is called so.
    fn position(&self, key: &str) -> Option<usize> {
        let library = self.offer.library();
        let own = match self.list {
            List::Resources => library.listed(key),
            List::Templates => None,
            List::Prompts => library.prompt(key).filter(|it| *it < self.n_own()),
        };
        own.or_else(|| {
            let roster = &self.shelf?.roster;
            let other = match self.list {
                List::Resources => roster.resources().position(key),
                List::Templates => None,
                List::Prompts => roster.prompts().position(key),
            };
            Some(self.n_own() + other?)
        })
    }
}

impl Surface {
    /// Answers with a list, as soon as it is known what is in it.
    pub(crate) fn list(
        &self,
        list: List,
        asking: &Asking<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Error> {
        if list == List::Templates {
            only_page(asking.request.params)?;
        }
        let cursor = cursor_of(asking)?;
        let (counter, gateway) = (self.counter.clone(), self.gateway.clone());
        let shelf = match &gateway {
            Some(gateway) => gateway.settled_shelf().map(Some),
            None => Some(None),
        };
        if let (Some(offer), Some(shelf)) = (counter.newest(), shelf) {
            let sheet = Sheet { list, offer: &offer, shelf: shelf.as_deref() };
            sheet.write(cursor.as_deref(), asking.era(), out)?;
            return Ok(Answer::Now(Meta::Absent));
        }
        Ok(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                let shelf: Option<Arc<Shelf>> = match &gateway {
                    Some(gateway) => Some(gateway.settled().await),
                    None => None,
                };
                let (offer, mut out) = (counter.offer(&call).await?, Vec::new());
                let sheet = Sheet { list, offer: &offer, shelf: shelf.as_deref() };
                sheet.write(cursor.as_deref(), call.era(), &mut out)?;
                Ok(Body::plain(out))
            })
        })))
    }
}

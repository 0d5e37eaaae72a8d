//! Lists of resources, templates and prompts: what is here first, then what servers have.

use std::sync::Arc;

use metier_wire::{Era, Error, write};

use crate::{
    gateway::{Shelf, only_page},
    library::{Resource, write_prompt, write_template},
    offer::Offer,
    responder::{Answer, Asking, Body, Meta},
    surface::Surface,
};

/// A list that is one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// `resources/list`: the `SKILL.md` of every skill.
    Resources,
    /// `resources/templates/list`: one template for all other files.
    Templates,
    /// `prompts/list`: a prompt for every skill.
    Prompts,
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

    /// Appends the whole result.
    fn write(self, offer: &Offer, shelf: Option<&Shelf>, era: Era, out: &mut Vec<u8>) {
        out.push(b'{');
        if era == Era::Modern {
            out.extend_from_slice(
                br#""resultType":"complete","ttlMs":5000,"cacheScope":"private","#,
            );
        }
        out.extend_from_slice(match self {
            List::Resources => br#""resources":["#.as_slice(),
            List::Templates => br#""resourceTemplates":["#,
            List::Prompts => br#""prompts":["#,
        });
        let begin = out.len();
        self.write_own(offer, out);
        let others = shelf.map(|it| match self {
            List::Resources => it.resources.all(),
            List::Templates => it.templates.all(),
            List::Prompts => it.prompts.all(),
        });
        if let Some(others) = others.filter(|it| !it.is_empty()) {
            if out.len() > begin {
                out.push(b',');
            }
            out.extend_from_slice(others);
        }
        out.extend_from_slice(b"]}");
    }

    /// Appends what is here, separated by commas.
    fn write_own(self, offer: &Offer, out: &mut Vec<u8>) {
        let holdings = offer.library().holdings();
        match self {
            List::Templates if holdings.is_empty() => {}
            List::Templates => write_template(out),
            List::Prompts if !offer.has_prompts() => {}
            List::Resources | List::Prompts => {
                for (at, holding) in holdings.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    match self {
                        List::Prompts => write_prompt(holding, out),
                        _ => write::json(out, &Resource::skill(holding)),
                    }
                }
            }
        }
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
        only_page(asking.request.params)?;
        let (counter, gateway) = (self.counter.clone(), self.gateway.clone());
        let shelf = match &gateway {
            Some(gateway) => gateway.settled_shelf().map(Some),
            None => Some(None),
        };
        if let (Some(offer), Some(shelf)) = (counter.newest(), shelf) {
            list.write(&offer, shelf.as_deref(), asking.era(), out);
            return Ok(Answer::Now(Meta::Absent));
        }
        Ok(Answer::Later(Box::new(move |call| {
            Box::pin(async move {
                let shelf: Option<Arc<Shelf>> = match &gateway {
                    Some(gateway) => Some(gateway.settled().await),
                    None => None,
                };
                let (offer, mut out) = (counter.offer(&call).await?, Vec::new());
                list.write(&offer, shelf.as_deref(), call.era(), &mut out);
                Ok(Body::plain(out))
            })
        })))
    }
}

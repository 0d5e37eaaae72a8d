//! Offers: what one server has, every field as it was sent.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use metier_wire::{Revision, Text};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    mirror::{Mirrored, mirrored},
    served::ServedSkill,
};

/// What one server offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The revision of the protocol that is spoken with it.
    pub revision: Revision,
    /// What it says of itself, if anything.
    pub server: Option<Box<RawValue>>,
    /// What it can do.
    pub capabilities: Box<RawValue>,
    /// What a model should know before it uses the server.
    pub instructions: Option<String>,
    /// Its tools, by name.
    pub tools: Vec<Arc<Tool>>,
    /// Its resources, by URI.
    pub resources: Vec<Arc<Item>>,
    /// Its templates of resources, by URI template.
    pub templates: Vec<Arc<Item>>,
    /// Its prompts, by name.
    pub prompts: Vec<Arc<Item>>,
    /// The ids of gateways that its tools come through, as its list of tools names them: at most 64,
    /// of at most 64 characters each.
    pub instances: Vec<Box<str>>,
    /// Its skills, by URI.
    pub skills: Vec<Arc<ServedSkill>>,
    /// Why skills that it lists are not among them, one reason each; of the first 64.
    pub unfit_skills: Vec<Box<str>>,
    /// Which lists were not read whole; of these there is what was read, now or before.
    pub gaps: Vec<Gap>,
}

/// A list that was not read whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The request that it answers, such as `skills/list`.
    pub method: &'static str,
    /// Why the rest is missing.
    pub reason: Box<str>,
}

/// Something that a server offers: the key by which it is asked for, and all that was sent.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name, URI or URI template.
    pub key: Box<str>,
    /// The whole object.
    pub raw: Box<RawValue>,
}

/// One tool.
#[derive(Clone, Debug)]
pub struct Tool {
    /// What the server calls it.
    pub name: Box<str>,
    /// The whole definition.
    pub raw: Box<RawValue>,
    /// Its name as JSON.
    pub(crate) quoted: Box<RawValue>,
    /// Which arguments are repeated in headers.
    pub(crate) mirrored: Box<[Mirrored]>,
}

/// Why something that a server listed is left out.
pub(crate) type Omission = String;

/// Something that is listed.
pub(crate) trait Listing {
    /// By what it is asked for; no two of a list have the same.
    fn key(&self) -> &str;
    /// All that was sent.
    fn raw(&self) -> &RawValue;
}

#[derive(Deserialize)]
struct Described<'a> {
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "inputSchema")]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "uriTemplate")]
    uri_template: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "mimeType")]
    mime_type: Option<&'a RawValue>,
}

/// Which member is the key of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    Name,
    Uri,
    UriTemplate,
}

impl Offer {
    /// Whether the server says that it can do something, such as `resources` or `logging`.
    #[must_use]
    pub fn has(&self, capability: &str) -> bool {
        let members: HashMap<String, &RawValue> =
            serde_json::from_str(self.capabilities.get()).unwrap_or_default();
        members.get(capability).is_some_and(|it| it.get().starts_with('{'))
    }

    /// Why the list that answers a request, such as `skills/list`, is not whole, if it is not.
    #[must_use]
    pub fn gap(&self, method: &str) -> Option<&str> {
        self.gaps.iter().find(|it| it.method == method).map(|it| &*it.reason)
    }
}

impl Listing for Item {
    fn key(&self) -> &str {
        &self.key
    }

    fn raw(&self) -> &RawValue {
        &self.raw
    }
}

impl Listing for Tool {
    fn key(&self) -> &str {
        &self.name
    }

    fn raw(&self) -> &RawValue {
        &self.raw
    }
}

impl Listing for ServedSkill {
    fn key(&self) -> &str {
        &self.uri
    }

    fn raw(&self) -> &RawValue {
        &self.raw
    }
}

impl Item {
    pub(crate) fn read(raw: &RawValue, key: Key) -> Result<Item, Omission> {
        let described = described(raw).ok_or("it is not an object")?;
        let (member, value) = match key {
            Key::Name => ("name", described.name),
            Key::Uri => ("uri", described.uri),
            Key::UriTemplate => ("uriTemplate", described.uri_template),
        };
        let key = string(value).ok_or_else(|| format!("it has no `{member}`"))?;
        Ok(Item { key: key.into(), raw: raw.to_owned() })
    }

    /// What it is called, if that is not its key.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'_, str>> {
        string(described(&self.raw)?.name)
    }

    /// What it is, in the server's words.
    #[must_use]
    pub fn description(&self) -> Option<Cow<'_, str>> {
        string(described(&self.raw)?.description)
    }

    /// Of which type it is.
    #[must_use]
    pub fn mime_type(&self) -> Option<Cow<'_, str>> {
        string(described(&self.raw)?.mime_type)
    }
}

impl Tool {
    pub(crate) fn read(raw: &RawValue) -> Result<Tool, Omission> {
        let Item { key: name, raw } = Item::read(raw, Key::Name)?;
        if name.is_empty() {
            return Err("its name is empty".to_owned());
        }
        let schema = described(&raw).and_then(|it| it.input_schema);
        let mirrored = mirrored(schema)?;
        let quoted = to_raw_value(&name).unwrap_or_default();
        Ok(Tool { name, raw, quoted, mirrored })
    }

    /// Its title, if it has one beside its name.
    #[must_use]
    pub fn title(&self) -> Option<Cow<'_, str>> {
        string(described(&self.raw)?.title)
    }

    /// What it does, in the server's words.
    #[must_use]
    pub fn description(&self) -> Option<Cow<'_, str>> {
        string(described(&self.raw)?.description)
    }

    /// What its arguments must look like, if the server says.
    #[must_use]
    pub fn input_schema(&self) -> Option<&RawValue> {
        described(&self.raw)?.input_schema
    }
}

fn described(raw: &RawValue) -> Option<Described<'_>> {
    serde_json::from_str(raw.get()).ok()
}

fn string(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(raw?.get()).ok().map(|it| it.0)
}

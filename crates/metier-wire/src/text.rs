//! Strings that are borrowed from what arrived.

use std::borrow::Cow;

use serde::Deserialize;

/// A string, borrowed where it has no escapes.
#[derive(Clone, Debug, Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

//! The result of a call as it travels, written straight into the buffer that is sent.

use std::{fmt::Display, ops::Not};

use base64::{display::Base64Display, engine::general_purpose::STANDARD};
use serde::{Serialize, Serializer};

use metier_wire::Era;

/// Where a result goes, and in which shape.
pub(crate) struct Reply<'a> {
    pub(crate) era: Era,
    pub(crate) out: &'a mut Vec<u8>,
}

/// A file that is not text.
pub(crate) struct Blob<'a> {
    pub(crate) uri: String,
    pub(crate) mime_type: &'a str,
    pub(crate) bytes: &'a [u8],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<C, S> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    content: [C; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<S>,
    #[serde(skip_serializing_if = "Not::not")]
    is_error: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "text")]
struct Text<T: Display> {
    #[serde(serialize_with = "written")]
    text: T,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "resource")]
struct Embedded<'a> {
    resource: Resource<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource<'a> {
    uri: String,
    mime_type: &'a str,
    #[serde(serialize_with = "written")]
    blob: Base64Display<'a, 'static, base64::engine::GeneralPurpose>,
}

impl Reply<'_> {
    /// Answers with a text.
    pub(crate) fn text(self, text: impl Display) {
        self.write::<_, ()>(CallResult::new(Text { text }));
    }

    /// Answers with a text for people and a value for programs.
    pub(crate) fn structured(self, text: impl Display, value: impl Serialize) {
        let result = CallResult::new(Text { text });
        self.write(CallResult { structured_content: Some(value), ..result });
    }

    /// Answers with a file.
    pub(crate) fn blob(self, blob: Blob<'_>) {
        let Blob { uri, mime_type, bytes } = blob;
        let blob = Base64Display::new(bytes, &STANDARD);
        let result = CallResult::new(Embedded { resource: Resource { uri, mime_type, blob } });
        self.write::<_, ()>(result);
    }

    /// Says why there is no answer, in words that help to ask again.
    pub(crate) fn refusal(self, text: impl Display) {
        self.write::<_, ()>(CallResult { is_error: true, ..CallResult::new(Text { text }) });
    }

    fn write<C: Serialize, S: Serialize>(self, result: CallResult<C, S>) {
        let result_type = match self.era {
            Era::Legacy => None,
            Era::Modern => Some("complete"),
        };
        // A vector takes everything, and nothing above refuses to be written.
        let _ = serde_json::to_writer(self.out, &CallResult { result_type, ..result });
    }
}

impl<C, S> CallResult<C, S> {
    fn new(content: C) -> CallResult<C, S> {
        let (result_type, structured_content) = (None, None);
        CallResult { result_type, content: [content], structured_content, is_error: false }
    }
}

/// Writes a value as a string piece by piece, without putting it together first.
fn written<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

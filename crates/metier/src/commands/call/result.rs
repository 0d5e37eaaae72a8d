//! What a tool answered, for people.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    failure::Failure,
    ui::{Ui, counted, one_line},
};

/// The result of a call, as far as people look at it.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Answer {
    content: Option<Vec<Value>>,
    structured_content: Option<Value>,
    pub(super) is_error: bool,
}

/// One part of an answer.
enum Part<'a> {
    Text(&'a str),
    /// Something that is no text, described.
    Other(String),
}

impl Answer {
    /// Reads a result; one that is none of a tool's is shown whole.
    pub(super) fn read(result: &RawValue) -> Answer {
        let mut answer: Answer = serde_json::from_str(result.get()).unwrap_or_default();
        if answer.content.is_none() && answer.structured_content.is_none() {
            answer.structured_content = serde_json::from_str(result.get()).ok();
        }
        answer
    }

    pub(super) fn print(&self, ui: &mut Ui<'_>) -> Result<(), Failure> {
        let parts: Vec<Part<'_>> = self.content.iter().flatten().map(Part::of).collect();
        let dim = ui.style.dim;
        for part in &parts {
            match part {
                Part::Text(text) => {
                    ui.verbatim(text)?;
                    if !text.ends_with('\n') {
                        ui.line("")?;
                    }
                }
                Part::Other(description) => {
                    ui.line(format!("{dim}[{}]{dim:#}", one_line(description)))?;
                }
            }
        }
        match &self.structured_content {
            Some(structured) if !parts.iter().any(|it| matches!(it, Part::Text(_))) => {
                ui.json(structured)
            }
            _ => Ok(()),
        }
    }
}

impl<'a> Part<'a> {
    fn of(content: &'a Value) -> Part<'a> {
        let text = |key: &str| content[key].as_str();
        let about = |content: &Value, keys: &[&str]| {
            let words = keys.iter().filter_map(|key| content[*key].as_str());
            words.collect::<Vec<_>>().join(" ")
        };
        match text("type") {
            Some("text") => Part::Text(text("text").unwrap_or_default()),
            Some(kind @ ("image" | "audio")) => Part::Other(format!(
                "{kind} {}, {}",
                text("mimeType").unwrap_or("of unknown type"),
                size(decoded(text("data").unwrap_or_default()))
            )),
            Some("resource") => {
                let resource = &content["resource"];
                let n_bytes = match (resource["text"].as_str(), resource["blob"].as_str()) {
                    (Some(text), _) => text.len(),
                    (None, blob) => decoded(blob.unwrap_or_default()),
                };
                let about = about(resource, &["uri", "mimeType"]);
                Part::Other(format!("resource {about}, {}", size(n_bytes)))
            }
            Some("resource_link") => {
                Part::Other(format!("link {}", about(content, &["uri", "name", "mimeType"])))
            }
            kind => Part::Other(kind.unwrap_or("something unknown").to_owned()),
        }
    }
}

/// How many bytes base64 stands for.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

fn size(n_bytes: usize) -> String {
    match n_bytes {
        0..10_000 => counted(n_bytes, "byte"),
        10_000..10_000_000 => format!("{} kB", n_bytes / 1_000),
        _ => format!("{} MB", n_bytes / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Answer;
    use crate::ui::Ui;

    #[track_caller]
    fn check(result: &str, expected: &str) {
        let result = RawValue::from_string(result.to_owned()).unwrap();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut ui = Ui::plain(&mut out, &mut err);
        assert!(Answer::read(&result).print(&mut ui).is_ok());
        ui.flush().unwrap();
        drop(ui);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn texts_are_printed_as_they_are() {
        check(
            r#"{"content": [{"type": "text", "text": "one\n"}, {"type": "text", "text": "two"}], "structuredContent": {"a": 1}}"#,
            "one\ntwo\n",
        );
    }

    #[test]
    fn what_is_no_text_is_described() {
        check(
            r#"{"content": [
                {"type": "image", "mimeType": "image/png", "data": "AAAA"},
                {"type": "audio", "data": "AA=="},
                {"type": "resource", "resource": {"uri": "a://b", "mimeType": "text/plain", "text": "xyz"}},
                {"type": "resource_link", "uri": "a://c", "name": "c"},
                {"type": "hologram"}, {}
            ]}"#,
            "[image image/png, 3 bytes]\n[audio of unknown type, 1 byte]\n\
             [resource a://b text/plain, 3 bytes]\n[link a://c c]\n[hologram]\n[something unknown]\n",
        );
    }

    #[test]
    fn structured_content_is_printed_where_there_is_no_text() {
        check(
            r#"{"content": [], "structuredContent": {"a": [1]}}"#,
            "{\n  \"a\": [\n    1\n  ]\n}\n",
        );
    }

    #[test]
    fn a_result_that_is_none_is_shown_whole_and_an_empty_one_not_at_all() {
        check(r#"{"odd": true}"#, "{\n  \"odd\": true\n}\n");
        check(r#"{"content": []}"#, "");
    }
}

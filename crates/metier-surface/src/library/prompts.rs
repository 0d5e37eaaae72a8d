//! Prompts: one for each skill, with the task as its argument.

use std::error::Error as _;

use metier_wire::{Era, Error, Members, write};
use serde::Serialize;

use super::{Holding, Library};
use crate::{
    gateway::unknown,
    text::{Line, one_line},
    tools::Loaded,
};

/// How long a name may be; longer ones are refused by large model APIs.
const LONGEST: usize = 64;
/// The only argument.
pub(super) const TASK: &str = "task";

#[derive(Serialize)]
struct Prompt<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    description: &'a str,
    arguments: [Argument; 1],
}

#[derive(Serialize)]
struct Argument {
    name: &'static str,
    description: &'static str,
    required: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Got<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    description: &'a str,
    messages: [Message<'a>; 1],
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Content<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "text")]
struct Content<'a> {
    text: &'a str,
}

/// The name of a skill's prompt: its id in the characters that every client takes, with no two
/// underscores in a row, as the prompts of servers have them.
pub(super) fn name(id: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = String::with_capacity(id.len());
    for c in id.chars() {
        match c {
            safe if safe.is_ascii_alphanumeric() || safe == '-' => name.push(safe),
            _ if name.ends_with('_') || name.len() == LONGEST => {}
            _ => name.push('_'),
        }
    }
    name.truncate(LONGEST);
    if !name.is_empty() && !is_taken(&name) {
        return name;
    }
    let mut number = 2_usize;
    loop {
        let end = format!("-{number}");
        let numbered = format!("{}{end}", &name[..name.len().min(LONGEST - end.len())]);
        if !is_taken(&numbered) {
            return numbered;
        }
        number += 1;
    }
}

/// Appends what is said of a skill's prompt.
pub(crate) fn write_prompt(holding: &Holding, out: &mut Vec<u8>) {
    let description = one_line(holding.skill.description());
    let prompt = Prompt {
        name: &holding.prompt,
        title: Some(&*holding.id).filter(|it| **it != *holding.prompt),
        description: &description,
        arguments: [Argument {
            name: TASK,
            description: "What to do with the skill",
            required: false,
        }],
    };
    write::json(out, &prompt);
}

impl Library {
    /// Appends a skill as the `skill` tool loads it, and the task, as the result of `prompts/get`.
    pub(crate) fn get_prompt(
        &self,
        name: &str,
        task: Option<&str>,
        era: Era,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let holding = self.prompted(name).ok_or_else(|| unknown("prompt", name))?;
        let Holding { skill, id, .. } = holding;
        let file = skill.read().map_err(|cause| {
            let error = cause.source().unwrap_or(&cause);
            tracing::warn!(skill = &**id, error, "a skill cannot be read");
            Error::internal(format!("skill `{}` cannot be loaded: {cause}", Line(id, 200)))
        })?;
        let mut text = Loaded { id, skill, text: &file }.to_string();
        if let Some(task) = task.filter(|it| !it.trim().is_empty()) {
            text.push_str("\n\nTask: ");
            text.push_str(task);
        }
        let got = Got {
            result_type: (era == Era::Modern).then_some("complete"),
            description: skill.description(),
            messages: [Message { role: "user", content: Content { text: &text } }],
        };
        write::json(out, &got);
        Ok(())
    }
}

/// The task among the arguments of `prompts/get`.
pub(crate) fn task(params: &Members<'_>) -> Result<Option<String>, Error> {
    let wrong = || Error::invalid_params("`arguments` must be an object of texts");
    let Some(arguments) = params.get("arguments") else { return Ok(None) };
    let arguments = Members::of(arguments).ok_or_else(wrong)?;
    match arguments.get(TASK) {
        None => Ok(None),
        Some(_) => arguments.text(TASK).map(|it| Some(it.into_owned())).ok_or_else(wrong),
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[track_caller]
    fn check(id: &str, taken: &[&str], expected: &str) {
        assert_eq!(name(id, |it| taken.contains(&it)), expected);
    }

    #[test]
    fn a_prompt_goes_by_the_id_of_its_skill_in_safe_characters() {
        check("pdf", &[], "pdf");
        check("office:slides", &[], "office_slides");
        check("a: b__c", &[], "a_b_c");
        check("ü", &[], "_");
    }

    #[test]
    fn two_skills_never_share_a_prompt() {
        check("a_b", &["a_b"], "a_b-2");
        check("a_b", &["a_b", "a_b-2"], "a_b-3");
        let long = "x".repeat(80);
        check(&long, &[], &long[..64]);
        check(&long, &[&long[..64]], &format!("{}-2", &long[..62]));
    }
}

//! Completion: places of skills and paths of their files, for who fills in the template.

use metier_wire::{Era, Error, Members, write};
use serde::Serialize;

use super::{Found, Library, address, prompts::TASK};

/// The template of all files of skills of this machine.
pub(crate) const TEMPLATE: &str = "skill://~/{+skill}/{+path}";
/// How many values the protocol allows in an answer.
const MOST: usize = 100;

/// What a client wants to have completed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The place of a skill.
    Skill(String),
    /// The path of a file of the skill at a place.
    Path(String, String),
    /// Something of which nothing is known, as a task.
    Nothing,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Completed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    completion: Completion<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Completion<'a> {
    values: &'a [String],
    total: usize,
    has_more: bool,
}

impl Wish {
    /// Reads the parameters of `completion/complete`; none if it is nothing of ours.
    pub(crate) fn of(params: &Members<'_>, library: &Library) -> Result<Option<Wish>, Error> {
        let Some(reference) = params.get("ref").and_then(Members::of) else { return Ok(None) };
        let kind = reference.text("type").unwrap_or_default();
        let is_ours = match &*kind {
            "ref/prompt" => {
                reference.text("name").is_some_and(|it| library.prompted(&it).is_some())
            }
            "ref/resource" => reference.text("uri").is_some_and(|it| it == TEMPLATE),
            _ => false,
        };
        if !is_ours {
            return Ok(None);
        }
        let argument = params.get("argument").and_then(Members::of).unwrap_or_default();
        let (Some(name), Some(value)) = (argument.text("name"), argument.text("value")) else {
            return Err(Error::invalid_params("`argument` must have a `name` and a `value`"));
        };
        match (&*kind, &*name) {
            ("ref/prompt", TASK) => Ok(Some(Wish::Nothing)),
            ("ref/resource", "skill") => Ok(Some(Wish::Skill(value.into_owned()))),
            ("ref/resource", "path") => {
                let context = params.get("context").and_then(Members::of).unwrap_or_default();
                let given = context.get("arguments").and_then(Members::of).unwrap_or_default();
                let skill = given.text("skill").unwrap_or_default().into_owned();
                Ok(Some(Wish::Path(skill, value.into_owned())))
            }
            _ => Err(Error::invalid_params("`argument.name` names no argument of it")),
        }
    }
}

impl Library {
    /// Appends the result of `completion/complete`.
    pub(crate) fn complete(&self, wish: &Wish, era: Era, out: &mut Vec<u8>) {
        let mut values = match wish {
            Wish::Skill(value) => {
                matching(value, self.holdings.iter().map(|it| it.place.to_string()))
            }
            Wish::Path(skill, value) => matching(value, self.paths(skill).into_iter()),
            Wish::Nothing => Vec::new(),
        };
        let total = values.len();
        values.truncate(MOST);
        let completion = Completion { values: &values, total, has_more: total > MOST };
        let result_type = (era == Era::Modern).then_some("complete");
        write::json(out, &Completed { result_type, completion });
    }

    /// The paths of all files of the skill at a place, as they are written in a URI.
    fn paths(&self, place: &str) -> Vec<String> {
        let Some(Found::Within(holding, path)) = self.find(&address::uri(place)) else {
            return Vec::new();
        };
        let bundle = holding.skill.files().ok().filter(|_| path.is_empty()).unwrap_or_default();
        let parts = bundle.files.iter().filter_map(|it| {
            it.path.iter().map(|it| it.to_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        parts.map(|it| address::joined(&it)).collect()
    }
}

/// The values that begin with what was typed, then those that have it anywhere.
fn matching(typed: &str, values: impl Iterator<Item = String>) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut found: Vec<(Option<usize>, String)> = values
        .map(|it| (it.to_lowercase().find(&typed), it))
        .filter(|(at, _)| at.is_some())
        .collect();
    found.sort_by(|one, other| (one.0 != Some(0), &one.1).cmp(&(other.0 != Some(0), &other.1)));
    found.into_iter().map(|(_, value)| value).collect()
}

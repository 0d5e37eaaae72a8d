//! What is to be done about one skill: no disk, no server.

use std::path::PathBuf;

use super::{folder::There, record::Origin, refusal::Refusal};

/// What is to be done about a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It is not there yet.
    Add,
    /// It is there as it was pulled, or it may be lost, and the server has another by now.
    Replace,
    /// It is what the server has.
    Keep,
}

/// What may be done about something in the way that was not pulled as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InTheWay {
    Spared,
    Replaced,
}

/// A skill that a server lists, and where it should go.
pub(super) struct Arrival {
    pub(super) folder: PathBuf,
    /// What will be recorded of it.
    pub(super) origin: Origin,
}

/// What to do, given what is there and where that came from.
pub(super) fn step(
    arrival: &Arrival,
    there: &There,
    origin: Option<&Origin>,
    in_the_way: InTheWay,
) -> Result<Step, Refusal> {
    let folder = || arrival.folder.clone();
    let is_ours = origin.is_some_and(|it| it.is_of(&arrival.origin));
    let is_namesake =
        |it: &Origin| it.server == arrival.origin.server && !it.is_of_server(&arrival.origin);
    match (there, origin) {
        (There::Nothing, _) => Ok(Step::Add),
        (There::Files { marks, .. }, _) if *marks == arrival.origin.files => Ok(Step::Keep),
        _ if in_the_way == InTheWay::Replaced => Ok(Step::Replace),
        (_, None) => Err(Refusal::Foreign(folder())),
        (_, Some(origin)) if !is_ours && is_namesake(origin) => Err(Refusal::OtherServer {
            folder: folder(),
            server: origin.server.clone(),
            address: origin.address.clone(),
        }),
        (_, Some(origin)) if !is_ours => Err(Refusal::Other {
            folder: folder(),
            server: origin.server.clone(),
            uri: origin.uri.clone(),
        }),
        (There::Files { marks, .. }, Some(origin)) if *marks == origin.files => Ok(Step::Replace),
        _ => Err(Refusal::Edited(folder())),
    }
}

#[cfg(test)]
mod tests;

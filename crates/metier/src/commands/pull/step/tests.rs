//! What is done about a skill, by what is there and what was recorded.

use metier_skills::SKILL_FILE;

use super::{Arrival, InTheWay, Step, step};
use crate::commands::pull::{
    folder::There,
    record::{Mark, Marks, Origin},
};

fn marks(content: &str) -> Marks {
    let mark = Mark { size: 1, digest: content.to_owned() };
    Marks::from([(SKILL_FILE.to_owned(), mark)])
}

/// Of a server that is written as `name` or `name@address#endpoint`.
fn origin(server: &str, content: &str) -> Origin {
    let (server, place) = server.split_once('@').unwrap_or((server, "here#1"));
    let (address, endpoint) = place.split_once('#').unwrap_or((place, ""));
    Origin {
        server: server.to_owned(),
        address: address.to_owned(),
        endpoint: Some(endpoint.to_owned()).filter(|it| !it.is_empty()),
        uri: "skill://a/SKILL.md".to_owned(),
        pulled: String::new(),
        files: marks(content),
    }
}

/// Given what is there (`-`, `link` or a content) and what was pulled (`-` or `server content`), what
/// is done about content `new` of server `docs`.
#[track_caller]
fn check(there: &str, pulled: &str, expected: Result<Step, &str>, forced: Step) {
    let there = match there {
        "-" => There::Nothing,
        "link" => There::Other,
        content => There::Files { marks: marks(content), own_file: SKILL_FILE },
    };
    let origin = pulled.split_once(' ').map(|(server, content)| origin(server, content));
    let arrival = Arrival { folder: "a".into(), origin: self::origin("docs", "new") };
    let decide = |in_the_way| step(&arrival, &there, origin.as_ref(), in_the_way);
    let told = decide(InTheWay::Spared).map_err(|it| it.to_string());
    assert_eq!(told, expected.map_err(str::to_owned), "{there:?} {pulled}");
    assert_eq!(decide(InTheWay::Replaced).ok(), Some(forced), "{there:?} {pulled}");
}

#[test]
fn a_skill_is_replaced_only_if_it_is_as_it_was_pulled() {
    let edited = Err("`a` was changed since it was pulled");
    check("-", "-", Ok(Step::Add), Step::Add);
    check("-", "docs old", Ok(Step::Add), Step::Add);
    check("new", "-", Ok(Step::Keep), Step::Keep);
    check("new", "docs old", Ok(Step::Keep), Step::Keep);
    check("old", "docs old", Ok(Step::Replace), Step::Replace);
    check("mine", "docs old", edited, Step::Replace);
    check("link", "docs old", edited, Step::Replace);
}

#[test]
fn what_is_of_someone_else_is_spared() {
    let foreign = Err("`a` is there already, and was not pulled");
    let other = Err("`a` was pulled from elsewhere: `skill://a/SKILL.md` of server `other`");
    check("old", "-", foreign, Step::Replace);
    check("link", "-", foreign, Step::Replace);
    check("old", "other old", other, Step::Replace);
}

#[test]
fn another_server_of_the_same_name_is_someone_else() {
    let other =
        |address: &str| format!("`a` was pulled from another server of the name `docs`: {address}");
    check("old", "docs@there#1 old", Err(&other("there")), Step::Replace);
    check("old", "docs@here#2 old", Err(&other("here")), Step::Replace);
    check("old", "docs@here#1 old", Ok(Step::Replace), Step::Replace);
    check("old", "docs@here old", Ok(Step::Replace), Step::Replace);
}

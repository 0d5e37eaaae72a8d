//! Skills of this machine as the protocol's own, one sentence each.

mod changes;
mod entries;
mod held;
mod places;
mod prompts;
mod resources;
mod served;

use metier_wire::Era;
use serde_json::{Value, json};

use super::{
    gateway::fixture::{Client, Front, result},
    tools::fixture::Machine,
};
use crate::Presentation;

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A skill with files of all kinds.
const TREE: &str = "\
//- custom/pdf/SKILL.md
name: pdf | description: Reads PDF files
//- custom/pdf/docs/a b.md
Fill them.
//- custom/pdf/docs/deep/x.txt
x
";

/// A surface that shows what is on a machine, and nothing else.
fn front(machine: &Machine) -> Front {
    let front = Front::alone(Presentation::default());
    front.publisher.publish(machine.catalog());
    front
}

/// The result of a request of an earlier client.
async fn ask(client: &mut Client, method: &str, params: Value) -> Value {
    result(&client.ask(method, params).await)
}

/// What a request of an earlier client is refused with.
async fn refusal(client: &mut Client, method: &str, params: Value) -> (i64, String) {
    let answer = client.ask(method, params).await;
    let error = &answer["error"];
    let message = error["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (error["code"].as_i64().unwrap(), message.to_owned())
}

/// The values of a member of all items of a list.
fn all<'a>(items: &'a Value, member: &str) -> Vec<&'a str> {
    items.as_array().unwrap().iter().map(|it| it[member].as_str().unwrap()).collect()
}

fn uri(path: &str) -> Value {
    json!({ "uri": format!("skill://~/{path}") })
}

//! What is offered, under which names, and whether it has changed.

use serde_json::{Value, json};

use super::fixture::{Machine, TREE, definitions};
use metier_wire::Era;
use tokio_util::task::TaskTracker;

use crate::{
    Implementation, Meta, Offer, Presentation, Tool, ToolNames, client::Client, tool_list::ToolList,
};

fn list(offer: &Offer, era: Era) -> Value {
    let server = Implementation { name: "metier".into(), version: "1".into() };
    let list = ToolList { server, gateway: None, client: Client::new(None, &TaskTracker::new()) };
    let mut out = Vec::new();
    assert_eq!(list.write(offer, None, era, &mut out), Meta::Absent);
    serde_json::from_slice(&out).unwrap()
}

fn names(offer: &Offer) -> Vec<String> {
    let tools = definitions(offer);
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn tools_go_by_the_names_that_were_chosen() {
    let machine = Machine::new(TREE);
    let of = |names_: ToolNames| {
        names(&machine.offer_as(&Presentation { names: names_, ..Presentation::default() }))
    };
    assert_eq!(of(ToolNames::Wire), ["skill", "skills_list", "skills_search", "skills_read"]);
    assert_eq!(of(ToolNames::Canonical), ["skill", "skills.list", "skills.search", "skills.read"]);
}

#[test]
fn a_call_by_either_name_works() {
    let offered = Presentation::default();
    for tool in Tool::ALL {
        assert_eq!(offered.tool(tool.name(ToolNames::Wire)), Some(tool));
        assert_eq!(offered.tool(tool.name(ToolNames::Canonical)), Some(tool));
    }
    assert_eq!(offered.tool("Skill"), None);
    assert_eq!(offered.tool(""), None);
}

#[test]
fn a_tool_that_is_not_offered_is_unknown() {
    let presentation = Presentation { tools: vec![Tool::Skill], ..Presentation::default() };
    let offer = Machine::new(TREE).offer_as(&presentation);
    assert_eq!(names(&offer), ["skill"]);
    assert_eq!(presentation.tool("skill"), Some(Tool::Skill));
    assert_eq!(presentation.tool("skills_list"), None);
    assert_eq!(presentation.tool("skills.search"), None);
}

#[test]
fn the_modern_list_says_how_long_it_holds() {
    let offer = Machine::new(TREE).offer();
    let (legacy, modern) = (list(&offer, Era::Legacy), list(&offer, Era::Modern));
    assert_eq!(legacy.as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"]);
    let expected = json!({
        "resultType": "complete", "tools": legacy["tools"], "ttlMs": 5000, "cacheScope": "private",
    });
    assert_eq!(modern, expected);
}

#[test]
fn loading_is_harmless_and_says_so() {
    let skill = list(&Machine::new(TREE).offer(), Era::Legacy)["tools"][0].clone();
    assert_eq!(skill["title"], "Load Skill");
    let expected = json!({
        "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
        "openWorldHint": false,
    });
    assert_eq!(skill["annotations"], expected);
    let expected = json!({
        "type": "object",
        "properties": {"name": {
            "type": "string",
            "description": "Name of the skill to load (case-insensitive)",
            "minLength": 1,
        }},
        "required": ["name"],
        "additionalProperties": false,
    });
    assert_eq!(skill["inputSchema"], expected);
}

#[test]
fn an_offer_differs_only_if_a_client_would_see_it() {
    let machine = Machine::new(TREE);
    let presentation = Presentation::default();
    let first = machine.offer();
    machine.write("custom/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files\n---\nNew");
    let same = Offer::new(machine.catalog(), &presentation, Some(&first));
    assert!(!same.differs_from(&first));
    let ptr = |offer: &Offer| offer.definitions().as_ptr();
    assert_eq!(ptr(&same), ptr(&first), "the listing is shared");
    machine.write("custom/pdf/SKILL.md", "name: pdf | description: New\n");
    let other = Offer::new(machine.catalog(), &presentation, Some(&same));
    assert!(other.differs_from(&first));
    machine.write("custom/pdf/SKILL.md", "name: pdf | description: Reads PDF files\n");
    assert!(!Offer::new(machine.catalog(), &presentation, Some(&other)).differs_from(&first));
}

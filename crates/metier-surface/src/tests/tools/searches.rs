//! `skills_search`: skills that have the words, best first.

use metier_skills::Match;
use serde_json::{Value, json};

use super::fixture::{Machine, result, text};
use metier_wire::Era;

use crate::{Offer, Presentation, Tool};

const TREE: &str = "\
//- custom/pdf/SKILL.md
---
name: pdf
description: Reads forms
---
Fill a form with the tool.
//- custom/forms/SKILL.md
---
name: forms
description: Draws forms for pdf files
---
Nothing else.
//- custom/git/SKILL.md
---
name: git
description: Commits
---
hidden words: form pdf
";

fn search(machine: &Machine, offer: &Offer, arguments: &str) -> Value {
    machine.redact(&result(offer, Era::Legacy, Tool::Search, arguments))
}

#[test]
fn results_are_the_best_skills_with_score_and_excerpt() {
    let machine = Machine::new(TREE);
    let result = machine.call(Tool::Search, r#"{"query":"PDF form","limit":2}"#);
    let found = &result["structuredContent"];
    assert_eq!(found["query"], "PDF form");
    assert_eq!(found["limit"], 2);
    assert_eq!(found["total"], 3);
    assert_eq!(
        found["results"][0],
        json!({
            "id": "pdf",
            "installName": "pdf",
            "meta": {"name": "pdf", "description": "Reads forms"},
            "skillPath": "$ROOT/custom/pdf",
            "skillFile": "$ROOT/custom/pdf/SKILL.md",
            "provider": "custom",
            "location": "custom",
            "score": 2,
            "excerpt": "Fill a form with the tool.",
        })
    );
    assert_eq!(
        text(&result),
        "2 of 3 skills that match 'PDF form'\n- pdf: Reads forms\n  Fill a form with the tool.\n\
         - forms: Draws forms for pdf files"
    );
}

#[test]
fn a_search_without_results_says_what_to_try() {
    let result = Machine::new(TREE).call(Tool::Search, r#"{"query":"nowhere"}"#);
    assert_eq!(
        text(&result),
        "No skill matches 'nowhere'. Try fewer or other words, or `skills_list`."
    );
    let expected = json!({"query": "nowhere", "limit": 10, "total": 0, "results": []});
    assert_eq!(result["structuredContent"], expected);
}

#[test]
fn the_presentation_says_how_many_words_must_match() {
    let machine = Machine::new(TREE);
    let total = |mode| {
        let offer = machine.offer_as(&Presentation { mode, ..Presentation::default() });
        let result = search(&machine, &offer, r#"{"query":"hidden nowhere"}"#);
        result["structuredContent"]["total"].as_u64().unwrap()
    };
    assert_eq!([total(Match::All), total(Match::Any)], [0, 1]);
}

#[test]
fn an_index_changes_no_answer() {
    let machine = Machine::new(TREE);
    let offer = machine.offer();
    let ask = |query: &str| search(&machine, &offer, &json!({"query": query}).to_string());
    let queries = ["pdf", "form pdf", "hidden", "o", "nowhere"];
    let before = queries.map(ask);
    assert!(offer.wants_index());
    offer.build_index();
    offer.build_index();
    assert!(!offer.wants_index(), "once is enough");
    assert_eq!(queries.map(ask), before);
}

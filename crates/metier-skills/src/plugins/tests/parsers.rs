//! Small functions that need no files.

use crate::plugins::{
    PluginProblem,
    description::is_newer,
    id::{PluginId, is_name},
    problem::short,
};

#[test]
fn an_id_splits_at_its_last_at_sign() {
    let id = PluginId::parse("pdf@acme").unwrap();
    assert_eq!((id.name(), id.marketplace()), ("pdf", Some("acme")));
    let id = PluginId::parse("pdf").unwrap();
    assert_eq!((id.name(), id.marketplace()), ("pdf", None));
    assert_eq!(PluginId::parse("@scope/pdf@acme"), None);
}

#[test]
fn an_id_is_written_as_it_was_read() {
    for key in ["pdf", "pdf@acme", "Prüfung@büro"] {
        assert_eq!(PluginId::parse(key).unwrap().to_string(), key);
    }
}

#[test]
fn names_neither_split_ids_nor_walk_through_folders() {
    for name in ["pdf", "a.b", "...", "x_1", "日本"] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", ".", "..", "a b", "a:b", "a@b", "a/b", "a\\b", "a\0b", &"x".repeat(256)] {
        assert!(!is_name(name), "{name}");
    }
}

#[test]
fn only_dotted_numbers_can_be_newer() {
    let newer = [("1.10", "1.9"), ("v2.0.1", "2.0"), ("1.0.0.1", "1.0")];
    for (offered, installed) in newer {
        assert!(is_newer(offered, installed), "{offered} {installed}");
    }
    let not_newer = [
        ("1.0", "1.0.0"),
        ("1.0", "2.0"),
        ("2.0-beta", "1.0"),
        ("123456789012", "1.0"),
        ("99999999999999999999999.0", "1.0"),
        ("2.0", "unknown"),
        ("", ""),
    ];
    for (offered, installed) in not_newer {
        assert!(!is_newer(offered, installed), "{offered} {installed}");
    }
}

#[test]
fn foreign_text_is_cut_between_characters() {
    assert_eq!(short("short"), "short");
    assert_eq!(short(&"ä".repeat(100)), format!("{}…", "ä".repeat(80)));
}

#[test]
fn a_hint_names_what_to_do() {
    let problem = PluginProblem::NoInstallPath("pdf@acme".to_owned());
    assert_eq!(problem.hint(), "run `claude plugin update pdf@acme`, or install it again");
}

//! One case per rule: heads as people write them, and what is made of them.

use serde_json::Value;

use super::{Frontmatter, Repair, frontmatter};

mod agreement;
mod same;
mod splitting;
mod verbatim;

/// Reads a head and compares all that came of it: `name | description | field=value | repair`.
#[track_caller]
fn check(head: &str, expected: &str) {
    let text = format!("---\n{head}\n---\nBody\n");
    assert_eq!(frontmatter(&text).map_or_else(|error| error.to_string(), shown), expected);
}

/// Reads a description between two good fields, which must not suffer from it.
#[track_caller]
fn check_description(value: &str, expected: &str, quirk: &str) {
    let text = format!("---\nname: pdf\ndescription: {value}\nlicense: MIT\n---\nBody\n");
    let license = Value::String("MIT".to_owned());
    let found = frontmatter(&text).unwrap();
    let quirks: Vec<_> = found.repairs.iter().map(|it| format!("{:?}", it.what)).collect();
    assert_eq!((found.description.as_str(), quirks.join(" ").as_str()), (expected, quirk));
    assert_eq!(
        (found.name.as_str(), &found.fields[..]),
        ("pdf", &[("license".to_owned(), license)][..])
    );
}

#[track_caller]
fn check_name(value: &str, expected: &str) {
    let text = format!("---\nname: {value}\ndescription: Reads\n---\n");
    assert_eq!(frontmatter(&text).map_or_else(|error| error.to_string(), |it| it.name), expected);
}

#[track_caller]
fn check_field(value: &str, expected: &str) {
    let text = format!("---\nname: pdf\ndescription: Reads\nx: {value}\n---\n");
    assert_eq!(frontmatter(&text).unwrap().fields[0].1.to_string(), expected);
}

fn shown(found: Frontmatter) -> String {
    let fields = found.fields.into_iter().map(|(key, value)| format!("{key}={value}"));
    let repair = |Repair { line, field, what }| format!("{line} {field} {what:?}");
    let repairs = found.repairs.into_iter().map(repair);
    let all = [found.name, found.description].into_iter().chain(fields).chain(repairs);
    all.collect::<Vec<_>>().join(" | ")
}

#[test]
fn every_other_field_is_kept_in_the_order_of_the_file() {
    check(
        "z: 1\nname: pdf\ntags: [a, b]\ndescription: Reads\nm:\n  by: me\ntools:\n  - Read",
        r#"pdf | Reads | z=1 | tags=["a","b"] | m={"by":"me"} | tools=["Read"]"#,
    );
}

#[test]
fn a_name_is_one_line_single_spaced() {
    check_name("  pdf   tools ", "pdf tools");
    check_name("|\n  pdf\n  tools\n", "pdf tools");
    check_name(r#""a\tb""#, "a b");
}

#[test]
fn a_description_is_trimmed_and_otherwise_as_written() {
    check_description("|\n  one\n\n   two  spaces\n\n", "one\n\n two  spaces", "");
    check_description(">\n  one\n  two\n\n  three\n", "one two\nthree", "");
    check_description("\"  one\\n two \"", "one\n two", "");
    check_description("Reads <b>PDF</b> \u{2014} 用户", "Reads <b>PDF</b> \u{2014} 用户", "");
}

#[test]
fn numbers_and_booleans_as_name_or_description_keep_their_spelling() {
    for word in ["007", "1.10", "8004", "true", "True", "yes", "no", "on", "0x1F", "1e3", ".5"] {
        check_name(word, word);
        check_description(word, word, "");
    }
    check("x: &a 12\nname: *a\ndescription: Reads", "12 | Reads | x=12");
}

#[test]
fn other_fields_are_typed_by_the_core_schema() {
    for (value, expected) in [
        ("", "null"),
        ("~", "null"),
        ("NULL", "null"),
        ("True", "true"),
        ("FALSE", "false"),
        ("yes", "\"yes\""),
        ("on", "\"on\""),
        ("N", "\"N\""),
        ("12", "12"),
        ("+12", "12"),
        ("-7", "-7"),
        ("007", "7"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("0b11", "\"0b11\""),
        ("0x+1", "\"0x+1\""),
        ("1_000", "\"1_000\""),
        ("1.10", "1.1"),
        (".5", "0.5"),
        ("1.", "1.0"),
        ("1e3", "1000.0"),
        ("1.0.0", "\"1.0.0\""),
        (".inf", "\".inf\""),
        ("1e999", "\"1e999\""),
        ("123456789012345678901234567890", "\"123456789012345678901234567890\""),
        ("2026-01-02", "\"2026-01-02\""),
        ("\"12\"", "\"12\""),
        ("!!str 12", "\"12\""),
        ("!!int \"12\"", "12"),
        ("[1, on, ~, 'x']", "[1,\"on\",null,\"x\"]"),
        ("{\"a\":{\"b\":[true]}}", "{\"a\":{\"b\":[true]}}"),
        ("{1: a, null: b}", "{\"1\":\"a\",\"null\":\"b\"}"),
    ] {
        check_field(value, expected);
    }
}

#[test]
fn a_missing_or_empty_field_is_an_error_that_names_it() {
    check("description: Reads", "`name` is missing");
    check("name: pdf", "`description` is missing");
    check("", "`name` is missing");
    check("# only a comment", "`name` is missing");
    for empty in ["", "~", "null", "\"\"", "'  '", "# comment", "[]", "{}"] {
        let head = format!("name: pdf\ndescription: {empty}");
        check(&head, "line 3: `description` is empty");
    }
    check("name:\ndescription: Reads", "line 2: `name` is empty");
    check("description: Reads\nname: >\n", "line 3: `name` is empty");
}

#[test]
fn a_list_or_a_map_as_a_name_is_an_error_that_says_so() {
    check_name("[pdf]", "line 2: `name` is a list, not text");
    check_name("{pdf: 1}", "line 2: `name` is a map, not text");
    check_name("\n  - pdf", "line 2: `name` is a list, not text");
}

#[test]
fn a_head_that_is_no_mapping_is_an_error_that_says_what_it_is() {
    check("- a\n- b", "line 2: the frontmatter is a list, not fields like `name: …`");
    check("just words", "line 2: the frontmatter is text, not fields like `name: …`");
    check("{\"a\": ", "line 2: the frontmatter is not YAML: unclosed bracket '{'");
}

#[test]
fn an_error_hints_at_the_next_thing_to_do() {
    for (text, hint) in [
        ("", "begin the file with a line `---`, a `name: …`, a `description: …` and a line `---`"),
        ("---\nname: pdf\n", "put a line `---` after the last field"),
        ("---\n- a\n---\n", "write one field per line, as `name: text`"),
        ("---\na: b\n---\n", "add a line `name: …` between the two lines `---`"),
        ("---\nname:\n---\n", "write some text after `name:`"),
        ("---\nname: [a]\n---\n", "put the text after `name:` in quotes"),
    ] {
        assert_eq!(frontmatter(text).unwrap_err().hint(), hint);
    }
}

#[test]
fn a_byte_order_mark_and_other_line_ends_change_nothing() {
    let text =
        "\u{feff}\r\n---\r\nname: pdf\r\ndescription: a: b\r\nx: |\r\n  c\r\n---\r\nBody\r\n";
    let expected = r#"pdf | a: b | x="c\n" | 4 description Colon"#;
    assert_eq!(shown(frontmatter(text).unwrap()), expected);
}

#[test]
fn a_repair_says_where_and_what_to_do() {
    let text = "---\nname: pdf\ndescription: Use when: asked\n---\n";
    let repairs = frontmatter(text).unwrap().repairs;
    let expected = "line 3: `description` holds an unquoted `: `; put the value in quotes";
    assert_eq!(repairs[0].to_string(), expected);
}

#[test]
fn a_colon_inside_an_unquoted_value_is_text() {
    check_description("Use when: (1) migrating", "Use when: (1) migrating", "Colon");
    check_description("Covers a,\n  and: b", "Covers a, and: b", "Colon");
    check_description("Ends with a colon:", "Ends with a colon:", "Colon");
    check_description("http://a:b is fine", "http://a:b is fine", "");
}

#[test]
fn a_first_character_that_means_something_in_yaml_is_text() {
    check_description("**bold** text", "**bold** text", "Start('*')");
    check_description("*word here", "*word here", "Start('*')");
    check_description("& more", "& more", "Start('&')");
    check_description("@Observable macros", "@Observable macros", "Start('@')");
    check_description("`plaid-cli` wrapper", "`plaid-cli` wrapper", "Start('`')");
    check_description("%appdata% cleaner", "%appdata% cleaner", "Start('%')");
    check_description(", and more", ", and more", "Start(',')");
    check_description("- a dash", "- a dash", "Start('-')");
    check_description("[beta] Reads", "[beta] Reads", "Start('[')");
    check_description("[ --lang=a|b ] [ x ]", "[ --lang=a|b ] [ x ]", "Start('[')");
    check_description("{x} Reads", "{x} Reads", "Start('{')");
    check_description("{{placeholder}}", "{{placeholder}}", "Start('{')");
    check_description("> 5 files", "> 5 files", "Start('>')");
    check_description("| pipes |", "| pipes |", "Start('|')");
}

#[test]
fn a_word_that_yaml_swallows_is_told() {
    check_description("&word and more", "and more", "Dropped(\"&word\")");
    check_description("!important read this", "read this", "Dropped(\"!important\")");
    check_description("Fixes issue #12 at once", "Fixes issue", "Dropped(\"#12 at once\")");
    check_description("Reads # a comment\n#another", "Reads", "");
    check("x: &a Reads\nname: pdf\ndescription: *a", r#"pdf | Reads | x="Reads""#);
}

#[test]
fn a_description_that_is_a_list_or_a_map_to_yaml_is_the_text_it_is_written_with() {
    check_description("[beta]", "[beta]", "NotText(\"a list\")");
    check_description("\n  - Reads\n  - Writes", "- Reads - Writes", "NotText(\"a list\")");
    check_description(
        "\n  Use when: asked\n  Not: else",
        "Use when: asked Not: else",
        "NotText(\"a map\")",
    );
    check("{name: pdf, description: [a]}", "line 2: `description` is a list, not text");
}

#[test]
fn lines_that_go_on_in_the_first_column_belong_to_the_field_above() {
    check_description("Reads\nand writes", "Reads and writes", "Unindented");
    check_description("For these:\n- a\n- b", "For these: - a - b", "Colon");
    check_description(">\nReads\nall", "Reads all", "Unindented");
    check_description("|\n  Reads\nall", "Reads\nall", "Unindented");
    check_description("\"Reads\nall\"", "Reads all", "Unindented");
}

#[test]
fn a_comment_below_a_bad_value_is_no_part_of_it() {
    check_description("Use when: asked\n# then", "Use when: asked", "Colon");
}

#[test]
fn quotes_that_do_not_pair_up_are_text() {
    check_description(r#""Say "hi" to all""#, r#"Say "hi" to all"#, "Quotes");
    check_description(r#""Say \"hi\" or "ho" now""#, r#"Say "hi" or "ho" now"#, "Quotes");
    check_description("'It's fine'", "It's fine", "Quotes");
    check_description(r#""pdf" reader"#, r#""pdf" reader"#, "Quotes");
    check_description(r#""a", and "b""#, r#""a", and "b""#, "Quotes");
    check_description("\"never closed", "never closed", "Quotes");
    check_description(
        r#""\U+1F4E7 mail""#,
        r"\U+1F4E7 mail",
        r#"Broken("while parsing a quoted scalar, did not find expected hexadecimal number")"#,
    );
}

#[test]
fn tabs_that_indent_are_spaces() {
    check("name:\tpdf\ndescription: a\tb", "pdf | a\tb");
    check("\tname: pdf\n\tdescription: Reads", "pdf | Reads");
    check(
        "name: pdf\ndescription: Reads\nm:\n\tby: me\n\tat: 1",
        r#"pdf | Reads | m={"by":"me","at":1} | 4 m Tabs"#,
    );
}

#[test]
fn a_field_is_found_without_the_space_and_with_a_stray_indent() {
    check("name:pdf\ndescription:Reads", "pdf | Reads | 2 name Glued | 3 description Glued");
    check(" name: pdf\ndescription: Reads", "pdf | Reads");
    check("  name: pdf\n  description: a: b", "pdf | a: b | 3 description Colon");
}

#[test]
fn of_equal_keys_the_last_one_counts() {
    check("name: a\nname: b\ndescription: c", "b | c | 3 name Duplicate");
    check("name: a\ndescription: b\nx: 1\nx: 2", "a | b | x=2 | 5 x Duplicate");
    check("name: a\ndescription: b\nm:\n  x: 1\n  x: 2", r#"a | b | m={"x":2} | 6 x Duplicate"#);
    check(
        "name: a\ndescription: b: c\ndescription: d",
        "a | d | 3 description Colon | 4 description Duplicate",
    );
}

#[test]
fn a_required_key_may_be_capitalized_if_it_is_the_only_one() {
    check(
        "Name: pdf\nDESCRIPTION: a",
        "pdf | a | 2 Name KeyCase(\"name\") | 3 DESCRIPTION KeyCase(\"description\")",
    );
    check("Name: 007\nname: pdf\ndescription: a", r#"pdf | a | Name="007""#);
}

#[test]
fn conflict_markers_are_left_out_and_told() {
    check(
        "name: pdf\n<<<<<<< HEAD\ndescription: ours\n=======\ndescription: theirs\n>>>>>>> main",
        "pdf | theirs | 3 <<<<<<< HEAD Conflict | 5 ======= Conflict | 6 description Duplicate | 7 >>>>>>> main Conflict",
    );
}

#[test]
fn control_characters_are_left_out_and_told() {
    check(
        "name: p\0df\ndescription: a\u{1b}b",
        "pdf | ab | 2 name Control | 3 description Control",
    );
}

#[test]
fn a_line_above_the_first_field_is_left_out_and_told() {
    check("Skill\nname: pdf\ndescription: a", "pdf | a | 2 Skill Stray");
}

#[test]
fn a_bad_field_in_a_map_harms_no_other() {
    check(
        "name: pdf\ndescription: Reads\nm:\n  by: me\n  note: a: b\n  n: 1\ny: 2",
        r#"pdf | Reads | m={"by":"me","note":"a: b","n":1} | y=2 | 6 note Colon"#,
    );
    check(
        "name: a\ndescription: b\nm: {\"x\": {\"y\": 1}\nz: 1",
        r#"a | b | m="{\"x\": {\"y\": 1}" | z=1 | 4 m Start('{')"#,
    );
}

#[test]
fn aliases_and_depth_are_bounded() {
    let level = |n: usize| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(","));
    let bomb = (1..12).map(level).collect::<String>();
    for head in [
        format!("a0: &a0 [x]\n{bomb}"),
        format!("x: &a {}\n{}", "y".repeat(20_000), "z: *a\n".repeat(2_000)),
        format!("x: {}", "[".repeat(60_000)),
        format!("x:\n  {}", "- ".repeat(30_000)),
        (0..300).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect(),
        "x: &a [*a]".to_owned(),
    ] {
        let text = format!("---\nname: pdf\ndescription: Reads\n{head}\n---\n");
        let found = frontmatter(&text).unwrap();
        assert_eq!((found.name.as_str(), found.description.as_str()), ("pdf", "Reads"));
        let size = found.fields.iter().map(|(_, value)| value.to_string().len()).sum::<usize>();
        assert!(!found.repairs.is_empty() && size < 1_000_000, "{size}");
    }
}

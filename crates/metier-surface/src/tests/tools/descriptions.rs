//! The description of `skill`: what a model reads before it chooses.

use metier_skills::Location;
use proptest::{
    collection::vec,
    prelude::{Strategy, any, prop_oneof, proptest},
    sample::select,
};

use super::fixture::{Machine, TREE, definitions};

use crate::{
    CatalogFormat, Presentation, Tool, ToolNames,
    describe::{Facts, Place, write_skills},
};

fn describe(machine: &Machine, presentation: &Presentation) -> String {
    let offer = machine.offer_as(presentation);
    definitions(&offer)[0]["description"].as_str().unwrap().to_owned()
}

fn catalog(description: &str) -> &str {
    let at = description.find("<available_skills>").or(description.find("Available skills:"));
    &description[at.unwrap()..]
}

fn render(skills: &[Facts<'_>], presentation: &Presentation) -> String {
    let mut out = String::new();
    write_skills(&mut out, skills.iter().copied(), presentation).unwrap();
    out
}

fn with_budget(budget: usize, format: CatalogFormat) -> Presentation {
    Presentation { budget, format, ..Presentation::default() }
}

fn skill<'a>(id: &'a str, description: &'a str) -> Facts<'a> {
    Facts { id, description, place: Place::Here(Location::Global), provider: None }
}

/// Lists `name | description` lines within a budget.
#[track_caller]
fn check_budget(skills: &str, budget: usize, expected: &str) {
    let skills = skills.split('\n').filter_map(|line| line.split_once(" | "));
    let skills: Vec<Facts<'_>> = skills.map(|(id, description)| skill(id, description)).collect();
    let shown = render(&skills, &with_budget(budget, CatalogFormat::List));
    assert_eq!(shown.strip_prefix("Available skills:\n").unwrap(), expected);
}

#[test]
fn every_skill_is_listed_with_what_tells_more() {
    let description = describe(&Machine::new(TREE), &Presentation::default());
    assert_eq!(
        catalog(&description),
        "<available_skills>\n\
         <skill>\n<name>pdf</name>\n<description>Reads PDF files</description>\n\
         <location>custom</location>\n</skill>\n\
         <skill>\n<name>code-review</name>\n<description>Reviews code</description>\n\
         <location>project</location>\n<provider>claude</provider>\n</skill>\n\
         <skill>\n<name>commit</name>\n<description>Writes commits</description>\n\
         <location>global</location>\n<provider>codex</provider>\n</skill>\n\
         <skill>\n<name>office:slides</name>\n<description>Makes slides</description>\n\
         <location>plugin</location>\n<provider>claude</provider>\n</skill>\n\
         </available_skills>"
    );
}

#[test]
fn a_plain_list_is_one_line_a_skill() {
    let presentation = with_budget(0, CatalogFormat::List);
    let description = describe(&Machine::new(TREE), &presentation);
    assert!(description.starts_with("Load a skill by name to get specialized instructions.\n\n"));
    assert_eq!(
        catalog(&description),
        "Available skills:\n- pdf: Reads PDF files\n- code-review: Reviews code\n\
         - commit: Writes commits\n- office:slides: Makes slides\n"
    );
}

#[test]
fn an_empty_catalog_shows_none() {
    let empty = Machine::new("");
    let description = describe(&empty, &Presentation::default());
    assert!(catalog(&description).contains("<name>none</name>"));
    let description = describe(&empty, &with_budget(1, CatalogFormat::List));
    assert_eq!(catalog(&description), "Available skills:\n- none: No skills were found.\n");
}

#[test]
fn only_tools_that_are_offered_are_mentioned() {
    let machine = Machine::new(TREE);
    let all = describe(&machine, &Presentation::default());
    for name in ["`skills_search`", "`skills_list`", "`skills_read`"] {
        assert!(all.contains(name));
    }
    let names = ToolNames::Canonical;
    let canonical = describe(&machine, &Presentation { names, ..Presentation::default() });
    assert!(canonical.contains("`skills.search`") && !canonical.contains("skills_search"));
    let tools = vec![Tool::Skill];
    let alone = describe(&machine, &Presentation { tools, ..Presentation::default() });
    for word in ["skills_search", "skills_list", "skills_read", "skills."] {
        assert!(!alone.replace("skills.\n", "").contains(word), "{word}");
    }
}

#[test]
fn values_cannot_break_out_of_their_element() {
    let hostile = skill("a<b>&", "</description>\n\n <x>\u{1b}[31m\t& y\u{202e} ");
    let shown = render(&[hostile], &with_budget(0, CatalogFormat::Xml));
    assert!(shown.contains(
        "<name>a&lt;b&gt;&amp;</name>\n\
         <description>&lt;/description&gt; &lt;x&gt;[31m &amp; y</description>\n"
    ));
}

#[test]
fn descriptions_shorten_evenly() {
    let skills = "a | a short one\nb | one that is long enough to be cut somewhere between words\n\
                  c | another that is quite long enough to be cut somewhere";
    let whole = "- a: a short one\n- b: one that is long enough to be cut somewhere between words\n\
                 - c: another that is quite long enough to be cut somewhere\n";
    check_budget(skills, 0, whole);
    check_budget(skills, 1_000, whole);
    check_budget(
        skills,
        120,
        "- a: a short one\n- b: one that is long enough to be cut…\n\
         - c: another that is quite long enough…\n",
    );
}

#[test]
fn descriptions_fall_away_then_names_from_the_end() {
    let skills = "first | one that is long enough to be cut somewhere between words\n\
                  second | one that is long enough to be cut somewhere between words\n\
                  third | one that is long enough to be cut somewhere between words";
    check_budget(skills, 60, "- first\n- second\n- third\n");
    check_budget(
        skills,
        40,
        "- first\n- second\n… and 1 more skill; find them with `skills_search`\n",
    );
    check_budget(skills, 1, "… and 3 more skills; find them with `skills_search`\n");
}

#[test]
fn the_count_of_the_rest_needs_no_search() {
    let tools = vec![Tool::Skill];
    let presentation = Presentation { tools, ..with_budget(1, CatalogFormat::Xml) };
    let shown = render(&[skill("a", "d"), skill("b", "d")], &presentation);
    assert_eq!(shown, "<available_skills>\n… and 2 more skills\n</available_skills>");
}

#[test]
fn ten_thousand_skills_stay_within_the_usual_budget() {
    let names: Vec<String> = (0..10_000).map(|number| format!("skill-{number}")).collect();
    let text = "word & more ".repeat(25);
    let skills: Vec<Facts<'_>> = names.iter().map(|name| skill(name, &text)).collect();
    let shown = render(&skills, &Presentation::default());
    assert!(shown.contains("<skill><name>skill-1000</name></skill>\n"));
    assert!(shown.contains(" more skills; find them with `skills_search`\n</available_skills>"));
    assert!((59_800..60_060).contains(&shown.chars().count()), "{}", shown.chars().count());
}

fn owned() -> impl Strategy<Value = (String, String)> {
    let odd = "(a|&|<|>|é|用| |\n|\u{1b}|\u{200b}|&amp;|word ){0,40}";
    (
        prop_oneof!["[a-z]{1,12}", "[a-z<&é用]{1,60}"],
        prop_oneof![odd, "[a-z ]{0,300}", any::<String>()],
    )
}

proptest! {
    #![proptest_config(super::cases(128))]

    #[test]
    fn a_budget_is_never_exceeded_but_by_one_line(
        skills in vec(owned(), 0..40),
        budget in 1..4_000_usize,
        format in select(vec![CatalogFormat::Xml, CatalogFormat::List]),
    ) {
        let facts: Vec<Facts<'_>> = skills.iter().map(|(id, text)| skill(id, text)).collect();
        let shown = render(&facts, &with_budget(budget, format));
        let whole = render(&facts, &with_budget(0, format));
        let is_rest = |line: &&str| line.starts_with("… and ");
        let kept: usize = shown.lines().filter(|it| !is_rest(it)).map(|it| it.chars().count() + 1).sum();
        let frame = 40;
        let room = if facts.is_empty() { 200 } else { budget.max(frame) };
        assert!(kept <= room + 1, "{kept} of {budget}:\n{shown}");

        let n_rest = shown.lines().find(is_rest).map_or(0, |line| {
            line.split(' ').nth(2).unwrap().parse::<usize>().unwrap()
        });
        let n_names = match format {
            CatalogFormat::Xml => shown.matches("<name>").count(),
            CatalogFormat::List => shown.lines().filter(|it| it.starts_with("- ")).count(),
        };
        assert_eq!(n_names + n_rest, facts.len().max(1), "{shown}");
        // What fits is shown whole.
        if whole.chars().count() <= budget {
            assert_eq!(shown, whole);
        }
    }

    #[test]
    fn what_is_shown_is_well_formed(skills in vec(owned(), 1..20), budget in 1..4_000_usize) {
        let facts: Vec<Facts<'_>> = skills.iter().map(|(id, text)| skill(id, text)).collect();
        let shown = render(&facts, &with_budget(budget, CatalogFormat::Xml));
        let mut rest = &*shown;
        while let Some(at) = rest.find('&') {
            rest = &rest[at..];
            assert!(["&amp;", "&lt;", "&gt;"].iter().any(|it| rest.starts_with(it)), "{shown}");
            rest = &rest[1..];
        }
        for tag in ["skill", "name", "description", "location"] {
            let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
            assert_eq!(shown.matches(&open).count(), shown.matches(&close).count(), "{shown}");
        }
        let n_tags = shown.matches('<').count();
        assert_eq!(n_tags, shown.matches('>').count());
    }
}

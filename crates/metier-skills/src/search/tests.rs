use std::fmt::Write;

use proptest::prelude::*;

use super::{
    Entry, Match, Pass, Query, excerpt,
    index::{Builder, Index},
    rank::Hit,
};

const SHELF: &str = "
    pdf           | Reads and fills PDF forms      | Use pypdf. See FORMS.md and `fill_form.py`.
    pdf-merge     | Joins files                    | Takes many pdfs and gives one.
    docx          | Writes Word documents          | Convert to PDF with soffice.
    cpp-review    | Reviews C++ and C code         | Look at foo-bar(), then at the tests.
    日本語        | 文章を校正します               | 全角　スペースと「引用」を確認する。
    street-names  | Straßen in ΑΘΗΝΑ und İstanbul  | Η οδός Ερμού; GROẞE Straße.
";

#[test]
fn every_word_must_occur() {
    check("all: pdf soffice", "docx 2");
    check("all: pdf forms.md", "pdf 2");
    check("all: pdf nowhere", "");
}

#[test]
fn a_word_may_be_part_of_another() {
    check("all: yp", "pdf 1");
    check("all: ocument", "docx 1");
}

#[test]
fn words_may_carry_punctuation() {
    check("all: c++", "cpp-review 1");
    check("all: .md", "pdf 1");
    check("all: foo-bar", "cpp-review 1");
    check("all: foo-baz", "");
}

#[test]
fn case_does_not_matter() {
    check("all: PYPDF fOrMs", "pdf 2");
    check("all: STRAẞE", "street-names 1");
    check("all: αθήνα", "");
    check("all: αθηνα", "street-names 1");
    check("all: İSTANBUL", "street-names 1");
}

#[test]
fn both_small_sigmas_are_one_letter() {
    check("all: ΟΔΌΣ", "street-names 1");
    check("all: οδόσ", "street-names 1");
}

#[test]
fn scripts_without_spaces_are_searched_too() {
    check("all: 校正", "日本語 1");
    check("all: 引用 スペース", "日本語 2");
}

#[test]
fn all_white_space_parts_words() {
    check("all: pypdf\u{a0}forms\u{3000}\u{b}fill", "pdf 3");
    check("all: 全角スペース", "");
}

#[test]
fn a_repeated_word_counts_once() {
    check("all: soffice SOFFICE soffice", "docx 1");
}

#[test]
fn an_exact_name_comes_first_then_names_that_begin_with_it() {
    check("all: pdf", "pdf 1, pdf-merge 1, docx 1");
    check("all: PDF Merge", "pdf-merge 2");
    check("any: pdf merge", "pdf-merge 2, pdf 1, docx 1");
}

#[test]
fn a_name_counts_more_than_a_description_and_that_more_than_a_body() {
    let shelf = "a | x | word word word\n b | word | x\n c-word | x | x";
    check_shelf(shelf, "all: word", "c-word 1, b 1, a 1");
}

#[test]
fn a_whole_word_counts_more_than_a_beginning_and_that_more_than_an_inside() {
    let shelf = "a | x | latest\n b | x | tests\n c | x | (test)";
    check_shelf(shelf, "all: test", "c 1, b 1, a 1");
    check_shelf("a | x | testing-tool\n b | x | testing-test", "all: test", "b 1, a 1");
}

#[test]
fn two_words_in_one_chunk_count_once_each() {
    check_shelf("a | x | foo-bar\n b | x | foo bar foo bar", "all: foo bar", "b 2, a 2");
}

#[test]
fn a_short_text_counts_more_than_a_long_one_with_as_many_matches() {
    check_shelf("a | x | word and more of this\n b | x | word", "all: word", "b 1, a 1");
}

#[test]
fn a_rare_word_counts_more_than_a_common_one() {
    let shelf = "a | x | common\n b | x | common\n c | x | common\n d | x | unusual";
    check_shelf(shelf, "any: common unusual", "d 1, a 1, b 1, c 1");
}

#[test]
fn equal_hits_are_in_order_of_name_then_of_appearance() {
    check_shelf("b | same | x\n B | same | x\n a | same | x", "all: same", "a 1, b 1, B 1");
}

#[test]
fn any_word_is_enough_but_more_are_better() {
    check("any: soffice pypdf fill nowhere", "pdf 2, docx 1");
    check("any: nowhere", "");
}

#[test]
fn fuzzy_words_may_have_a_typo_from_four_letters() {
    check("fuzzy: fils", "pdf-merge 1, pdf 1");
    check("fuzzy: flies", "pdf-merge 1");
    check("fuzzy: pfd", "");
}

#[test]
fn fuzzy_words_may_have_two_typos_from_eight_letters() {
    check("fuzzy: docmuentz", "docx 1");
    check("fuzzy: reveiwz", "");
    check("any: documentz", "");
}

#[test]
fn a_typo_in_a_name_with_hyphens_is_forgiven() {
    check("fuzzy: cpp-reveiw", "cpp-review 1");
}

#[test]
fn an_exact_word_beats_a_similar_one() {
    check_shelf("tent | tent | x\n b | x | more of test", "fuzzy: test", "b 1, tent 1");
}

#[test]
fn a_query_without_words_is_none() {
    assert_eq!(Query::new(" \n\u{3000}\t", Match::All), None);
}

#[test]
fn an_empty_index_finds_nothing() {
    check_shelf("", "fuzzy: anything", "");
}

#[test]
fn very_long_chunks_are_searched() {
    let long = format!("{}NEEDLE{}", "QUJD".repeat(100_000), "長い文章".repeat(10_000));
    let entry = Entry { name: "long", description: "", body: &long };
    let query = query("all: needle 文章長");
    assert_eq!(index([entry]).search(&query), [Hit { entry: 0, score: 2 }]);
    let excerpt = excerpt(&query, "", &long);
    assert!(excerpt.contains("NEEDLE") && excerpt.chars().count() <= 162, "{excerpt}");
}

#[test]
fn an_excerpt_shows_the_first_match_in_the_body() {
    check_excerpt("all: two", "two", "one\n\n  TWO\tthree two", "one TWO three two");
}

#[test]
fn an_excerpt_falls_back_to_the_description() {
    check_excerpt("all: two", " one  two ", "none", "one two");
    check_excerpt("all: name", "  one\ntwo ", "none", "one two");
}

#[test]
fn an_excerpt_is_cut_between_words_where_it_can_be() {
    let before = "alpha beta gamma ".repeat(20);
    let after = " delta epsilon".repeat(20);
    check_excerpt(
        "all: needle",
        "",
        &format!("{before}needle{after}"),
        "…gamma alpha beta gamma alpha beta gamma alpha beta gamma alpha beta gamma needle \
         delta epsilon delta epsilon delta epsilon delta epsilon delta epsilon delta…",
    );
}

#[test]
fn an_excerpt_near_an_end_uses_the_room_of_the_other_side() {
    let words = "word ".repeat(100);
    let long = excerpt(&query("all: last"), "", &format!("{words}last"));
    assert_eq!(long, format!("…{}last", "word ".repeat(31)));
    let long = excerpt(&query("all: first"), "", &format!("first {words}"));
    assert_eq!(long, format!("first{}…", " word".repeat(30)));
}

#[test]
fn an_excerpt_keeps_the_original_letters() {
    check_excerpt("all: straße", "", "İİİ Die STRAẞE", "İİİ Die STRAẞE");
    check_excerpt("all: i", "", "ßß İ ß", "ßß İ ß");
}

#[test]
fn an_excerpt_shows_a_word_with_a_typo() {
    let filler = "word ".repeat(100);
    let text = excerpt(&query("fuzzy: kubernets"), "", &format!("{filler}Kubernetes"));
    assert!(text.ends_with("word Kubernetes"), "{text}");
}

/// Few letters, so that words meet, and odd ones: they fold, combine, or part words.
fn text() -> impl Strategy<Value = String> {
    let common: Vec<char> = "aAbΣσς用- ".chars().collect();
    let odd = "iIİıßẞée\u{301}ǅ。✅👩\u{200d}💻+.(`\n\t\u{b}\u{85}\u{a0}\u{3000}";
    let odd: Vec<char> = odd.chars().collect();
    let letter = prop_oneof![
        8 => prop::sample::select(common),
        3 => prop::sample::select(odd),
        1 => any::<char>(),
    ];
    prop::collection::vec(letter, 0..30).prop_map(String::from_iter)
}

fn shelf() -> impl Strategy<Value = Vec<[String; 3]>> {
    prop::collection::vec([text(), text(), text()], 0..5)
}

fn asked() -> impl Strategy<Value = String> {
    prop::collection::vec(text().prop_map(|text| text.chars().take(3).collect()), 1..4)
        .prop_map(|words: Vec<String>| words.join(" "))
}

proptest! {
    #![proptest_config(crate::tests::cases(128))]

    #[test]
    fn all_finds_exactly_what_a_plain_scan_finds(shelf in shelf(), asked in asked()) {
        let Some(query) = Query::new(&asked, Match::All) else { return Ok(()) };
        let mut found: Vec<usize> = search(&shelf, &query).iter().map(|it| it.entry).collect();
        found.sort_unstable();
        let has_all = |fields: &[String; 3]| plain_words(&asked).iter().all(|it| plain_has(fields, it));
        let expected: Vec<usize> = (0..shelf.len()).filter(|at| has_all(&shelf[*at])).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_score_is_the_number_of_words_found(shelf in shelf(), asked in asked()) {
        let Some(query) = Query::new(&asked, Match::Any) else { return Ok(()) };
        let mut words = plain_words(&asked);
        words.sort();
        words.dedup();
        for hit in search(&shelf, &query) {
            let fields = &shelf[hit.entry];
            prop_assert_eq!(hit.score, words.iter().filter(|it| plain_has(fields, it)).count());
        }
    }

    #[test]
    fn the_order_is_the_same_every_time(shelf in shelf(), asked in asked()) {
        let Some(query) = Query::new(&asked, Match::Fuzzy) else { return Ok(()) };
        prop_assert_eq!(search(&shelf, &query), search(&shelf, &query));
    }

    #[test]
    fn a_pass_finds_what_an_index_finds(shelf in shelf(), asked in asked(), mode in mode()) {
        let Some(query) = Query::new(&asked, mode) else { return Ok(()) };
        prop_assert_eq!(pass(&shelf, &query), search(&shelf, &query));
    }

    #[test]
    fn fuzzy_finds_all_that_any_finds(shelf in shelf(), asked in asked()) {
        let Some(any) = Query::new(&asked, Match::Any) else { return Ok(()) };
        let Some(fuzzy) = Query::new(&asked, Match::Fuzzy) else { return Ok(()) };
        let fuzzy = search(&shelf, &fuzzy);
        for hit in search(&shelf, &any) {
            prop_assert!(fuzzy.iter().any(|it| it.entry == hit.entry && it.score >= hit.score));
        }
    }

    #[test]
    fn an_excerpt_has_a_word_that_is_there(
        asked in asked(), mode in mode(), description in text(), body in text(), times in 0..9_usize,
    ) {
        let Some(query) = Query::new(&asked, mode) else { return Ok(()) };
        let body = body.repeat(times);
        let shown = excerpt(&query, &description, &body);
        let words = plain_words(&asked);
        let found_in = |text: &str| words.iter().any(|it| plain(text).contains(it));
        prop_assert!(!(found_in(&body) || found_in(&description)) || found_in(&shown), "{}", shown);
        prop_assert!(shown.chars().count() <= 162);
        prop_assert!(!shown.contains("  ") && !shown.contains('\n'));
    }
}

fn mode() -> impl Strategy<Value = Match> {
    prop::sample::select(vec![Match::All, Match::Any, Match::Fuzzy])
}

/// Lower case by another road than the one under test.
fn plain(text: &str) -> String {
    text.to_lowercase().replace('ς', "σ")
}

fn plain_words(asked: &str) -> Vec<String> {
    plain(asked).split_whitespace().map(str::to_owned).collect()
}

fn plain_has(fields: &[String; 3], word: &str) -> bool {
    fields.iter().any(|field| plain(field).contains(word))
}

fn entries(shelf: &[[String; 3]]) -> impl Iterator<Item = Entry<'_>> {
    shelf.iter().map(|[name, description, body]| Entry { name, description, body })
}

fn search(shelf: &[[String; 3]], query: &Query) -> Vec<Hit> {
    index(entries(shelf)).search(query)
}

fn pass(shelf: &[[String; 3]], query: &Query) -> Vec<Hit> {
    let mut pass = Pass::new(query);
    entries(shelf).for_each(|entry| pass.add(entry));
    pass.finish()
}

fn index<'a>(entries: impl IntoIterator<Item = Entry<'a>>) -> Index {
    let mut builder = Builder::default();
    entries.into_iter().for_each(|entry| builder.add(entry));
    builder.finish()
}

/// Reads `mode: words`.
fn query(asked: &str) -> Query {
    let (mode, text) = asked.split_once(": ").unwrap();
    let mode = match mode {
        "all" => Match::All,
        "any" => Match::Any,
        "fuzzy" => Match::Fuzzy,
        other => panic!("no mode `{other}`"),
    };
    Query::new(text, mode).unwrap()
}

fn check(asked: &str, expected: &str) {
    check_shelf(SHELF, asked, expected);
}

/// Searches lines of `name | description | body`; expects `name score, …`.
fn check_shelf(shelf: &str, asked: &str, expected: &str) {
    let lines = shelf.lines().filter(|line| !line.trim().is_empty());
    let shelf: Vec<[String; 3]> = lines
        .map(|line| {
            let fields: Vec<String> = line.split('|').map(|it| it.trim().to_owned()).collect();
            fields.try_into().unwrap()
        })
        .collect();
    let query = query(asked);
    let hits = search(&shelf, &query);
    assert_eq!(pass(&shelf, &query), hits, "one pass for `{asked}`");
    let mut found = String::new();
    for hit in hits {
        let comma = if found.is_empty() { "" } else { ", " };
        write!(found, "{comma}{} {}", shelf[hit.entry][0], hit.score).unwrap();
    }
    assert_eq!(found, expected, "for `{asked}`");
}

fn check_excerpt(asked: &str, description: &str, body: &str, expected: &str) {
    assert_eq!(excerpt(&query(asked), description, body), expected);
}

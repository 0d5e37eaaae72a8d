//! The quick reader says what the strict one says, and nothing ever panics.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::select;

use super::super::{frontmatter, plain, scalar::typing, yaml};

/// Fields of every shape the quick reader knows.
const SHAPES: &[&str] = &[
    "name: pdf\n",
    "description: Reads (all)\n",
    "license: Complete terms in LICENSE.txt\n",
    "version: 1.10\n",
    "quoted: \"a b\"\n",
    "longer: \"a, b: c #d - 'e'\"\n",
    "single: 'it is \"so\"'\n",
    "flow: [a, 'b', \"c\", 1]\n",
    "list:\n  - a\n  - 2\n",
    "column:\n- a\n- b\n",
    "map:\n  a: b\n  c: true\n",
    "folded: >-\n  one\n  two\n\n  three\n",
    "literal: |\n  one\n   two\n\n",
    "below:\n  one two\n  three\n",
    "on: one\n  two\n",
    "empty:\n",
    "# comment\n",
    "\n",
];

/// What turns one shape into another, or into none; `¦` stands between two.
const SCRAPS: &str = "\n¦\n ¦\n  ¦\n   ¦\n\n¦\n- ¦\n  - ¦ \n¦ ¦  ¦:¦: ¦ :¦#¦ #¦\"¦'¦\\¦\\n¦|¦>¦-¦- ¦? ¦\
    &a ¦*a¦!t ¦!¦[¦]¦{¦}¦,¦, ¦%¦@¦`¦~¦=¦<<: ¦+¦null¦true¦0x1F¦007¦.inf¦1e5¦---¦...¦\n---\n¦\
    \n...\n¦\t¦\r\n¦\r¦é¦用¦\u{85}¦\u{9b}¦\u{a0}¦\u{2028}¦\u{feff}¦\0¦\u{7f}¦name: ¦description: ¦\
    \na: b\n¦x";

/// A head that began as shapes and had scraps put in at places given in thousandths.
fn heads() -> impl Strategy<Value = String> {
    let shapes = vec(select(SHAPES), 0..6).prop_map(|shapes| shapes.concat());
    let scraps = vec((0..1000_usize, select(SCRAPS.split('¦').collect::<Vec<_>>())), 0..5);
    (shapes, scraps).prop_map(|(mut head, scraps)| {
        for (place, scrap) in scraps {
            let ends: Vec<usize> =
                head.char_indices().map(|(at, _)| at).chain([head.len()]).collect();
            head.insert_str(ends[place * ends.len() / 1000], scrap);
        }
        head
    })
}

#[track_caller]
fn answers(head: &str) {
    let quick = plain::read(head, 2, typing).expect("a shape the quick reader knows");
    assert_eq!(quick, yaml::read(head, 2, typing).unwrap().entries);
}

#[test]
fn the_quick_reader_answers_for_every_shape_it_knows() {
    SHAPES.iter().for_each(|shape| answers(shape));
    answers("");
    answers("key: plain (words), \"quotes\" inside - and a/b#c:d\n");
    answers("key: [ ]\n");
    answers("key: \"\"\n");
    answers("a: >\n  one\n\n\n  two\n\n\nb: |-\n    one\n      two\nc: d\n");
    answers("a: \"one\n  two\n  three\"\nb: [x,\n  y]\n");
    answers("a: 用户 \u{2014} ok，好：\n");
}

#[test]
fn the_quick_reader_leaves_alone_what_it_is_not_certain_of() {
    let heads = "a: b¦a: b: c\n¦a: b #c\n¦a: &b c\n¦a: *b\n¦a: {b: c}\n¦a: \"\\n\"\n¦a: 'it''s'\n¦\
        a: b\r\n¦a:\tb\n¦a: b\na: c\n¦a:\n  b:\n    c: d\n¦a:\n  - b: c\n¦a:\n\n  b\n¦a: >\n  b\n    c\n¦\
        a: |+\n  b\n¦a: |2\n  b\n¦a: >\n¦- a\n¦a: [b, [c]]\n¦a: [b: c]\n¦a: [b,]\n¦\"a\": b\n¦a : b\n¦\
        a: - b\n¦ a: b\n¦a: !t b\n¦? a\n¦a: b\n  # c\n  d\n";
    for head in heads.split('¦') {
        assert_eq!(plain::read(head, 2, typing), None, "{head:?}");
    }
}

proptest! {
    #![proptest_config(crate::tests::cases(2_000))]

    #[test]
    fn the_quick_reader_agrees_with_the_strict_one(head in heads()) {
        if let Some(quick) = plain::read(&head, 2, typing) {
            let strict = yaml::read(&head, 2, typing);
            prop_assert_eq!(Ok((quick, Vec::new())), strict.map(|it| (it.entries, it.repairs)));
        }
    }

    #[test]
    fn no_head_makes_it_panic_or_leaves_a_field_empty(
        head in prop_oneof![heads(), any::<String>(), "[ -~\n]{0,80}"],
        end in prop_oneof![Just("\n---\n"), Just("\n...\n"), Just("")],
    ) {
        let text = format!("---\n{head}{end}body");
        match frontmatter(&text) {
            Ok(found) => {
                prop_assert!(!found.name.trim().is_empty() && !found.description.is_empty());
                prop_assert_eq!(found.description.trim(), &found.description);
                let last = text.split('\n').count();
                prop_assert!(found.repairs.iter().all(|it| (1..=last).contains(&it.line)));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
        }
    }

    #[test]
    fn no_text_at_all_makes_it_panic(text in any::<String>()) {
        let _ = frontmatter(&text);
    }
}

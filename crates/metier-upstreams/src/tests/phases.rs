//! The policy of reconnecting, in words.

use std::time::Duration;

use proptest::prelude::*;

use crate::phase::{Cause, Event, Phase, SLOWEST_RETRY};

fn event(word: &str) -> Event {
    match word {
        "connected" => Event::Connected,
        "stable" => Event::Stable,
        "lost" => Event::Lost("gone".into()),
        "expired" => Event::Expired,
        "refused" => Event::Refused(Cause::Unauthorized, "401".into()),
        "due" => Event::RetryDue,
        other => panic!("{other} is no event"),
    }
}

fn fold(words: &str, luck: u32) -> Phase {
    let start = Phase::Connecting { attempt: 0 };
    words.split_whitespace().fold(start, |phase, word| phase.after(event(word), luck))
}

#[track_caller]
fn check(words: &str, expected: &str) {
    let phase = fold(words, 0);
    let shown = match &phase {
        Phase::Waiting { retry_in, .. } => format!("waiting {}s", retry_in.as_secs()),
        Phase::Connecting { attempt } => format!("connecting {attempt}"),
        Phase::Ready { attempt } => format!("ready {attempt}"),
        other => other.word().to_owned(),
    };
    assert_eq!(shown, expected, "{words}");
}

#[test]
fn a_server_that_answers_is_ready() {
    check("connected", "ready 0");
}

#[test]
fn pauses_double_and_stay_at_a_minute_for_ever() {
    check("lost", "waiting 1s");
    check("lost due lost", "waiting 2s");
    check("lost due lost due lost due lost", "waiting 8s");
    check(&"lost due ".repeat(1000), "connecting 1000");
    check(&format!("{}lost", "lost due ".repeat(1000)), "waiting 60s");
}

#[test]
fn only_a_stable_spell_resets_the_patience() {
    check("lost due lost due connected lost", "waiting 4s");
    check("lost due lost due connected stable lost", "waiting 1s");
}

#[test]
fn a_session_that_expired_is_renewed_at_once_but_not_again_and_again() {
    check("connected expired", "connecting 1");
    check("connected expired connected", "ready 1");
    check("connected expired connected expired", "waiting 2s");
    check("connected expired connected stable expired", "connecting 1");
}

#[test]
fn what_waiting_does_not_mend_is_tried_again_but_seldom() {
    check("refused", "failed");
    check("refused due", "connecting 5");
    check("refused due connected stable", "ready 0");
    assert_eq!(fold("refused", 0).pause(), Some(Duration::from_secs(300)));
}

#[test]
fn events_that_come_too_late_change_nothing() {
    check("lost lost connected stable expired refused", "waiting 1s");
    check("connected due", "ready 0");
}

#[test]
fn tools_stay_while_a_server_is_away_for_a_moment() {
    let kept = |words: &str| fold(words, 0).keeps_offer();
    assert!(kept("connected"));
    assert!(kept("connected lost due lost due lost due lost due lost"));
    assert!(!kept("connected lost due lost due lost due lost due lost due lost"));
    assert!(!kept("connected refused"));
}

proptest! {
    #[test]
    fn pauses_are_spread_but_never_longer_than_a_minute(losses in 1_usize..200, luck: u32) {
        let words = vec!["lost"; losses].join(" due ");
        let Phase::Waiting { retry_in, .. } = fold(&words, luck) else { panic!("it waits") };
        let Phase::Waiting { retry_in: longest, .. } = fold(&words, 0) else { panic!("it waits") };
        prop_assert!(retry_in <= longest && retry_in >= longest.mul_f64(0.74));
        prop_assert!(longest <= SLOWEST_RETRY);
    }
}

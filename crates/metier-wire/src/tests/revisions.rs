//! What each revision is.

use crate::{Era, Revision};

#[test]
fn initialize_gets_what_it_asks_for_or_the_newest_that_has_initialize() {
    let check = |asked, expected| assert_eq!(Revision::negotiated(asked).as_str(), expected);
    check("2024-11-05", "2024-11-05");
    check("2025-03-26", "2025-03-26");
    check("2025-06-18", "2025-06-18");
    check("2025-11-25", "2025-11-25");
    check("2026-07-28", "2025-11-25");
    check("2099-01-01", "2025-11-25");
    check("", "2025-11-25");
}

#[test]
fn only_the_newest_revision_is_without_sessions() {
    let modern: Vec<_> = Revision::ALL.into_iter().filter(|it| it.era() == Era::Modern).collect();
    assert_eq!(modern, [Revision::V2026_07_28]);
}

#[test]
fn only_one_revision_has_batches() {
    let with: Vec<_> = Revision::ALL.into_iter().filter(|it| it.has_batches()).collect();
    assert_eq!(with, [Revision::V2025_03_26]);
}

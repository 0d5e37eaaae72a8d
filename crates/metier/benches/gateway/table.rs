//! Figures in Markdown.

use std::fmt::{self, Display};

/// A title, a head and rows of as many cells.
pub(crate) struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(title: String, head: Vec<String>) -> Table {
        let rule = vec!["---".to_owned(); head.len()];
        Table { title, rows: vec![head, rule] }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "### {}\n", self.title)?;
        self.rows.iter().try_for_each(|row| writeln!(f, "| {} |", row.join(" | ")))
    }
}

/// A figure with as many digits as it deserves.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        it if it >= 100.0 => grouped(value),
        it if it >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// How many times one figure is another.
pub(crate) fn times(ratio: f64) -> String {
    format!("{ratio:.2}")
}

/// A whole number, its thousands apart.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

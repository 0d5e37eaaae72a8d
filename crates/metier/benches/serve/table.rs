//! Figures in columns.

use std::fmt::{self, Display};

/// How many columns hold words.
const WORDS: usize = 2;

/// A title, a head and rows of as many cells.
pub(crate) struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(title: String, head: &[&str]) -> Table {
        Table { title, rows: vec![head.iter().map(|it| (*it).to_owned()).collect()] }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows[0].len();
        let length = |row: &Vec<String>, at: usize| row[at].chars().count();
        let widths: Vec<usize> = (0..columns)
            .map(|at| self.rows.iter().map(|row| length(row, at)).max().unwrap_or(0))
            .collect();
        writeln!(f, "{}", self.title)?;
        for row in &self.rows {
            for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if at < WORDS {
                    write!(f, "  {cell:width$}")?;
                } else {
                    write!(f, "  {cell:>width$}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A figure with as many decimals as it deserves.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        it if it >= 100.0 => format!("{value:.0}"),
        it if it >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// How many times one figure is another.
pub(crate) fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

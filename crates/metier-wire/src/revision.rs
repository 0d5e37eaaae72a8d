//! The revisions of the protocol, and what differs between them.

use std::fmt;

/// How a client and a server come to know each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// By `initialize`, for a whole session: 2024-11-05 to 2025-11-25.
    Legacy,
    /// By the metadata of every request: 2026-07-28.
    Modern,
}

/// A published revision of the protocol, older ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// The first one; HTTP with two endpoints.
    V2024_11_05,
    /// Streamable HTTP, batches, annotations of tools.
    V2025_03_26,
    /// Structured results, the version as a header; no batches.
    V2025_06_18,
    /// Streams that can be polled; the last one with `initialize`.
    V2025_11_25,
    /// No sessions: every request says what it needs.
    V2026_07_28,
}

impl Revision {
    /// All of them, newest first.
    pub const ALL: [Revision; 5] = [
        Revision::V2026_07_28,
        Revision::V2025_11_25,
        Revision::V2025_06_18,
        Revision::V2025_03_26,
        Revision::V2024_11_05,
    ];

    /// The newest one that begins with `initialize`.
    pub const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

    /// The date by which it goes on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of that date, if there is one.
    #[must_use]
    pub fn named(date: &str) -> Option<Revision> {
        Revision::ALL.into_iter().find(|it| it.as_str() == date)
    }

    /// What an `initialize` that asks for `date` gets.
    #[must_use]
    pub fn negotiated(date: &str) -> Revision {
        let known = Revision::named(date).filter(|it| it.era() == Era::Legacy);
        known.unwrap_or(Revision::NEWEST_LEGACY)
    }

    /// The lifecycle it has.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Revision::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }

    /// Whether several messages may come as one array.
    #[must_use]
    pub const fn has_batches(self) -> bool {
        matches!(self, Revision::V2025_03_26)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

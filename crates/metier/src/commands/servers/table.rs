//! Servers as a table that one can read at a glance.

use std::{path::Path, time::Duration};

use anstyle::Style;
use metier_upstreams::{Gap, Phase, Server};

use crate::{
    config::servers::shown_endpoint,
    ui::{Styles, columns, counted, cut, one_line, pad},
};

/// How many lines of a server's stderr are shown.
const LAST_LINES: usize = 10;
/// Longer names than this are cut.
const WIDEST_NAME: usize = 32;
/// What stands where there is nothing to say.
const NOTHING: &str = "–";
const HEADINGS: [&str; 6] = ["name", "transport", "phase", "for", "tools", "latency"];

/// One server.
pub(super) struct Row {
    pub(super) name: String,
    transport: &'static str,
    phase: &'static str,
    tone: Tone,
    since: Option<Duration>,
    n_tools: usize,
    latency: Option<Duration>,
    reason: Option<String>,
    /// What was wrong before, and how long ago.
    earlier: Option<(Duration, String)>,
    /// When there will be another attempt.
    pub(super) next_in: Option<Duration>,
    /// What else there is to say, by what it is about.
    facts: Vec<(&'static str, String)>,
    /// The end of what it wrote to its stderr.
    last_words: Vec<String>,
}

/// How good it is.
#[derive(Clone, Copy)]
enum Tone {
    Good,
    Warning,
    Error,
    Indifferent,
}

impl Row {
    pub(super) fn new(server: &Server, n_tools: usize) -> Row {
        let standing = &server.standing;
        let phase = &standing.phase;
        let since = standing.since.elapsed();
        let next_in = match phase {
            Phase::Waiting { retry_in, .. } => Some(retry_in.saturating_sub(since)),
            _ => None,
        };
        let reason = phase.reason().map(str::to_owned);
        let earlier = standing.last_error.as_ref().filter(|_| reason.is_none());
        Row {
            name: server.name().to_string(),
            transport: server.spec.endpoint.transport(),
            phase: phase.word(),
            tone: match phase {
                Phase::Ready { .. } => Tone::Good,
                Phase::Connecting { .. } | Phase::Waiting { .. } => Tone::Warning,
                Phase::Failed { .. } | Phase::Untrusted { .. } => Tone::Error,
                Phase::Disabled | Phase::Stopped => Tone::Indifferent,
            },
            // What was never tried did not begin at any time.
            since: Some(since).filter(|_| !is_left_alone(phase)),
            n_tools,
            latency: standing.latency.filter(|_| matches!(phase, Phase::Ready { .. })),
            earlier: earlier.map(|(error, at)| (at.elapsed(), error.to_string())),
            reason,
            next_in,
            facts: Vec::new(),
            last_words: Vec::new(),
        }
    }

    /// A server whose entry cannot be used.
    pub(super) fn broken(name: &str, reason: String) -> Row {
        Row {
            name: name.to_owned(),
            transport: NOTHING,
            phase: "failed",
            tone: Tone::Error,
            since: None,
            n_tools: 0,
            latency: None,
            reason: Some(reason),
            earlier: None,
            next_in: None,
            facts: Vec::new(),
            last_words: Vec::new(),
        }
    }

    /// Adds where it is and comes from, what it is, and what it wrote to its stderr.
    pub(super) fn tell_everything(&mut self, server: &Server, source: &Path) {
        self.facts.extend(shown_endpoint(&server.spec.endpoint).map(|it| ("at", it)));
        self.facts.push(("from", source.to_string_lossy().into_owned()));
        if let Some(offer) = &server.standing.offer {
            let called = offer.server.as_ref().and_then(|it| called(it.get()));
            self.facts.extend(called.map(|it| ("is", it)));
            self.facts.push(("speaks", offer.revision.as_str().to_owned()));
            let lacks = |it: &Gap| format!("a part of {}: {}", it.method, one_line(&it.reason));
            self.facts.extend(offer.gaps.iter().map(|it| ("lacks", lacks(it))));
        }
        let text = server.standing.stderr.as_ref().map(|it| it.text()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let first = lines.len().saturating_sub(LAST_LINES);
        self.last_words = lines[first..].iter().map(|it| one_line(it).into_owned()).collect();
    }

    /// The same as one line that changes only if the server does.
    pub(super) fn in_words(&self) -> String {
        match (&self.reason, self.tone) {
            (_, Tone::Good) => format!("{} ready, {}", self.name, counted(self.n_tools, "tool")),
            (Some(reason), _) => format!("{} {}: {reason}", self.name, self.phase),
            (None, _) => format!("{} {}", self.name, self.phase),
        }
    }

    fn cells(&self) -> [String; 6] {
        let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.to_owned());
        let is_good = matches!(self.tone, Tone::Good);
        [
            cut(&self.name, WIDEST_NAME).into_owned(),
            self.transport.to_owned(),
            self.phase.to_owned(),
            or_nothing(self.since.map(span)),
            or_nothing(is_good.then(|| self.n_tools.to_string())),
            or_nothing(self.latency.map(latency)),
        ]
    }
}

/// Whether nobody tries to reach it.
fn is_left_alone(phase: &Phase) -> bool {
    matches!(phase, Phase::Untrusted { .. } | Phase::Disabled)
}

/// The table; what is said below a row fits the terminal.
pub(super) fn lines(rows: &[Row], style: Styles, width: Option<usize>) -> Vec<String> {
    let cells: Vec<[String; 6]> = rows.iter().map(Row::cells).collect();
    let mut widths = HEADINGS.map(columns);
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(columns(cell));
        }
    }
    let dim = style.dim;
    let headings = line(&HEADINGS.map(str::to_owned), widths, [Style::new(); 6]);
    let mut lines = vec![format!("{dim}{headings}{dim:#}")];
    for (row, cells) in rows.iter().zip(&cells) {
        let tone = match row.tone {
            Tone::Good => style.good,
            Tone::Warning => style.warning,
            Tone::Error => style.error,
            Tone::Indifferent => dim,
        };
        let plain = Style::new();
        lines.push(line(cells, widths, [style.name, plain, tone, plain, plain, plain]));
        let next = row.next_in.map(|it| format!("next attempt in {}", span(it)));
        let earlier = row.earlier.as_ref().map(|(ago, it)| format!("{} ago: {it}", span(*ago)));
        for text in row.reason.iter().chain(&earlier).chain(&next) {
            lines.extend(wrapped(&one_line(text), width).map(|it| format!("    {it}")));
        }
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(4));
        for (what, fact) in &row.facts {
            let fact = format!("{what:<6} {}", one_line(fact));
            lines.push(format!("    {dim}{}{dim:#}", cut(&fact, room)));
        }
        for words in &row.last_words {
            lines.push(format!("    {dim}{}{dim:#}", cut(&format!("│ {words}"), room)));
        }
    }
    lines
}

fn line(cells: &[String; 6], widths: [usize; 6], styles: [Style; 6]) -> String {
    let cells = cells.iter().zip(widths).zip(styles);
    let cells = cells.map(|((cell, width), style)| format!("{style}{}{style:#}", pad(cell, width)));
    cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

/// A text in lines that fit beside an indent of four.
fn wrapped(text: &str, width: Option<usize>) -> impl Iterator<Item = String> {
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(4).max(20));
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let word = cut(word, room);
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(&word),
            Some(last) if columns(last) + 1 + columns(&word) <= room => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => lines.push(word.into_owned()),
        }
    }
    lines.into_iter()
}

/// What a server calls itself.
fn called(server: &str) -> Option<String> {
    let server: serde_json::Value = serde_json::from_str(server).ok()?;
    let name = server.get("title").or_else(|| server.get("name"))?.as_str()?;
    let version = server.get("version").and_then(|it| it.as_str()).unwrap_or_default();
    Some(format!("{name} {version}"))
}

/// A time in the largest unit that fits.
fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ ..3_600 => format!("{} min", seconds / 60),
        seconds @ ..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

fn latency(time: Duration) -> String {
    match time.as_millis() {
        0 => "< 1 ms".to_owned(),
        ms @ ..1_000 => format!("{ms} ms"),
        _ => format!("{:.1} s", time.as_secs_f32()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Row, Tone, latency, lines, span, wrapped};
    use crate::ui::Styles;

    fn row(name: &str, phase: &'static str, reason: Option<&str>) -> Row {
        Row {
            transport: "stdio",
            phase,
            tone: if phase == "ready" { Tone::Good } else { Tone::Error },
            since: Some(Duration::from_secs(61)),
            n_tools: 12,
            latency: None,
            reason: reason.map(str::to_owned),
            ..Row::broken(name, String::new())
        }
    }

    #[test]
    fn reasons_stand_below_and_fit_the_terminal() {
        let rows =
            [row("files", "ready", None), row("gone", "failed", Some("no such program at all"))];
        assert_eq!(
            lines(&rows, Styles::default(), Some(24)),
            [
                "name   transport  phase   for    tools  latency",
                "files  stdio      ready   1 min  12     –",
                "gone   stdio      failed  1 min  –      –",
                "    no such program at",
                "    all",
            ]
        );
    }

    #[test]
    fn what_was_wrong_before_is_told_in_the_table_and_not_as_a_change() {
        let after = |seconds| Row {
            tone: Tone::Warning,
            earlier: Some((Duration::from_secs(seconds), "it ended".to_owned())),
            ..row("files", "connecting", None)
        };
        assert_eq!(
            [after(5), after(6)].map(|it| it.in_words()),
            ["files connecting", "files connecting"]
        );
        let lines = lines(&[after(5)], Styles::default(), None);
        assert_eq!(lines.last().map(String::as_str), Some("    5 s ago: it ended"));
    }

    #[test]
    fn words_longer_than_a_line_are_cut() {
        let lines: Vec<String> = wrapped(&"x".repeat(30), Some(10)).collect();
        assert_eq!(lines, [format!("{}…", "x".repeat(19))]);
    }

    #[test]
    fn times_are_told_in_the_largest_unit_that_fits() {
        let spans = [59, 60, 3_600, 172_800].map(|it| span(Duration::from_secs(it)));
        assert_eq!(spans, ["59 s", "1 min", "1 h", "2 days"]);
        let latencies = [0, 999, 1_500].map(|it| latency(Duration::from_millis(it)));
        assert_eq!(latencies, ["< 1 ms", "999 ms", "1.5 s"]);
    }
}

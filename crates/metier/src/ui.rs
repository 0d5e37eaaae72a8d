//! The one way to print: two writers, colour, width, and nothing that could harm a terminal.

use std::{
    borrow::Cow,
    io::{self, BufWriter, Write},
    path::Path,
    process::ExitCode,
};

use anstream::{
    AutoStream, ColorChoice,
    stream::{IsTerminal, RawStream},
};
use anstyle::{AnsiColor, Style};
use metier_skills::is_hidden;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{
    args::Color,
    failure::{Exit, Failure},
};

/// Where words for people go.
pub struct Ui<'a> {
    out: BufWriter<&'a mut dyn Write>,
    err: &'a mut dyn Write,
    /// Columns of the terminal; `None` where the output goes elsewhere.
    pub(crate) width: Option<usize>,
    /// Rows of that terminal.
    height: usize,
    /// What the answer looks like.
    pub(crate) style: Styles,
    /// What messages beside it look like.
    err_style: Styles,
    auto: [ColorChoice; 2],
    /// Whether someone watches the messages as they come.
    pub(crate) watched: bool,
}

/// What each kind of text looks like.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Styles {
    pub(crate) heading: Style,
    pub(crate) name: Style,
    pub(crate) dim: Style,
    pub(crate) mark: Style,
    pub(crate) good: Style,
    pub(crate) warning: Style,
    pub(crate) error: Style,
}

impl Styles {
    const fn colored() -> Styles {
        Styles {
            heading: Style::new().bold(),
            name: AnsiColor::Cyan.on_default(),
            dim: Style::new().dimmed(),
            mark: Style::new().bold(),
            good: AnsiColor::Green.on_default(),
            warning: AnsiColor::Yellow.on_default(),
            error: AnsiColor::Red.on_default().bold(),
        }
    }
}

impl<'a> Ui<'a> {
    /// Prints to the streams of a process.
    pub fn for_terminal<O, E>(out: &'a mut O, err: &'a mut E) -> Ui<'a>
    where
        O: Write + RawStream,
        E: Write + RawStream,
    {
        let size = terminal_size::terminal_size();
        let (columns, rows) = size.map_or((80, 24), |(width, height)| (width.0, height.0));
        Ui {
            width: IsTerminal::is_terminal(out).then_some(columns.into()),
            height: rows.into(),
            style: Styles::default(),
            err_style: Styles::default(),
            auto: [AutoStream::choice(out), AutoStream::choice(err)],
            watched: IsTerminal::is_terminal(err),
            out: BufWriter::new(out),
            err,
        }
    }

    /// Prints to writers that are no terminal.
    pub fn plain(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Ui<'a> {
        let auto = [ColorChoice::Never; 2];
        let out = BufWriter::new(out);
        let (style, err_style) = (Styles::default(), Styles::default());
        Ui { out, err, width: None, height: 24, style, err_style, auto, watched: false }
    }

    pub(crate) fn set_color(&mut self, color: Color) {
        let styles = |auto: ColorChoice| match color {
            Color::Always => Styles::colored(),
            Color::Auto if auto != ColorChoice::Never => Styles::colored(),
            Color::Auto | Color::Never => Styles::default(),
        };
        [self.style, self.err_style] = self.auto.map(styles);
    }

    /// Prints a line of the answer.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Prints a path: to a terminal without control characters, else byte for byte.
    pub(crate) fn path(&mut self, path: &Path) -> io::Result<()> {
        match self.width {
            Some(_) => writeln!(self.out, "{}", one_line(&path.to_string_lossy())),
            None => {
                self.out.write_all(path.as_os_str().as_encoded_bytes())?;
                writeln!(self.out)
            }
        }
    }

    /// Prints text that came from a file: to a terminal without control characters, else as it is.
    pub(crate) fn verbatim(&mut self, text: &str) -> io::Result<()> {
        let text = if self.width.is_some() { clean(text) } else { Cow::Borrowed(text) };
        self.out.write_all(text.as_bytes())
    }

    /// Prints bytes as they are; not for a terminal.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Prints lines in place of those that were drawn before; how many there are now.
    pub(crate) fn redraw(&mut self, n_before: usize, lines: &[String]) -> io::Result<usize> {
        if n_before > 0 {
            write!(self.out, "\x1b[{n_before}A")?;
        }
        // A line that wraps would take more rows than are counted.
        write!(self.out, "\x1b[J\x1b[?7l")?;
        // What has left the screen could not be drawn over.
        let shown = lines.len().min(self.height.saturating_sub(1));
        for line in &lines[..shown] {
            self.line(line)?;
        }
        write!(self.out, "\x1b[?7h")?;
        self.flush()?;
        Ok(shown)
    }

    /// Prints one JSON document on a line of its own, at once.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let document = serde_json::to_string(value)?;
        self.line(escaped(&document))?;
        Ok(self.flush()?)
    }

    /// Prints one JSON document.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        if self.width.is_some() {
            let document = serde_json::to_string_pretty(value)?;
            self.out.write_all(escaped(&document).as_bytes())?;
        } else {
            serde_json::to_writer_pretty(&mut self.out, value)?;
        }
        Ok(writeln!(self.out)?)
    }

    /// Tells the user something beside the answer.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        self.out.flush()?;
        writeln!(self.err, "{}", text.as_ref())
    }

    /// Warns of something that did not stop the command.
    pub(crate) fn warn(&mut self, text: &str) -> io::Result<()> {
        let style = self.err_style.warning;
        self.out.flush()?;
        writeln!(self.err, "{style}warning:{style:#} {}", one_line(text))
    }

    /// Asks for a yes; `None` where nobody is there to answer.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<Option<bool>> {
        if !self.watched || !io::IsTerminal::is_terminal(&io::stdin()) {
            return Ok(None);
        }
        self.out.flush()?;
        write!(self.err, "{question} [y/N] ")?;
        self.err.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
    }

    /// Shows a line that the next one overwrites.
    pub(crate) fn status(&mut self, text: &str) -> io::Result<()> {
        write!(self.err, "\r\x1b[K{text}")?;
        self.err.flush()
    }

    /// Notes in the colours of messages.
    pub(crate) fn dim_note(&mut self, text: &str) -> io::Result<()> {
        let dim = self.err_style.dim;
        self.note(format!("{dim}{text}{dim:#}"))
    }

    /// Sends everything printed so far on its way.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Prints why a command failed and what to try next.
    pub(crate) fn failure(&mut self, failure: &Failure) -> ExitCode {
        let (error, good) = (self.err_style.error, self.err_style.good);
        let _ = self.out.flush();
        let _ = writeln!(
            self.err,
            "{error}error:{error:#} {}",
            one_line(&format!("{:#}", failure.error))
        );
        for detail in &failure.details {
            let _ = writeln!(self.err, "  {}", one_line(detail));
        }
        if let Some(hint) = &failure.hint {
            let _ = writeln!(self.err, "{good}hint:{good:#} {}", one_line(hint));
        }
        failure.exit.into()
    }

    /// Prints help, the version, or what was wrong with the command line.
    pub(crate) fn usage(&mut self, error: &clap::Error) -> ExitCode {
        let text = error.render();
        if error.use_stderr() {
            let _ = write!(self.err, "{text}");
            return Exit::Usage.into();
        }
        let _ = match self.auto[0] {
            ColorChoice::Never => write!(self.out, "{text}"),
            _ => write!(self.out, "{}", text.ansi()),
        };
        let _ = self.out.flush();
        ExitCode::SUCCESS
    }
}

/// Text without anything that steers a terminal or hides what is written.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|&c| !steers(c)).collect())
}

/// [`clean`] text on one line.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    let mut spaces = text.as_bytes().windows(2);
    if text.bytes().all(is_plain) && text.trim() == text && !spaces.any(|it| it == b"  ") {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&clean(word));
    }
    Cow::Owned(line)
}

/// How many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// A number of things, in words: `1 tool`, `2 tools`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `text` cut to `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.len() <= width || columns(text) <= width {
        return Cow::Borrowed(text);
    }
    let mut columns = 0;
    let kept = text.chars().take_while(|c| {
        columns += c.width().unwrap_or(0);
        columns < width
    });
    let mut cut: String = kept.collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    Cow::Owned(cut)
}

/// `text` filled up to `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// A JSON document with everything that steers a terminal written as an escape.
fn escaped(document: &str) -> String {
    let mut escaped = String::with_capacity(document.len());
    for c in document.chars() {
        if steers(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn steers(c: char) -> bool {
    !matches!(c, '\n' | '\t') && is_hidden(c)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Ui, cut, one_line, pad};

    /// Prints as if to a terminal of 80 columns.
    fn on_terminal(print: impl FnOnce(&mut Ui<'_>)) -> String {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut ui = Ui::plain(&mut out, &mut err);
        ui.width = Some(80);
        print(&mut ui);
        ui.flush().unwrap();
        drop(ui);
        String::from_utf8([out, err].concat()).unwrap()
    }

    #[test]
    fn nothing_of_a_file_steers_a_terminal() {
        let hostile = "a\u{1b}]0;x\u{7}b\u{9b}c\u{202e}d\u{61c}e\r\nf";
        let printed = [
            on_terminal(|ui| ui.verbatim(hostile).unwrap()),
            on_terminal(|ui| ui.path(Path::new(hostile)).unwrap()),
            on_terminal(|ui| ui.warn(hostile).unwrap()),
            on_terminal(|ui| ui.json(&hostile).unwrap_or_else(|failure| panic!("{failure:?}"))),
        ];
        for text in printed {
            assert!(!text.chars().any(super::steers), "{text:?}");
        }
    }

    #[test]
    fn json_on_a_terminal_is_still_the_same_document() {
        let hostile = "a\u{9b}\u{202e}\u{e0041}z";
        let printed = on_terminal(|ui| ui.json(&hostile).unwrap_or_else(|it| panic!("{it:?}")));
        assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), hostile);
    }

    #[test]
    fn lines_are_collapsed() {
        assert_eq!(one_line(" a \n\t b  c "), "a b c");
        assert_eq!(one_line("plain text"), "plain text");
    }

    #[test]
    fn text_is_cut_and_filled_by_columns_not_characters() {
        assert_eq!(cut("用户的全局技能", 7), "用户的…");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(pad("用户", 6), "用户  ");
    }
}

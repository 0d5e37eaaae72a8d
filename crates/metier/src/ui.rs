//! The one way to print: two writers, colour, width, and nothing that could harm a terminal.

use std::{
    borrow::Cow,
    io::{self, BufWriter, IsTerminal, Write},
    process::ExitCode,
};

use anstream::{AutoStream, ColorChoice, stream::RawStream};
use anstyle::{AnsiColor, Style};
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
    pub(crate) style: Styles,
    auto: ColorChoice,
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
        E: Write + IsTerminal,
    {
        let columns = terminal_size::terminal_size().map_or(80, |(width, _)| width.0.into());
        Ui {
            width: anstream::stream::IsTerminal::is_terminal(out).then_some(columns),
            style: Styles::default(),
            auto: AutoStream::choice(out),
            watched: err.is_terminal(),
            out: BufWriter::new(out),
            err,
        }
    }

    /// Prints to writers that are no terminal.
    pub fn plain(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Ui<'a> {
        let auto = ColorChoice::Never;
        let out = BufWriter::new(out);
        Ui { out, err, width: None, style: Styles::default(), auto, watched: false }
    }

    pub(crate) fn set_color(&mut self, color: Color) {
        let colored = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => self.auto != ColorChoice::Never,
        };
        self.style = if colored { Styles::colored() } else { Styles::default() };
    }

    /// Prints a line of the answer.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Prints text that came from a file: to a terminal without control characters, else as it is.
    pub(crate) fn verbatim(&mut self, text: &str) -> io::Result<()> {
        let text = if self.width.is_some() { clean(text) } else { Cow::Borrowed(text) };
        self.out.write_all(text.as_bytes())
    }

    /// Prints one JSON document.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer_pretty(&mut self.out, value)?;
        Ok(writeln!(self.out)?)
    }

    /// Tells the user something beside the answer.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        self.out.flush()?;
        writeln!(self.err, "{}", text.as_ref())
    }

    /// Warns of something that did not stop the command.
    pub(crate) fn warn(&mut self, text: &str) -> io::Result<()> {
        let style = self.style.warning;
        self.out.flush()?;
        writeln!(self.err, "{style}warning:{style:#} {text}")
    }

    /// Shows a line that the next one overwrites.
    pub(crate) fn status(&mut self, text: &str) -> io::Result<()> {
        write!(self.err, "\r\x1b[K{text}")?;
        self.err.flush()
    }

    /// Sends everything printed so far on its way.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Prints why a command failed and what to try next.
    pub(crate) fn failure(&mut self, failure: &Failure) -> ExitCode {
        let (error, dim) = (self.style.error, self.style.good);
        let _ = self.out.flush();
        let _ = writeln!(
            self.err,
            "{error}error:{error:#} {}",
            one_line(&format!("{:#}", failure.error))
        );
        if let Some(hint) = &failure.hint {
            let _ = writeln!(self.err, "{dim}hint:{dim:#} {}", one_line(hint));
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
        let _ = match self.auto {
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

/// `text` cut to `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
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
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

fn steers(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' => true,
        '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

//! Scalars of strict YAML: plain, quoted and block, each ending where the published reader ends it.

use super::cursor::{Cursor, END, is_break};
use super::fault::What;

/// The escapes of a double-quoted text that stand for one fixed character.
const ESCAPES: [(char, char); 18] = [
    ('0', '\0'),
    ('a', '\x07'),
    ('b', '\x08'),
    ('t', '\t'),
    ('\t', '\t'),
    ('n', '\n'),
    ('v', '\x0b'),
    ('f', '\x0c'),
    ('r', '\r'),
    ('e', '\x1b'),
    (' ', ' '),
    ('"', '"'),
    ('/', '/'),
    ('\\', '\\'),
    ('N', '\u{85}'),
    ('_', '\u{a0}'),
    ('L', '\u{2028}'),
    ('P', '\u{2029}'),
];

/// Why no scalar begins with `first`, if none does.
pub(super) fn misfit(first: char) -> Option<What> {
    match first {
        '[' | ']' | '{' | '}' => Some(What::Flow),
        '&' | '*' => Some(What::Anchor(first)),
        '!' => Some(What::Tag),
        '\t' => Some(What::Tab),
        ',' | '%' | '@' | '`' => Some(What::Opening(first)),
        _ => None,
    }
}

/// Reads a plain text and the line it ends on; lines indented by less than `least` are not its own.
pub(super) fn plain(cursor: &mut Cursor, least: usize) -> (String, usize) {
    let mut text = String::new();
    let mut between = String::new();
    let mut last_line = cursor.place.line;
    loop {
        let word = plain_word(cursor);
        if word.is_empty() {
            return (text, last_line);
        }
        text.push_str(&between);
        text.push_str(&word);
        last_line = cursor.place.line;
        between = cursor.take_while(|ch| ch == ' ');
        if is_break(cursor.peek(0)) {
            between = folded_breaks(cursor);
        }
        let ends = between.is_empty() || cursor.peek(0) == '#';
        if ends || cursor.place.column < least || cursor.at_marker() {
            return (text, last_line);
        }
    }
}

/// Reads a text in single or double quotes.
pub(super) fn quoted(cursor: &mut Cursor) -> Result<String, What> {
    let quote = cursor.bump();
    let mut text = String::new();
    loop {
        match cursor.peek(0) {
            END => return Err(What::Quote),
            '\'' if quote == '\'' && cursor.peek(1) == '\'' => {
                cursor.bump();
                text.push(cursor.bump());
            }
            ch if ch == quote => {
                cursor.bump();
                return Ok(text);
            }
            '\\' if quote == '"' => escape(cursor, &mut text)?,
            ' ' | '\t' => {
                let spaces = cursor.take_while(|ch| matches!(ch, ' ' | '\t'));
                if !is_break(cursor.peek(0)) {
                    text.push_str(&spaces);
                }
            }
            ch if is_break(ch) => {
                cursor.bump();
                let breaks = quoted_breaks(cursor)?;
                text.push_str(if breaks.is_empty() { " " } else { &breaks });
            }
            _ => text.push(cursor.bump()),
        }
    }
}

/// Reads a literal (`|`) or folded (`>`) text below a collection indented by `indent`.
pub(super) fn block(cursor: &mut Cursor, indent: usize) -> Result<String, What> {
    let folded = cursor.bump() == '>';
    let (chomp, step) = block_header(cursor)?;
    let (mut breaks, indent) = match step {
        Some(step) => {
            let indent = indent + step;
            (block_breaks(cursor, indent), indent)
        }
        None => block_indent(cursor, indent + 1),
    };
    let mut text = String::new();
    let mut last = String::new();
    while cursor.place.column == indent && !cursor.at_end() {
        text.push_str(&breaks);
        let flush = !matches!(cursor.peek(0), ' ' | '\t');
        text.push_str(&cursor.take_while(|ch| !is_break(ch)));
        last = take_break(cursor);
        breaks = block_breaks(cursor, indent);
        if cursor.place.column != indent || cursor.at_end() {
            break;
        }
        if folded && flush && !matches!(cursor.peek(0), ' ' | '\t') {
            text.push_str(if breaks.is_empty() { " " } else { "" });
        } else {
            text.push_str(&last);
        }
    }
    text.push_str(if chomp == Some('-') { "" } else { &last });
    text.push_str(if chomp == Some('+') { &breaks } else { "" });
    Ok(text)
}

fn plain_word(cursor: &mut Cursor) -> String {
    let mut word = String::new();
    while !cursor.gap(0) && !cursor.at_indicator(':') {
        word.push(cursor.bump());
    }
    word
}

/// Folds line ends and the indentation behind them: one is a space, more are one fewer.
fn folded_breaks(cursor: &mut Cursor) -> String {
    cursor.bump();
    let mut breaks = String::new();
    while !cursor.at_marker() {
        match cursor.peek(0) {
            ' ' => _ = cursor.bump(),
            ch if is_break(ch) => breaks.push_str(&take_break(cursor)),
            _ => break,
        }
    }
    if breaks.is_empty() { " ".to_owned() } else { breaks }
}

/// The empty lines inside a quoted text, of which a `---` or `...` line must not be one.
fn quoted_breaks(cursor: &mut Cursor) -> Result<String, What> {
    let mut breaks = String::new();
    loop {
        if cursor.at_marker() {
            return Err(What::Quote);
        }
        cursor.take_while(|ch| matches!(ch, ' ' | '\t'));
        if !is_break(cursor.peek(0)) {
            return Ok(breaks);
        }
        breaks.push_str(&take_break(cursor));
    }
}

fn escape(cursor: &mut Cursor, text: &mut String) -> Result<(), What> {
    cursor.bump();
    let mark = cursor.peek(0);
    if is_break(mark) {
        cursor.bump();
        text.push_str(&quoted_breaks(cursor)?);
        return Ok(());
    }
    if let Some((_, meant)) = ESCAPES.iter().find(|(name, _)| *name == mark) {
        cursor.bump();
        text.push(*meant);
        return Ok(());
    }
    let digits = match mark {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return Err(What::Escape(mark)),
    };
    cursor.bump();
    let mut code = 0;
    for _ in 0..digits {
        let digit = cursor.bump().to_digit(16).ok_or(What::Escape(mark))?;
        code = (code << 4) | digit;
    }
    if code > 0x10_ffff {
        return Err(What::Escape(mark));
    }
    // Half a surrogate pair is a character to the published reader, and counts as one.
    text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    Ok(())
}

/// Reads what may follow `|` or `>`: a sign, a digit, spaces and a comment.
fn block_header(cursor: &mut Cursor) -> Result<(Option<char>, Option<usize>), What> {
    let mut chomp = None;
    let mut step = None;
    for _ in 0..2 {
        match cursor.peek(0) {
            sign @ ('+' | '-') if chomp.is_none() => chomp = Some(sign),
            digit @ '1'..='9' if step.is_none() => step = Some(digit as usize - '0' as usize),
            _ => break,
        }
        cursor.bump();
    }
    if !cursor.gap(0) || cursor.peek(0) == '\t' {
        return Err(What::BlockHeader);
    }
    cursor.take_while(|ch| ch == ' ');
    if cursor.peek(0) == '#' {
        cursor.take_while(|ch| !is_break(ch));
    }
    if !cursor.at_end() && !is_break(cursor.peek(0)) {
        return Err(What::BlockHeader);
    }
    take_break(cursor);
    Ok((chomp, step))
}

/// Finds a block's indentation: the deepest column that spaces reach before its first character.
fn block_indent(cursor: &mut Cursor, least: usize) -> (String, usize) {
    let mut breaks = String::new();
    let mut indent = least;
    loop {
        match cursor.peek(0) {
            ' ' => {
                cursor.bump();
                indent = indent.max(cursor.place.column);
            }
            ch if is_break(ch) => breaks.push_str(&take_break(cursor)),
            _ => return (breaks, indent),
        }
    }
}

fn block_breaks(cursor: &mut Cursor, indent: usize) -> String {
    let mut breaks = String::new();
    loop {
        while cursor.place.column < indent && cursor.peek(0) == ' ' {
            cursor.bump();
        }
        if !is_break(cursor.peek(0)) {
            return breaks;
        }
        breaks.push_str(&take_break(cursor));
    }
}

fn take_break(cursor: &mut Cursor) -> String {
    if is_break(cursor.peek(0)) {
        cursor.bump();
        return "\n".to_owned();
    }
    String::new()
}

//! Finds characters that a person does not see and a model reads.

use super::Finding;

/// Scripts whose letters need joiners between them.
const JOINING: [(char, char); 8] = [
    ('\u{0600}', '\u{109f}'),
    ('\u{1780}', '\u{18af}'),
    ('\u{1a20}', '\u{1cff}'),
    ('\u{a800}', '\u{abff}'),
    ('\u{fb1d}', '\u{fdff}'),
    ('\u{fe70}', '\u{fefc}'),
    ('\u{10a00}', '\u{11fff}'),
    ('\u{1e900}', '\u{1e95f}'),
];

/// Scripts that are written from right to left.
const RIGHT_TO_LEFT: [(char, char); 5] = [
    ('\u{0590}', '\u{08ff}'),
    ('\u{fb1d}', '\u{fdff}'),
    ('\u{fe70}', '\u{fefc}'),
    ('\u{10800}', '\u{10fff}'),
    ('\u{1e800}', '\u{1efff}'),
];

/// Scripts without spaces, where an invisible one tells where a line may break.
const SPACELESS: [(char, char); 4] = [
    ('\u{0e00}', '\u{109f}'),
    ('\u{1780}', '\u{17ff}'),
    ('\u{1950}', '\u{1aaf}'),
    ('\u{3000}', '\u{9fff}'),
];

/// Symbols that emoji are made of.
const PICTURES: [(char, char); 6] = [
    ('\u{2190}', '\u{23ff}'),
    ('\u{2460}', '\u{27bf}'),
    ('\u{2900}', '\u{2bff}'),
    ('\u{3030}', '\u{303d}'),
    ('\u{fe0f}', '\u{fe0f}'),
    ('\u{1f000}', '\u{1faff}'),
];

/// Ideographs, which select their variants by an invisible mark.
const IDEOGRAPHS: [(char, char); 3] =
    [('\u{3400}', '\u{9fff}'), ('\u{f900}', '\u{faff}'), ('\u{20000}', '\u{3ffff}')];

/// What the invisible characters are called, by their first and last.
const NAMES: [(char, char, &str); 31] = [
    ('\u{0000}', '\u{001a}', "control character"),
    ('\u{001b}', '\u{001b}', "escape"),
    ('\u{001c}', '\u{009f}', "control character"),
    ('\u{00ad}', '\u{00ad}', "soft hyphen"),
    ('\u{034f}', '\u{034f}', "combining grapheme joiner"),
    ('\u{061c}', '\u{061c}', "Arabic letter mark"),
    ('\u{115f}', '\u{1160}', "Hangul filler"),
    ('\u{17b4}', '\u{17b5}', "invisible Khmer vowel"),
    ('\u{180b}', '\u{180f}', "Mongolian selector"),
    ('\u{200b}', '\u{200b}', "zero width space"),
    ('\u{200c}', '\u{200c}', "zero width non-joiner"),
    ('\u{200d}', '\u{200d}', "zero width joiner"),
    ('\u{200e}', '\u{200e}', "left-to-right mark"),
    ('\u{200f}', '\u{200f}', "right-to-left mark"),
    ('\u{2028}', '\u{2028}', "line separator"),
    ('\u{2029}', '\u{2029}', "paragraph separator"),
    ('\u{202a}', '\u{202c}', "bidirectional embedding"),
    ('\u{202d}', '\u{202d}', "left-to-right override"),
    ('\u{202e}', '\u{202e}', "right-to-left override"),
    ('\u{2060}', '\u{2060}', "word joiner"),
    ('\u{2061}', '\u{2065}', "invisible operator"),
    ('\u{2066}', '\u{2069}', "bidirectional isolate"),
    ('\u{206a}', '\u{206f}', "deprecated format character"),
    ('\u{3164}', '\u{3164}', "Hangul filler"),
    ('\u{fe00}', '\u{fe0f}', "variation selector"),
    ('\u{feff}', '\u{feff}', "zero width no-break space"),
    ('\u{ffa0}', '\u{ffa0}', "halfwidth Hangul filler"),
    ('\u{fff0}', '\u{fffb}', "interlinear annotation"),
    ('\u{1d173}', '\u{1d17a}', "invisible musical sign"),
    ('\u{e0000}', '\u{e007f}', "tag character"),
    ('\u{e0100}', '\u{e01ef}', "variation selector"),
];

/// How many tags make a flag at most: a country, a region, an end.
const LONGEST_FLAG: usize = 7;

/// All places of one kind of invisible character.
struct Kind {
    name: &'static str,
    first: char,
    line: usize,
    column: usize,
    count: usize,
    spelled: String,
}

/// Finds every kind of invisible character that has no business where it stands.
pub(super) fn judge(text: &str) -> Vec<Finding> {
    let mut kinds: Vec<Kind> = Vec::new();
    // A mark at the very beginning is told of where the fences are.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.split('\n').enumerate().filter(|(_, line)| has_any(line)) {
        let line = Line::new(line);
        for (at, ch) in line.chars.iter().copied().enumerate() {
            let Some(name) = name(ch).filter(|_| !line.expects(at)) else { continue };
            let kind = match kinds.iter_mut().find(|kind| kind.name == name) {
                Some(kind) => kind,
                None => kinds.push_mut(Kind::new(name, ch, index + 1, at + 1)),
            };
            kind.count += 1;
            kind.spelled.extend(spelled(ch));
        }
    }
    kinds.iter().map(Kind::finding).collect()
}

impl Kind {
    fn new(name: &'static str, first: char, line: usize, column: usize) -> Kind {
        Kind { name, first, line, column, count: 0, spelled: String::new() }
    }

    fn finding(&self) -> Finding {
        let (code, column) = (self.first as u32, self.column);
        let mut message = format!("hidden U+{code:04X} ({}) in column {column}", self.name);
        if self.count > 1 {
            message += &format!(", and {} more like it", self.count - 1);
        }
        if !self.spelled.is_empty() {
            let start: String = self.spelled.chars().take(60).collect();
            message += &format!(", spelling `{start}`");
        }
        Finding::warning(message, "delete it and read the line again").on(self.line)
    }
}

/// A cheap look, because most lines of most files have nothing to hide.
fn has_any(line: &str) -> bool {
    let odd = |byte: u8| !matches!(byte, b'\t' | b' '..=b'~');
    line.bytes().any(odd)
}

fn name(ch: char) -> Option<&'static str> {
    if matches!(ch, '\t' | ' '..='~') {
        return None;
    }
    NAMES.iter().find(|(first, last, _)| (*first..=*last).contains(&ch)).map(|(.., name)| *name)
}

/// The characters of one line.
struct Line {
    chars: Vec<char>,
    right_to_left: bool,
}

impl Line {
    fn new(text: &str) -> Line {
        let right_to_left = text.chars().any(|ch| within(&RIGHT_TO_LEFT, ch));
        Line { chars: text.chars().collect(), right_to_left }
    }

    fn get(&self, at: usize) -> char {
        self.chars.get(at).copied().unwrap_or('\n')
    }

    /// Whether the invisible character there is part of ordinary writing.
    fn expects(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or('\n', |at| self.get(at));
        let after = self.get(at + 1);
        match self.get(at) {
            '\u{200b}' => within(&SPACELESS, before) || within(&SPACELESS, after),
            '\u{200c}' => within(&JOINING, before),
            '\u{200d}' if within(&PICTURES, before) => within(&PICTURES, after),
            '\u{200d}' => within(&JOINING, before),
            '\u{180b}'..='\u{180f}' => within(&[('\u{1800}', '\u{18af}')], before),
            '\u{200e}' | '\u{200f}' | '\u{061c}' => self.right_to_left,
            '\u{fe0e}' | '\u{fe0f}' => matches!(before, '0'..='9' | '#' | '*') || is_base(before),
            '\u{fe00}'..='\u{fe0d}' => is_base(before),
            '\u{e0100}'..='\u{e01ef}' => within(&IDEOGRAPHS, before),
            '\u{e0000}'..='\u{e007f}' => self.has_flag_around(at),
            _ => false,
        }
    }

    /// Whether a flag such as Scotland's stands there: a black flag, a few tags, an end tag.
    fn has_flag_around(&self, at: usize) -> bool {
        let is_tag = |ch: &char| matches!(ch, '\u{e0020}'..='\u{e007f}');
        let near = at.saturating_sub(LONGEST_FLAG);
        let start = self.chars[near..at].iter().rposition(|ch| !is_tag(ch)).map(|it| near + it);
        let Some(start) = start.filter(|start| self.get(*start) == '\u{1f3f4}') else {
            return false;
        };
        let tags =
            self.chars[start + 1..].iter().take(LONGEST_FLAG + 1).take_while(|ch| is_tag(ch));
        let tags: Vec<&char> = tags.collect();
        tags.len() <= LONGEST_FLAG && tags.last() == Some(&&'\u{e007f}')
    }
}

/// Whether a variation selector may follow: a symbol or letter beyond ASCII, itself visible.
fn is_base(ch: char) -> bool {
    !ch.is_ascii() && !ch.is_whitespace() && name(ch).is_none()
}

/// The letter that a tag character stands for.
fn spelled(ch: char) -> Option<char> {
    let code = (ch as u32).checked_sub(0xe0000)?;
    char::from_u32(code).filter(|ch| matches!(ch, ' '..='~'))
}

fn within(ranges: &[(char, char)], ch: char) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&ch))
}

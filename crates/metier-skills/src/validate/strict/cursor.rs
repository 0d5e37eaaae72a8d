//! A place in the frontmatter that counts lines and columns as the published validator's reader does.

/// What stands behind the last character.
pub(super) const END: char = '\0';

/// A reading head over the characters of the frontmatter.
pub(super) struct Cursor {
    chars: Vec<char>,
    pub(super) place: Place,
}

/// Where a cursor stands; kept to come back to.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Cursor {
    /// Stands before the first character, which is on `line` of the file.
    pub(super) fn new(text: &str, line: usize) -> Cursor {
        Cursor { chars: text.chars().collect(), place: Place { at: 0, line, column: 0 } }
    }

    /// The character so many steps ahead.
    pub(super) fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.place.at + ahead).copied().unwrap_or(END)
    }

    /// Takes one character.
    pub(super) fn bump(&mut self) -> char {
        let taken = self.peek(0);
        self.place.at += 1;
        match taken {
            '\n' => (self.place.line, self.place.column) = (self.place.line + 1, 0),
            '\u{feff}' => {}
            _ => self.place.column += 1,
        }
        taken
    }

    /// Takes characters as long as they are `wanted`.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while !self.at_end() && wanted(self.peek(0)) {
            taken.push(self.bump());
        }
        taken
    }

    /// Whether nothing is left.
    pub(super) fn at_end(&self) -> bool {
        self.place.at >= self.chars.len()
    }

    /// Whether the document ends here: at the last character, or at a line `...`.
    pub(super) fn at_close(&self) -> bool {
        self.at_end() || self.at_marker()
    }

    /// Whether a line `---` or `...` begins here.
    pub(super) fn at_marker(&self) -> bool {
        let three = [self.peek(0), self.peek(1), self.peek(2)];
        self.place.column == 0 && matches!(three, ['.', '.', '.'] | ['-', '-', '-']) && self.gap(3)
    }

    /// Whether `mark` stands here as an indicator, with nothing glued to it.
    pub(super) fn at_indicator(&self, mark: char) -> bool {
        self.peek(0) == mark && self.gap(1)
    }

    /// Whether the character so many steps ahead parts two words.
    pub(super) fn gap(&self, ahead: usize) -> bool {
        let ch = self.peek(ahead);
        matches!(ch, ' ' | '\t' | END) || is_break(ch)
    }

    /// Goes on to the next token, over spaces, comments and line ends.
    pub(super) fn skip(&mut self) {
        loop {
            self.take_while(|ch| ch == ' ');
            if self.peek(0) == '#' {
                self.take_while(|ch| !is_break(ch));
                self.take_while(is_break);
            } else if is_break(self.peek(0)) {
                self.bump();
                // The published reader forgives tabs below an empty line, and only there.
                if self.peek(0) == '\n' {
                    self.take_while(|ch| is_break(ch) || matches!(ch, ' ' | '\t'));
                }
            } else {
                return;
            }
        }
    }

    /// Goes to the next line after this one that looks like `key: value` at this indentation.
    pub(super) fn next_key_line(&mut self, indent: usize) {
        while !self.at_end() {
            self.take_while(|ch| !is_break(ch));
            self.bump();
            let start = self.place;
            let spaces = self.take_while(|ch| ch == ' ').len();
            let key = self.take_while(|ch| ch.is_alphanumeric() || "-_.'\"".contains(ch));
            let found = spaces == indent && !key.is_empty() && self.at_indicator(':');
            self.place = start;
            if found {
                self.take_while(|ch| ch == ' ');
                return;
            }
        }
    }
}

/// Whether a character ends a line for the published reader.
pub(super) fn is_break(ch: char) -> bool {
    matches!(ch, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

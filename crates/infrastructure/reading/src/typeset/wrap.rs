//! Wraps lines at a margin.

/// A tab moves to the next multiple of this column.
const TAB: usize = 8;

/// A word and its first column.
pub(crate) type PlacedWord = (usize, String);

/// Wraps a line of text into lines of at most `columns` characters. Breaks between words, and within a word only if it is
/// longer than a line. A line without words gives no lines.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<Vec<PlacedWord>> {
    let mut wrapper = LineWrapper { columns: columns.max(1), ..LineWrapper::default() };
    for character in text.chars() {
        if character == '\t' {
            wrapper.end_word();
            wrapper.column = (wrapper.column / TAB + 1) * TAB;
        } else if character.is_whitespace() {
            wrapper.end_word();
            wrapper.column += 1;
        } else if is_visible(character) {
            wrapper.write(character);
        }
    }
    wrapper.finish();
    wrapper.lines
}

/// Whether a character is visible. Control characters, soft hyphens and zero-width characters would keep a search from
/// finding the word.
fn is_visible(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{AD}' | '\u{200B}' | '\u{FEFF}')
}

#[derive(Default)]
struct LineWrapper {
    columns: usize,
    lines: Vec<Vec<PlacedWord>>,
    line: Vec<PlacedWord>,
    /// The column after the last word.
    column: usize,
    word: String,
    length: usize,
}

impl LineWrapper {
    fn write(&mut self, letter: char) {
        if self.length == self.columns {
            self.end_word();
        }
        self.word.push(letter);
        self.length += 1;
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        if self.column + self.length > self.columns {
            self.break_line();
        }
        self.line.push((self.column, std::mem::take(&mut self.word)));
        self.column += std::mem::take(&mut self.length);
    }

    fn break_line(&mut self) {
        self.column = 0;
        if !self.line.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
    }

    fn finish(&mut self) {
        self.end_word();
        self.break_line();
    }
}

//! Lines that end at a margin.

/// A tab goes on to the next multiple of this column.
const TAB: usize = 8;

/// A word and the column it begins in.
pub(crate) type PlacedWord = (usize, String);

/// One line of text as lines of at most so many columns: parted between words, and within a word only if it is longer
/// than a line. Nothing for a line without words.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<Vec<PlacedWord>> {
    let mut wrapping = LineWrapper { columns: columns.max(1), ..LineWrapper::default() };
    for character in text.chars() {
        if character == '\t' {
            wrapping.end_word();
            wrapping.column = (wrapping.column / TAB + 1) * TAB;
        } else if character.is_whitespace() {
            wrapping.end_word();
            wrapping.column += 1;
        } else if is_visible(character) {
            wrapping.write(character);
        }
    }
    wrapping.end_line();
    wrapping.lines
}

/// Control characters, soft hyphens and joints of no width would only keep a word from being found.
fn is_visible(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{AD}' | '\u{200B}' | '\u{FEFF}')
}

#[derive(Default)]
struct LineWrapper {
    columns: usize,
    lines: Vec<Vec<PlacedWord>>,
    line: Vec<PlacedWord>,
    /// The column behind what was written last.
    column: usize,
    word: String,
    letters: usize,
}

impl LineWrapper {
    fn write(&mut self, letter: char) {
        if self.letters == self.columns {
            self.end_word();
        }
        self.word.push(letter);
        self.letters += 1;
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        if self.column + self.letters > self.columns {
            self.end_text_line();
        }
        self.line.push((self.column, std::mem::take(&mut self.word)));
        self.column += std::mem::take(&mut self.letters);
    }

    fn end_text_line(&mut self) {
        self.column = 0;
        if !self.line.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
    }

    fn end_line(&mut self) {
        self.end_word();
        self.end_text_line();
    }
}

//! Counts what a text consists of.

use std::collections::HashSet;

use super::script::Script;
use super::{MAX_SCRIPT_CHANGES, MAX_SYMBOLS, MIN_CHARACTERS, MIN_NEIGHBOURS, TextProperty, share};

/// A text with fewer words has few words.
const FEW_WORDS: usize = 20;
/// The fewest lines of a form that are to be filled in, and their share of all lines.
const FORM_LINES: (usize, f32) = (3, 0.2);
/// So many different words are a document, however short they are, and so are so many lines of a form that are to be filled in.
const DOCUMENT_WORDS: usize = 10;
const DOCUMENT_LINES_TO_FILL: usize = 2;
/// So many equal dots or strokes are a blank to fill in.
const BLANK: usize = 4;

#[derive(Default)]
pub(super) struct TextCounts {
    /// Characters that are not white space.
    pub(super) visible: usize,
    /// Glyphs without a character, except single ones, which are bullets and other ornaments.
    pub(super) unmapped: usize,
    pub(super) letters: usize,
    has_unmapped: bool,
    digits: usize,
    latin: usize,
    symbols: usize,
    /// Visible characters, a row of equal symbols counted once.
    distinct: usize,
    words: usize,
    lines: usize,
    lines_to_fill: usize,
    neighbours: usize,
    script_changes: usize,
}

impl TextCounts {
    pub(super) fn of(text: &str) -> Self {
        let mut counts = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            counts.lines += 1;
            counts.lines_to_fill += usize::from(is_to_fill(line));
        }
        let mut single = 0;
        for token in text.split_whitespace() {
            let unmapped = counts.token(token);
            single += usize::from(unmapped == 1 && token.chars().count() == 1);
            counts.unmapped += unmapped;
        }
        counts.has_unmapped = counts.unmapped > 0;
        // Ornaments stand alone among words; if hardly anything else is there, they are the words.
        if single * 2 < counts.visible {
            counts.unmapped -= single;
        }
        counts
    }

    /// Counts a token and returns how many of its glyphs have no character.
    fn token(&mut self, token: &str) -> usize {
        let mut unmapped = 0;
        let mut script = None;
        let mut symbol = None;
        self.words += usize::from(token.contains(char::is_alphabetic));
        for character in token.chars() {
            self.visible += 1;
            let before = std::mem::take(&mut script);
            let symbol_before = std::mem::take(&mut symbol);
            if is_unmapped(character) {
                unmapped += 1;
            } else if character.is_alphabetic() {
                let of_letter = Script::of(character);
                self.letters += 1;
                self.latin += usize::from(of_letter == Script::Latin);
                self.neighbours += usize::from(before.is_some());
                self.script_changes += usize::from(before.is_some_and(|before| before != of_letter));
                script = Some(of_letter);
            } else if character.is_numeric() {
                self.digits += 1;
            } else if is_symbol(character) {
                symbol = Some(character);
                if symbol_before == symbol {
                    continue;
                }
                self.symbols += 1;
            }
            self.distinct += 1;
        }
        unmapped
    }

    /// Whether so few characters are a document all the same: a receipt of ten words, a form that nobody has filled in.
    /// `text` is the same text, of a few characters. Each sign of Chinese and Japanese counts as a word.
    pub(super) fn is_short_document(&self, text: &str) -> bool {
        let signs = text.chars().filter(|character| is_ideograph(*character)).map(String::from);
        let others = text.split(|character: char| character.is_whitespace() || is_ideograph(character));
        let others = others.filter(|word| word.contains(char::is_alphanumeric)).map(str::to_owned);
        let words: HashSet<String> = signs.chain(others).collect();
        words.len() >= DOCUMENT_WORDS
            || (self.lines_to_fill >= DOCUMENT_LINES_TO_FILL && self.letters >= DOCUMENT_WORDS)
    }

    /// Whether there are symbols instead of words, or letters of all scripts at random.
    pub(super) fn is_noise(&self) -> bool {
        (self.distinct >= MIN_CHARACTERS && share(self.symbols, self.distinct) > MAX_SYMBOLS)
            || (self.neighbours >= MIN_NEIGHBOURS
                && share(self.script_changes, self.neighbours) > MAX_SCRIPT_CHANGES)
    }

    pub(super) fn properties(&self) -> Vec<TextProperty> {
        let (fewest, least) = FORM_LINES;
        let rules = [
            (TextProperty::FewWords, self.words < FEW_WORDS && !self.is_east_asian()),
            (TextProperty::MostlyFigures, self.digits > self.letters),
            (
                TextProperty::Form,
                self.lines_to_fill >= fewest && share(self.lines_to_fill, self.lines) >= least,
            ),
            (TextProperty::OtherScript, self.latin * 2 < self.letters),
            (TextProperty::SomeUnmappedGlyphs, self.has_unmapped),
        ];
        rules.into_iter().filter(|(_, holds)| *holds).map(|(property, _)| property).collect()
    }

    /// Chinese and Japanese put no spaces between words, so their words cannot be counted.
    fn is_east_asian(&self) -> bool {
        self.latin * 2 < self.letters && self.letters > self.words * 6 && self.letters >= 2 * FEW_WORDS
    }
}

/// A glyph whose font does not say which character it is: a control character, a replacement or one for private use.
fn is_unmapped(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{FFFD}' | '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFD}')
}

/// A sign that is a word, or most of one.
fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

fn is_symbol(character: char) -> bool {
    character.is_ascii_punctuation()
        || matches!(character, '\u{A1}'..='\u{BF}' | '×' | '÷' | '\u{2010}'..='\u{205E}' | '\u{2190}'..='\u{22FF}')
}

/// Whether a line has a blank or a box, or ends with the colon of a label.
fn is_to_fill(line: &str) -> bool {
    let mut row = (' ', 0);
    let has_blank = line.chars().any(|character| {
        row = if row.0 == character { (character, row.1 + 1) } else { (character, 1) };
        row.1 >= BLANK && "._…·-–".contains(character)
    });
    has_blank || line.trim_end().ends_with(':') || line.contains(['☐', '☑', '☒', '□', '■', '▢'])
}

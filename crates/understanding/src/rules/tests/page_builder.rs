//! Builds pages: words with their positions, as a reader gives them.

use std::ops::Range;

use quire_domain::reading::{Line, Page, Rect, Word};

/// The width of a letter and the height of a line, in points.
const LETTER: f32 = 5.0;
const HEIGHT: f32 = 10.0;

/// A page under construction.
pub(super) struct PageBuilder {
    page: Page,
}

impl PageBuilder {
    pub(super) fn new() -> Self {
        Self { page: Page { width: 595.0, height: 842.0, ..Page::default() } }
    }

    /// A page with these lines, one below the other.
    pub(super) fn lines(lines: &[&str]) -> Page {
        let mut paper = Self::new();
        let mut y = 50.0;
        for line in lines {
            if !line.is_empty() {
                paper.text_at(50.0, y, line);
            }
            y += 14.0;
        }
        paper.page()
    }

    /// Adds a line at a position.
    pub(super) fn text_at(&mut self, x: f32, y: f32, text: &str) {
        self.row(y, &[(x, text)]);
    }

    /// Adds a line whose parts stand at these positions: columns that the reader took for one line.
    pub(super) fn row(&mut self, y: f32, parts: &[(f32, &str)]) {
        let mut words = Vec::new();
        for (x, text) in parts {
            let mut x0 = *x;
            for word in text.split_whitespace() {
                let width = LETTER * f32::from(u16::try_from(word.chars().count()).unwrap());
                let rect = Rect { x0, y0: y, x1: x0 + width, y1: y + HEIGHT };
                words.push(Word::new(word, rect));
                x0 += width + LETTER * 0.6;
            }
        }
        self.page.lines.push(Line { words, opens_paragraph: false });
    }

    /// Adds a line of text whose characters are all as wide: two spaces separate cells.
    pub(super) fn monospaced(&mut self, x: f32, y: f32, text: &str) {
        let mut words: Vec<Word> = Vec::new();
        let mut is_open = false;
        let mut x0 = x;
        for letter in text.chars() {
            if letter == ' ' {
                is_open = false;
            } else if let Some(word) = words.last_mut().filter(|_| is_open) {
                word.text.push(letter);
                word.rect.x1 = x0 + LETTER;
            } else {
                let rect = Rect { x0, y0: y, x1: x0 + LETTER, y1: y + HEIGHT };
                words.push(Word::new(letter, rect));
                is_open = true;
            }
            x0 += LETTER;
        }
        if !words.is_empty() {
            self.page.lines.push(Line { words, opens_paragraph: false });
        }
    }

    /// Draws a line across, below these letters of a line of text that starts at `x`.
    pub(super) fn rule(&mut self, x: f32, y: f32, letters: Range<usize>) {
        let place = |letter: usize| x + LETTER * (f32::from(u16::try_from(letter).unwrap()) + 0.5);
        self.page.rulings.push(Rect { x0: place(letters.start), y0: y, x1: place(letters.end), y1: y });
    }

    /// Draws a line down, at this letter of a line of text that starts at `x`.
    pub(super) fn upright(&mut self, x: f32, letter: usize, y: Range<f32>) {
        let x = x + LETTER * (f32::from(u16::try_from(letter).unwrap()) + 0.5);
        self.page.rulings.push(Rect { x0: x, y0: y.start, x1: x, y1: y.end });
    }

    pub(super) fn page(self) -> Page {
        self.page
    }
}

/// The page as a scan with recognised text: slightly tilted, with digits instead of some letters in its labels.
pub(super) fn scanned(mut page: Page) -> Page {
    page.recognised = true;
    for (place, line) in page.lines.iter_mut().enumerate() {
        for word in &mut line.words {
            let fall = 0.012 * word.rect.x0;
            word.rect.y0 += fall;
            word.rect.y1 += fall;
            if word.text.ends_with(':') && place % 3 == 0 {
                word.text = word.text.replacen('o', "0", 1).replacen('í', "i", 1);
            } else if word.text.ends_with(':') && word.text.len() > 8 {
                word.text = word.text.replacen('t', "l", 1);
            }
        }
    }
    page
}

//! The text of a document: pages, lines and words with their positions, and a plain text whose every range leads back
//! to its words on the page.
//!
//! Coordinates are points (1/72 inch) from the top left corner of the page as a person sees it, cropped and upright,
//! with x to the right and y down. A page image at scale `s` shows the point (x, y) at the pixel (s·x, s·y).

mod analysis;
mod embedded_data;
mod extractor;
mod file_kind;
pub mod quality;
mod table;
mod word;

use std::ops::Range;

pub use analysis::{AnalysedCell, AnalysedDocument, AnalysedTable, Analysis, KeyValuePair, PlacedText};
pub use embedded_data::{DataFinding, DataValue, EmbeddedData};
pub use extractor::Extractor;
pub use file_kind::{DATA_NAMESPACES, FileKind};
use serde::{Deserialize, Serialize};
pub use table::{Table, TableCell};
pub use word::Word;

/// The longer side of the page of a picture, in points: that of A4. A picture has no size of its own on paper.
pub const PICTURE_LONG_SIDE: f32 = 842.0;

/// A rectangle on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // Left, top, right, bottom.
pub struct Rect {
    pub x0: f32,
    pub y0: f32,
    pub x1: f32,
    pub y1: f32,
}

impl Rect {
    /// The smallest rectangle that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }
}

/// The words of one line, in reading order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Line {
    pub words: Vec<Word>,
    /// Whether a paragraph starts with this line.
    pub opens_paragraph: bool,
}

/// A page, in reading order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Page {
    pub width: f32,
    pub height: f32,
    pub lines: Vec<Line>,
    /// Whether its words were recognised from an image.
    pub recognised: bool,
    /// Text that an opaque mark hides, such as a black bar. The file contains it, but nobody sees it on the page, so it is
    /// no part of the page's text.
    #[serde(default)]
    pub covered: Vec<Line>,
    /// Why the page could not be read, if it could not. The other pages of the document are used without it.
    #[serde(default)]
    pub unread: Option<UnreadPage>,
    /// Data that the file contains beside its pages. It belongs to the document and is kept with its first page.
    #[serde(default)]
    pub data: Vec<EmbeddedData>,
    /// Thin lines across or down, which separate the cells of tables.
    #[serde(default)]
    pub rulings: Vec<Rect>,
}

/// Why one page of a document could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadPage {
    /// The stable code.
    pub error_code: String,
    /// What happened and what to do, for people. Never document text.
    pub message: String,
}

impl Page {
    /// The number of its words.
    pub fn word_count(&self) -> usize {
        self.lines.iter().map(|line| line.words.len()).sum()
    }

    /// The number of words that an opaque mark hides.
    pub fn covered_word_count(&self) -> usize {
        self.covered.iter().map(|line| line.words.len()).sum()
    }
}

/// The text of a document with positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Reading {
    pub pages: Vec<Page>,
}

/// The plain text of a document. A space separates words, a line break separates lines and pages, and an empty line
/// stands before each paragraph except the first of a page. Words broken at the end of a line are joined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainText {
    /// The text itself.
    pub text: String,
    /// The position of each word in the text, in order.
    spans: Vec<Span>,
}

#[derive(Clone, Debug, PartialEq)]
struct Span {
    bytes: Range<usize>,
    page: usize,
    rect: Rect,
}

/// The position of a word on its page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The page, from 1.
    pub page: usize,
    /// The rectangle of the word.
    pub rect: Rect,
}

impl Reading {
    /// Whether the file contains data that says what its pages say.
    pub fn has_data(&self) -> bool {
        self.pages.iter().flat_map(|page| &page.data).any(EmbeddedData::is_document)
    }

    /// The plain text, with the positions of its words.
    pub fn plain_text(&self) -> PlainText {
        let mut plain = PlainText::default();
        for (page, number) in self.pages.iter().zip(1..) {
            plain.write_page(page, number);
        }
        plain
    }
}

impl PlainText {
    /// The locations of the words that a byte range of the text touches, in order. Uses binary search.
    pub fn locations(&self, range: Range<usize>) -> Vec<Location> {
        let first = self.spans.partition_point(|span| span.bytes.end <= range.start);
        let touched = self.spans[first..].iter().take_while(|span| span.bytes.start < range.end);
        touched.map(|span| Location { page: span.page, rect: span.rect }).collect()
    }

    /// Every word with its bytes in the text and its place, in order. A word broken at the end of a line comes in two parts.
    pub fn words(&self) -> impl Iterator<Item = (Range<usize>, Location)> {
        self.spans.iter().map(|span| (span.bytes.clone(), Location { page: span.page, rect: span.rect }))
    }

    fn write_page(&mut self, page: &Page, number: usize) {
        for (index, line) in page.lines.iter().enumerate() {
            if index > 0 && line.opens_paragraph {
                self.text.push('\n');
            }
            let next = page.lines.get(index + 1);
            let broken = next.is_some_and(|next| is_broken_word(line, next));
            self.write_line(line, number, broken);
        }
    }

    /// A broken last word is joined with the first word of the next line, without its hyphen.
    fn write_line(&mut self, line: &Line, page: usize, broken: bool) {
        for (place, word) in line.words.iter().enumerate() {
            let whole = place + 1 < line.words.len() || !broken;
            let text = if whole { &word.text } else { word.text.strip_suffix(HYPHENS).unwrap_or(&word.text) };
            let start = self.text.len();
            self.text.push_str(text);
            self.spans.push(Span { bytes: start..self.text.len(), page, rect: word.rect });
            if whole {
                self.text.push(' ');
            }
        }
        if !broken {
            if self.text.ends_with(' ') {
                self.text.pop();
            }
            self.text.push('\n');
        }
    }
}

/// Hyphens that break a word at the end of a line.
const HYPHENS: [char; 3] = ['-', '\u{2010}', '\u{AD}'];

/// Whether the last word of a line continues in the next: it ends with a letter and a hyphen, and the next line
/// starts with a lower-case letter.
fn is_broken_word(line: &Line, next: &Line) -> bool {
    let (Some(last), Some(first)) = (line.words.last(), next.words.first()) else { return false };
    let Some(stem) = last.text.strip_suffix(HYPHENS) else { return false };
    !next.opens_paragraph && stem.ends_with(char::is_alphabetic) && first.text.starts_with(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, x0: f32) -> Word {
        Word::new(text, Rect { x0, y0: 0.0, x1: x0 + 10.0, y1: 10.0 })
    }

    fn page(lines: &[&[&str]]) -> Page {
        let lines = lines.iter().map(|words| Line {
            words: (0u8..).zip(*words).map(|(place, text)| word(text, f32::from(place) * 20.0)).collect(),
            opens_paragraph: false,
        });
        Page { width: 100.0, height: 100.0, lines: lines.collect(), ..Page::default() }
    }

    /// Proves R087 for the way back: the page is the real one, from 1.
    #[test]
    fn any_range_of_the_text_has_its_locations_on_the_page() {
        let reading = Reading {
            pages: vec![page(&[&["Peso:", "4,2", "kg"], &["Año"]]), page(&[]), page(&[&["fin"]])],
        };
        let plain = reading.plain_text();
        assert_eq!(plain.text, "Peso: 4,2 kg\nAño\nfin\n");
        let find = |snippet: &str| {
            let start = plain.text.find(snippet).unwrap();
            plain.locations(start..start + snippet.len())
        };
        let pages = |snippet: &str| find(snippet).iter().map(|place| place.page).collect::<Vec<_>>();
        assert_eq!(pages("4,2 kg"), [1, 1]);
        assert_eq!(find("4,2 kg")[0].rect.x0.to_bits(), 20.0f32.to_bits());
        assert_eq!(pages("ño"), [1], "part of a word is the word");
        assert_eq!(pages("fin"), [3]);
        assert_eq!(pages("kg\nAño\nfin"), [1, 1, 3]);
        assert!(plain.locations(5..6).is_empty(), "between two words there is none");
        assert!(plain.locations(plain.text.len()..plain.text.len() + 9).is_empty());
    }

    /// Proves R087: a word that was broken is found whole in the text, and its stretch is both its parts on the page.
    #[test]
    fn a_word_broken_at_the_end_of_a_line_is_joined_and_has_two_locations() {
        for hyphen in ["-", "\u{AD}", "\u{2010}"] {
            let broken = format!("trata{hyphen}");
            let reading = Reading { pages: vec![page(&[&["el", &broken], &["miento", "sigue"]])] };
            let plain = reading.plain_text();
            assert_eq!(plain.text, "el tratamiento sigue\n");
            assert_eq!(plain.locations(3..14).len(), 2, "both parts");
            assert_eq!(plain.locations(3..4).len(), 1, "its beginning is on the first line");
            assert_eq!(plain.locations(15..20).len(), 1, "the next word is another one");
        }
    }

    #[test]
    fn a_hyphen_that_breaks_no_word_stays() {
        let text = |lines: &[&[&str]]| Reading { pages: vec![page(lines)] }.plain_text().text;
        assert_eq!(text(&[&["10-"], &["20"]]), "10-\n20\n");
        assert_eq!(text(&[&["Rio-"], &["Negro"]]), "Rio-\nNegro\n");
        assert_eq!(text(&[&["a", "-"], &["b"]]), "a -\nb\n");
        let pages = vec![page(&[&["trata-"]]), page(&[&["miento"]])];
        assert_eq!(Reading { pages }.plain_text().text, "trata-\nmiento\n", "never across pages");
        let mut apart = page(&[&["trata-"], &["miento"]]);
        apart.lines[1].opens_paragraph = true;
        assert_eq!(Reading { pages: vec![apart] }.plain_text().text, "trata-\n\nmiento\n", "nor paragraphs");
    }

    #[test]
    fn an_empty_line_separates_paragraphs_within_a_page() {
        let mut first = page(&[&["uno"], &["dos"], &["tres"]]);
        first.lines[0].opens_paragraph = true;
        first.lines[2].opens_paragraph = true;
        let mut second = page(&[&["cuatro"]]);
        second.lines[0].opens_paragraph = true;
        let plain = Reading { pages: vec![first, second] }.plain_text();
        assert_eq!(plain.text, "uno\ndos\n\ntres\ncuatro\n");
    }
}

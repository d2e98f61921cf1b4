//! The markup of a part, as far as it is text: paragraphs and rows of tables, in the order they stand in.
//!
//! Elements are known by their names without prefix. What is not named here is passed through, so that text inside
//! hyperlinks, insertions, fields and content controls is found wherever it stands.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::DocxError;
use crate::typeset::Block;

const DEEPEST: usize = 256;
/// Word itself stops at 63.
const MOST_CELLS: usize = 1_000;

/// The text of one part.
pub(super) fn blocks(part: &str) -> Result<Vec<Block>, DocxError> {
    let mut reader = Reader::from_str(part);
    let mut writer = Writer::default();
    loop {
        match reader.read_event().map_err(|_| DocxError::Invalid)? {
            Event::Start(element) => writer.open(&element)?,
            Event::Empty(element) => {
                writer.open(&element)?;
                writer.close();
            }
            Event::End(_) => writer.close(),
            Event::Text(text) => writer.text(&text),
            Event::CData(text) => writer.text(&text.into_inner()),
            Event::GeneralRef(reference) => writer.text(character(&reference)?.encode_utf8(&mut [0; 4])),
            Event::DocType(_) => return Err(DocxError::Doctype),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    // The reader does not mind a part that was cut off between two elements.
    if writer.elements.is_empty() { Ok(writer.blocks) } else { Err(DocxError::Invalid) }
}

/// Only the five names that XML itself has, and numbers.
fn character(reference: &BytesRef<'_>) -> Result<char, DocxError> {
    match &**reference {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "apos" => Ok('\''),
        "quot" => Ok('"'),
        _ => reference.resolve_char_ref().ok().flatten().ok_or(DocxError::Invalid),
    }
}

/// What an open element means for the text in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Paragraph,
    Run,
    Text,
    Row,
    Cell,
    /// The same thing said for newer and for older programs; true once one of them was read.
    Alternatives {
        read: bool,
    },
    /// Nothing in it is read.
    Skipped,
    Other,
}

/// Something unfinished that text or blocks go into.
enum Unfinished {
    /// Text boxes stand inside the paragraph they are anchored to and are read after it.
    Paragraph {
        text: String,
        boxes: Vec<Block>,
    },
    Row(Vec<String>),
    Cell(String),
}

#[derive(Default)]
struct Writer {
    elements: Vec<Element>,
    unfinished: Vec<Unfinished>,
    blocks: Vec<Block>,
}

impl Writer {
    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), DocxError> {
        if self.elements.len() == DEEPEST {
            return Err(DocxError::TooDeep);
        }
        self.check_row()?;
        let opened = self.meaning(element);
        match opened {
            Element::Paragraph => {
                self.unfinished.push(Unfinished::Paragraph { text: String::new(), boxes: Vec::new() });
            }
            Element::Row => self.unfinished.push(Unfinished::Row(Vec::new())),
            Element::Cell => self.unfinished.push(Unfinished::Cell(String::new())),
            _ => {}
        }
        self.elements.push(opened);
        Ok(())
    }

    fn meaning(&mut self, element: &BytesStart<'_>) -> Element {
        let name = element.local_name();
        let around = self.elements.last_mut();
        match (name.as_ref(), around) {
            // Deleted text, and the place that moved text was taken from.
            (_, Some(Element::Skipped)) | ("del" | "moveFrom", _) => Element::Skipped,
            ("p", _) => Element::Paragraph,
            ("r", _) => Element::Run,
            ("t", _) => Element::Text,
            ("tr", _) => Element::Row,
            ("tc", _) => Element::Cell,
            ("AlternateContent", _) => Element::Alternatives { read: false },
            ("Choice" | "Fallback", Some(Element::Alternatives { read })) => {
                if std::mem::replace(read, true) { Element::Skipped } else { Element::Other }
            }
            (name, Some(Element::Run)) => {
                self.mark(name, element);
                Element::Other
            }
            ("pageBreakBefore", _) if !is_off(element) => {
                self.write('\u{c}');
                Element::Other
            }
            _ => Element::Other,
        }
    }

    /// An element of a run that stands for a character. Outside of runs the same names set tab stops and borders.
    fn mark(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "tab" | "ptab" => self.write('\t'),
            "noBreakHyphen" => self.write('-'),
            "br" if value(element, "type").as_deref() == Some("page") => self.write('\u{c}'),
            "br" | "cr" => self.write('\n'),
            _ => {}
        }
    }

    /// Text counts only inside of `w:t`: everywhere else it is instructions and numbers. White space in it is space.
    fn text(&mut self, text: &str) {
        if self.elements.last() == Some(&Element::Text) {
            for character in text.chars() {
                self.write(if character.is_whitespace() { ' ' } else { character });
            }
        }
    }

    /// Text outside of any paragraph is nobody's.
    fn write(&mut self, character: char) {
        if let Some(Unfinished::Paragraph { text, .. }) = self.unfinished.last_mut() {
            text.push(character);
        }
    }

    fn close(&mut self) {
        if matches!(self.elements.pop(), Some(Element::Paragraph | Element::Row | Element::Cell)) {
            match self.unfinished.pop() {
                Some(Unfinished::Paragraph { text, boxes }) => {
                    // A page break without a word is still one.
                    if text.contains(|character: char| !character.is_whitespace() || character == '\u{c}') {
                        self.finish(Block::Paragraph(text));
                    }
                    for text_box in boxes {
                        self.finish(text_box);
                    }
                }
                Some(Unfinished::Row(cells)) if cells.iter().any(|cell| !cell.trim().is_empty()) => {
                    self.finish(Block::Row(cells));
                }
                Some(Unfinished::Cell(text)) => {
                    if let Some(Unfinished::Row(cells)) = self.unfinished.last_mut() {
                        cells.push(text);
                    }
                }
                Some(Unfinished::Row(_)) | None => {}
            }
        }
    }

    /// A finished block goes where it stands. A table within a cell is a line of that cell for each of its rows.
    fn finish(&mut self, block: Block) {
        match self.unfinished.last_mut() {
            Some(Unfinished::Cell(cell)) => {
                if !cell.is_empty() {
                    cell.push('\n');
                }
                match block {
                    Block::Paragraph(text) => cell.push_str(&text),
                    Block::Row(cells) => cell.push_str(&cells.join("  ")),
                }
            }
            Some(Unfinished::Paragraph { boxes, .. }) => boxes.push(block),
            Some(Unfinished::Row(_)) | None => self.blocks.push(block),
        }
    }

    fn check_row(&self) -> Result<(), DocxError> {
        match self.unfinished.last() {
            Some(Unfinished::Row(cells)) if cells.len() >= MOST_CELLS => Err(DocxError::TooLarge),
            _ => Ok(()),
        }
    }
}

/// The value of an attribute by its name without prefix.
fn value(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let attributes = attributes.with_checks(false).flatten();
    let mut named = attributes.filter(|attribute| attribute.key.local_name().as_ref() == name);
    named.next().map(|attribute| attribute.value.into_owned())
}

/// Word writes `w:val="0"` to take back what a style says.
fn is_off(element: &BytesStart<'_>) -> bool {
    matches!(value(element, "val").as_deref(), Some("0" | "false" | "off"))
}

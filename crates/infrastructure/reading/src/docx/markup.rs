//! Extracts the text of a `WordprocessingML` part: paragraphs and table rows, in document order.
//!
//! Elements are recognised by their names without prefix. The content of all other elements is read too, so that text in
//! hyperlinks, insertions, fields and content controls is found.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::DocxError;
use crate::typeset::TextBlock;

const MAX_DEPTH: usize = 256;
/// The most cells of a row. Word itself allows 63.
const MAX_CELLS: usize = 1_000;

/// The text blocks of one part.
pub(super) fn parse_blocks(part: &str) -> Result<Vec<TextBlock>, DocxError> {
    let mut reader = Reader::from_str(part);
    let mut writer = BlockWriter::default();
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
            Event::GeneralRef(reference) => writer.text(resolve_entity(&reference)?.encode_utf8(&mut [0; 4])),
            Event::DocType(_) => return Err(DocxError::Doctype),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    // The XML reader accepts a part that is cut off between two elements.
    if writer.elements.is_empty() { Ok(writer.blocks) } else { Err(DocxError::Invalid) }
}

/// Resolves the five predefined entities of XML and numeric references. Others are invalid.
fn resolve_entity(reference: &BytesRef<'_>) -> Result<char, DocxError> {
    match &**reference {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "apos" => Ok('\''),
        "quot" => Ok('"'),
        _ => reference.resolve_char_ref().ok().flatten().ok_or(DocxError::Invalid),
    }
}

/// The role of an open element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Paragraph,
    Run,
    Text,
    Row,
    Cell,
    /// Alternative contents for newer and older programs. `read` is true once one of them was read.
    Alternatives {
        read: bool,
    },
    /// Its content is ignored.
    Skipped,
    Other,
}

/// A block that is not closed yet.
enum OpenBlock {
    /// Text boxes are inside the paragraph that they are anchored to. They are read after it.
    Paragraph {
        text: String,
        boxes: Vec<TextBlock>,
    },
    Row(Vec<String>),
    Cell(String),
}

#[derive(Default)]
struct BlockWriter {
    elements: Vec<ElementKind>,
    open_blocks: Vec<OpenBlock>,
    blocks: Vec<TextBlock>,
}

impl BlockWriter {
    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), DocxError> {
        if self.elements.len() == MAX_DEPTH {
            return Err(DocxError::TooDeep);
        }
        self.check_row()?;
        let kind = self.classify(element);
        match kind {
            ElementKind::Paragraph => {
                self.open_blocks.push(OpenBlock::Paragraph { text: String::new(), boxes: Vec::new() });
            }
            ElementKind::Row => self.open_blocks.push(OpenBlock::Row(Vec::new())),
            ElementKind::Cell => self.open_blocks.push(OpenBlock::Cell(String::new())),
            _ => {}
        }
        self.elements.push(kind);
        Ok(())
    }

    fn classify(&mut self, element: &BytesStart<'_>) -> ElementKind {
        let name = element.local_name();
        let parent = self.elements.last_mut();
        match (name.as_ref(), parent) {
            // Deleted text, and the original position of moved text.
            (_, Some(ElementKind::Skipped)) | ("del" | "moveFrom", _) => ElementKind::Skipped,
            ("p", _) => ElementKind::Paragraph,
            ("r", _) => ElementKind::Run,
            ("t", _) => ElementKind::Text,
            ("tr", _) => ElementKind::Row,
            ("tc", _) => ElementKind::Cell,
            ("AlternateContent", _) => ElementKind::Alternatives { read: false },
            ("Choice" | "Fallback", Some(ElementKind::Alternatives { read })) => {
                if std::mem::replace(read, true) { ElementKind::Skipped } else { ElementKind::Other }
            }
            (name, Some(ElementKind::Run)) => {
                self.write_special_character(name, element);
                ElementKind::Other
            }
            ("pageBreakBefore", _) if !is_off(element) => {
                self.write('\u{c}');
                ElementKind::Other
            }
            _ => ElementKind::Other,
        }
    }

    /// Writes the character that an element of a run stands for. Outside of runs the same names define tab stops and
    /// borders.
    fn write_special_character(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "tab" | "ptab" => self.write('\t'),
            "noBreakHyphen" => self.write('-'),
            "br" if attribute(element, "type").as_deref() == Some("page") => self.write('\u{c}'),
            "br" | "cr" => self.write('\n'),
            _ => {}
        }
    }

    /// Appends text. Only text inside `w:t` counts: elsewhere it is instructions and numbers. White space becomes a space.
    fn text(&mut self, text: &str) {
        if self.elements.last() == Some(&ElementKind::Text) {
            for character in text.chars() {
                self.write(if character.is_whitespace() { ' ' } else { character });
            }
        }
    }

    /// Appends a character to the open paragraph. Text outside of paragraphs is ignored.
    fn write(&mut self, character: char) {
        if let Some(OpenBlock::Paragraph { text, .. }) = self.open_blocks.last_mut() {
            text.push(character);
        }
    }

    fn close(&mut self) {
        if matches!(self.elements.pop(), Some(ElementKind::Paragraph | ElementKind::Row | ElementKind::Cell))
        {
            match self.open_blocks.pop() {
                Some(OpenBlock::Paragraph { text, boxes }) => {
                    // A paragraph with only a page break still starts a page.
                    if text.contains(|character: char| !character.is_whitespace() || character == '\u{c}') {
                        self.finish(TextBlock::Paragraph(text));
                    }
                    for text_box in boxes {
                        self.finish(text_box);
                    }
                }
                Some(OpenBlock::Row(cells)) if cells.iter().any(|cell| !cell.trim().is_empty()) => {
                    self.finish(TextBlock::Row(cells));
                }
                Some(OpenBlock::Cell(text)) => {
                    if let Some(OpenBlock::Row(cells)) = self.open_blocks.last_mut() {
                        cells.push(text);
                    }
                }
                Some(OpenBlock::Row(_)) | None => {}
            }
        }
    }

    /// Adds a closed block to the block around it. Each row of a table within a cell becomes a line of that cell.
    fn finish(&mut self, block: TextBlock) {
        match self.open_blocks.last_mut() {
            Some(OpenBlock::Cell(cell)) => {
                if !cell.is_empty() {
                    cell.push('\n');
                }
                match block {
                    TextBlock::Paragraph(text) => cell.push_str(&text),
                    TextBlock::Row(cells) => cell.push_str(&cells.join("  ")),
                }
            }
            Some(OpenBlock::Paragraph { boxes, .. }) => boxes.push(block),
            Some(OpenBlock::Row(_)) | None => self.blocks.push(block),
        }
    }

    fn check_row(&self) -> Result<(), DocxError> {
        match self.open_blocks.last() {
            Some(OpenBlock::Row(cells)) if cells.len() >= MAX_CELLS => Err(DocxError::TooLarge),
            _ => Ok(()),
        }
    }
}

/// The value of an attribute, by its name without prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let attributes = attributes.with_checks(false).flatten();
    let mut named = attributes.filter(|attribute| attribute.key.local_name().as_ref() == name);
    named.next().map(|attribute| attribute.value.into_owned())
}

/// Whether an element switches a property off. Word writes `w:val="0"` to override a style.
fn is_off(element: &BytesStart<'_>) -> bool {
    matches!(attribute(element, "val").as_deref(), Some("0" | "false" | "off"))
}

//! The kind of a file, detected from its content and never from its name.

use serde::{Deserialize, Serialize};

use crate::UnknownName;

/// A PDF header may stand behind other bytes; PDF readers search this many bytes for it.
const PDF_HEADER_WITHIN: usize = 1024;
/// The entry that makes a zip file a DOCX.
const DOCX_PART: &[u8] = b"word/document.xml";
/// How many characters are searched for markup behind leading comments.
const OPENING_CHARS: usize = 4096;
/// Beginnings of markup. Such files are not plain text, because most of what they show would be tags.
const MARKUP: [&str; 9] = ["<?xml", "<!doctype", "<html", "<head", "<body", "<svg", "{\\rtf", "%!ps", "gif8"];

/// The roots of XML files whose data is known: e-invoices.
const DATA_ROOTS: [&str; 4] = ["CrossIndustryInvoice", "CrossIndustryDocument", "Invoice", "CreditNote"];
/// The beginnings of the namespaces of XML files whose data is known.
pub const DATA_NAMESPACES: [&str; 3] =
    ["urn:un:unece:uncefact:data:", "urn:oasis:names:specification:ubl:schema:xsd:", "urn:ferd:"];

/// A kind of file that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names are the documentation.
pub enum FileKind {
    Pdf,
    Png,
    Jpeg,
    Docx,
    /// Plain text and Markdown. Markdown is read as plain text.
    Text,
    /// XML whose data is known, such as an e-invoice. Other XML is no kind of file that can be read.
    Xml,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Pdf, Self::Png, Self::Jpeg, Self::Docx, Self::Text, Self::Xml];

    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Docx => "docx",
            Self::Text => "text",
            Self::Xml => "xml",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or_else(|| UnknownName {
            what: "kind of file",
            name: name.to_owned(),
            known: Self::ALL.map(Self::as_str).join(", "),
        })
    }

    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Text => "text/plain",
            Self::Xml => "application/xml",
        }
    }

    /// The usual file extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Docx => "docx",
            Self::Text => "txt",
            Self::Xml => "xml",
        }
    }

    /// Detects the kind of a file. It looks at signatures only: a file that is a PDF by its first bytes may still be
    /// too damaged to read. Takes time in proportion to the length of the file.
    pub fn sniff(file: &[u8]) -> Option<Self> {
        if file.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if file.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if file.starts_with(b"PK\x03\x04") {
            // Zip comes before PDF, because a zip file may begin with a PDF that it contains.
            has_docx_part(file).then_some(Self::Docx)
        } else if contains(&file[..file.len().min(PDF_HEADER_WITHIN)], b"%PDF-") {
            Some(Self::Pdf)
        } else if is_known_xml(file) {
            Some(Self::Xml)
        } else {
            is_text(file).then_some(Self::Text)
        }
    }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Whether the zip file has an entry of that name, in a local header or in its directory.
fn has_docx_part(zip: &[u8]) -> bool {
    zip.windows(DOCX_PART.len())
        .enumerate()
        .any(|(at, name)| name == DOCX_PART && (is_local_header(zip, at) || is_directory_header(zip, at)))
}

fn is_local_header(zip: &[u8], name_at: usize) -> bool {
    is_header(zip, name_at.checked_sub(30), b"PK\x03\x04", 26)
}

fn is_directory_header(zip: &[u8], name_at: usize) -> bool {
    is_header(zip, name_at.checked_sub(46), b"PK\x01\x02", 28)
}

/// Whether a header starts there whose name is as long as the expected one.
fn is_header(zip: &[u8], start: Option<usize>, signature: &[u8], length_at: usize) -> bool {
    let Some(header) = start.and_then(|start| zip.get(start..)) else { return false };
    let length = header.get(length_at..length_at + 2);
    header.starts_with(signature)
        && length.is_some_and(|length| usize::from(length[0]) == DOCX_PART.len() && length[1] == 0)
}

/// Whether the first element is a root of known data, in a namespace of such data.
fn is_known_xml(file: &[u8]) -> bool {
    let opening = &file[..file.len().min(OPENING_CHARS)];
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks().0.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    let opening = match opening {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(opening).into_owned(),
    };
    let mut rest = opening.trim_start_matches('\u{FEFF}').trim_start();
    while let Some(end) =
        [("<?", "?>"), ("<!--", "-->")].iter().find_map(|(start, end)| rest.starts_with(start).then_some(end))
    {
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after.trim_start();
    }
    let Some(tag) = rest.strip_prefix('<') else { return false };
    let tag = tag.split('>').next().unwrap_or(tag);
    let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    let name = name.rsplit(':').next().unwrap_or_default();
    DATA_ROOTS.contains(&name) && DATA_NAMESPACES.iter().any(|namespace| tag.contains(namespace))
}

fn is_text(file: &[u8]) -> bool {
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks().0.iter().map(|pair| unit(*pair)).collect();
        reads_as_text(char::decode_utf16(units.iter().copied()).map(|unit| unit.unwrap_or('\u{FFFD}')))
    };
    match file {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => match std::str::from_utf8(file) {
            Ok(text) => reads_as_text(text.trim_start_matches('\u{FEFF}').chars()),
            Err(_) => reads_as_text(file.iter().map(|byte| windows_1252(*byte))),
        },
    }
}

/// Tells which bytes are undefined in Windows-1252. Which character the others stand for does not matter here.
fn windows_1252(byte: u8) -> char {
    match byte {
        0x81 | 0x8d | 0x8f | 0x90 | 0x9d => '\u{81}',
        0x80..=0x9f => '€',
        _ => char::from(byte),
    }
}

fn reads_as_text(text: impl Iterator<Item = char>) -> bool {
    let mut opening = String::new();
    let mut visible = false;
    for (index, character) in text.enumerate() {
        if character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{c}') {
            return false;
        }
        visible |= !character.is_whitespace() && !matches!(character, '\u{200B}' | '\u{FEFF}');
        if index < OPENING_CHARS {
            opening.push(character.to_ascii_lowercase());
        }
    }
    visible && !is_markup(&opening)
}

fn is_markup(opening: &str) -> bool {
    let mut rest = opening.trim_start();
    while let Some((_, after)) = rest.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        rest = after.trim_start();
    }
    MARKUP.iter().filter_map(|marker| rest.strip_prefix(marker)).any(|after| {
        // `<header>` is not `<head>`; `{\rtf1` and `GIF89a` continue with a digit.
        !after.starts_with(|next: char| next.is_ascii_alphabetic())
    })
}

#[cfg(test)]
#[path = "file_kind_tests.rs"]
mod tests;

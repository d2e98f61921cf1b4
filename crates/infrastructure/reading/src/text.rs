//! Reads plain text and Markdown: decodes it, splits it into paragraphs and lays it out on pages.

use crate::ParsedPage;
use crate::typeset::{self, TextBlock, TooManyPages};

/// The characters of the bytes 0x80 to 0x9F in Windows-1252. Five bytes have none.
pub(crate) const WINDOWS_1252: [char; 32] = [
    '€', '\u{FFFD}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{FFFD}', 'Ž', '\u{FFFD}',
    '\u{FFFD}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{FFFD}', 'ž', 'Ÿ',
];

/// Reads a text file. Any bytes are valid.
pub fn read(file: &[u8]) -> Result<Vec<ParsedPage>, TooManyPages> {
    let text = decode(file).replace("\r\n", "\n").replace('\r', "\n");
    typeset::lay_out(paragraphs(&text))
}

/// Decodes a text: by its byte order mark if it has one, else as UTF-8 if valid, else as Windows-1252.
pub fn decode(file: &[u8]) -> String {
    match file {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => match std::str::from_utf8(file) {
            Ok(text) => text.trim_start_matches('\u{FEFF}').to_owned(),
            Err(_) => file.iter().map(|byte| windows_1252(*byte)).collect(),
        },
    }
}

/// A lone surrogate becomes U+FFFD. An odd last byte is dropped.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte) - 0x80],
        _ => char::from(byte),
    }
}

/// Splits a text into paragraphs at empty lines.
fn paragraphs(text: &str) -> impl Iterator<Item = TextBlock> {
    let mut lines = text.split('\n').peekable();
    std::iter::from_fn(move || {
        while lines.next_if(|line| is_empty(line)).is_some() {}
        let mut paragraph = lines.next()?.to_owned();
        while let Some(line) = lines.next_if(|line| !is_empty(line)) {
            paragraph.push('\n');
            paragraph.push_str(line);
        }
        Some(TextBlock::Paragraph(paragraph))
    })
}

/// Whether a line has no text. A form feed counts as text, because it starts a page.
fn is_empty(line: &str) -> bool {
    line.chars().all(|character| character.is_whitespace() && character != '\u{c}')
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

//! Reads Word documents: extracts the text of their parts and lays it out on pages.
//!
//! A DOCX file has no pages: Word creates them when it lays out the document, with fonts that this crate does not have.
//! So `typeset` lays out the text instead.

mod archive;
mod markup;

use crate::ParsedPage;
use crate::typeset::{self, TextBlock, TooManyPages};
use archive::DocxArchive;

/// Why a Word document cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocxError {
    /// It is not a Word document, or it is too damaged to read.
    #[error(
        "the file is not a readable Word document; open it in Word, save it as .docx and send the new file"
    )]
    Invalid,
    /// Its decompressed content exceeds a limit.
    #[error(
        "the Word document is too large: more than 64 MB in one part, 128 MB in all, 10,000 parts, or 1,000 cells in a row; split it"
    )]
    TooLarge,
    /// Its elements are nested too deeply.
    #[error(
        "the Word document is nested too deeply; open it in Word, save it as .docx and send the new file"
    )]
    TooDeep,
    /// It declares a document type. The entities in it could expand without limit.
    #[error(
        "the Word document declares a document type, which Word never does; open it in Word, save it as .docx and send the new file"
    )]
    Doctype,
    /// Its text needs too many pages.
    #[error(transparent)]
    TooManyPages(#[from] TooManyPages),
}

/// Reads a Word document: headers, body, footnotes, endnotes, footers. Each different header and footer is read once.
pub fn read(file: &[u8]) -> Result<Vec<ParsedPage>, DocxError> {
    let mut archive = DocxArchive::open(file)?;
    let mut blocks = read_headers_or_footers(&mut archive, "header")?;
    let body = archive.part("word/document.xml")?.ok_or(DocxError::Invalid)?;
    blocks.extend(markup::parse_blocks(&body)?);
    for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(notes) = archive.part(notes)? {
            blocks.extend(markup::parse_blocks(&notes)?);
        }
    }
    blocks.extend(read_headers_or_footers(&mut archive, "footer")?);
    Ok(typeset::lay_out(blocks)?)
}

/// The blocks of all headers, or of all footers. First, even and odd pages have their own, usually with the same text.
fn read_headers_or_footers(archive: &mut DocxArchive<'_>, name: &str) -> Result<Vec<TextBlock>, DocxError> {
    let mut distinct: Vec<Vec<TextBlock>> = Vec::new();
    for part in header_or_footer_parts(archive, name) {
        if let Some(content) = archive.part(&part)? {
            let blocks = markup::parse_blocks(&content)?;
            if !distinct.contains(&blocks) {
                distinct.push(blocks);
            }
        }
    }
    Ok(distinct.into_iter().flatten().collect())
}

/// The most headers, and the most footers, that are read. A document has at most three of each per section.
const MAX_HEADERS_OR_FOOTERS: usize = 100;

/// The names of the header or footer parts, by number: `word/header2.xml` comes before `word/header10.xml`.
fn header_or_footer_parts(archive: &DocxArchive<'_>, name: &str) -> Vec<String> {
    let number = |part: &str| -> Option<u32> {
        let number = part.strip_prefix("word/")?.strip_prefix(name)?.strip_suffix(".xml")?;
        if number.is_empty() { Some(0) } else { number.parse().ok() }
    };
    let mut parts: Vec<String> = archive.names().filter(|part| number(part).is_some()).collect();
    parts.sort_by_key(|part| number(part));
    parts.truncate(MAX_HEADERS_OR_FOOTERS);
    parts
}

#[cfg(test)]
mod tests;

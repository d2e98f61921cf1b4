//! Word documents: the text of their parts, set on pages.
//!
//! A DOCX has no pages; they come to be when Word lays it out, with fonts that are not here. So its text is set anew.

mod archive;
mod markup;

use crate::ParsedPage;
use crate::typeset::{self, TextBlock, TooManyPages};
use archive::DocxArchive;

/// Why a Word document cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocxError {
    /// It is none, or too damaged.
    #[error(
        "the file is not a Word document that can be read; open it in Word, save it as .docx and send that"
    )]
    Invalid,
    /// It expands to more than can be handled.
    #[error("the Word document expands to more than can be read; remove what it does not need, or split it")]
    TooLarge,
    /// Its parts are nested deeper than anybody writes.
    #[error("the Word document is nested too deep; open it in Word, save it as .docx and send that")]
    TooDeep,
    /// It declares a document type, and with it names for texts of any length.
    #[error(
        "the Word document declares a document type, which Word never does; save it as .docx in Word and send that"
    )]
    Doctype,
    /// It has too much text.
    #[error(transparent)]
    TooManyPages(#[from] TooManyPages),
}

/// Reads a Word document: its headers once, its body, its notes, its footers once.
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

/// All headers, or all footers. First, even and odd pages have their own, which mostly say the same.
fn read_headers_or_footers(archive: &mut DocxArchive<'_>, name: &str) -> Result<Vec<TextBlock>, DocxError> {
    let mut said: Vec<Vec<TextBlock>> = Vec::new();
    for part in header_or_footer_parts(archive, name) {
        if let Some(margin) = archive.part(&part)? {
            let blocks = markup::parse_blocks(&margin)?;
            if !said.contains(&blocks) {
                said.push(blocks);
            }
        }
    }
    Ok(said.into_iter().flatten().collect())
}

/// A document has three of each per section; more than this nobody makes.
const MAX_HEADERS_OR_FOOTERS: usize = 100;

/// `word/header2.xml` stands before `word/header10.xml`.
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

//! Reads documents: extracts the words of each page with their bounding boxes, and renders pages as images.
//!
//! This crate parses untrusted files. Parsers run in child processes with limits (`sandbox`), never in the server process.
//! [`LocalReader`] is the entry point: it detects the file type, parses the file in the sandbox and runs OCR where a page
//! has no text.

pub mod document;
pub mod docx;
pub mod einvoice;
pub mod html;
pub mod image_file;
pub mod language;
pub mod ocr;
pub mod page_image;
mod page_ocr;
pub mod pdf;
mod reader;
pub mod sandbox;
pub mod text;
pub mod typeset;

use quire_domain::reading::{Page, UnreadPage};
use quire_ports::ReadError;
pub use reader::LocalReader;
use serde::{Deserialize, Serialize};

/// The images and shapes on a page. They help to decide whether the page needs OCR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageGraphics {
    /// The share of the page that images cover, from 0 to 1.
    pub image_coverage: f32,
    /// The number of shapes. A page whose text is converted to outlines has thousands of them and no text.
    pub shape_count: u32,
}

/// What to do with text that an opaque mark on the page hides, such as a black bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoveredText {
    /// Keep it apart: it is no part of the page's text.
    #[default]
    Apart,
    /// Read it like visible text. It is listed apart too.
    Read,
}

/// A page as parsed from the file, before OCR.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParsedPage {
    /// Its words and size.
    pub page: Page,
    /// Its images and shapes.
    pub graphics: PageGraphics,
}

/// The reason why a page could not be read.
pub(crate) fn unread(error: &ReadError) -> UnreadPage {
    UnreadPage { error_code: error.kind.as_str().to_owned(), message: error.message.clone() }
}

//! Reads documents: extracts the words of each page with their bounding boxes, and renders pages as images.
//!
//! This crate parses untrusted files. Parsers run in child processes with limits (`sandbox`), never in the server process.
//! [`LocalReader`] is the entry point: it detects the file type, parses the file in the sandbox and runs OCR where a page
//! has no text.

pub mod document;
pub mod docx;
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

use quire_domain::reading::Page;
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

/// A page as parsed from the file, before OCR.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParsedPage {
    /// Its words and size.
    pub page: Page,
    /// Its images and shapes.
    pub graphics: PageGraphics,
}

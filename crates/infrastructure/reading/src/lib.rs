//! Reads documents: what stands on their pages, and where.
//!
//! Everything in here parses what strangers send. It is meant to run in a process of its own, with limits, and never
//! inside the server.

pub mod document;
pub mod docx;
pub mod image_file;
pub mod language;
pub mod ocr;
pub mod page_image;
pub mod pdf;
mod reader;
pub mod sandbox;
pub mod text;
pub mod typeset;

use quire_domain::reading::Page;
pub use reader::LocalReader;
use serde::{Deserialize, Serialize};

/// What is on a page besides text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageGraphics {
    /// The share of the page that pictures cover, from 0 to 1.
    pub image_coverage: f32,
    /// How many shapes are drawn: a page set in outlines has thousands and not one letter.
    pub shape_count: u32,
}

/// A page as it was read from the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParsedPage {
    /// Its words.
    pub page: Page,
    /// What else is on it.
    pub graphics: PageGraphics,
}

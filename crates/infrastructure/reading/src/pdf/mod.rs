//! Reads PDF files: extracts the words of each page with their bounding boxes, and renders pages as images.
//!
//! A PDF has no words and no lines, only instructions that draw glyphs at positions. A page is read in these steps:
//!
//! 1. `device` receives the glyphs, images and shapes that the page draws. `glyph_cache`, `glyph_text` and `arabic` turn
//!    a glyph into characters. `image_coverage` measures how much of the page images cover.
//! 2. `words` groups glyphs into words and words into spans, by their positions (`glyph`). `spaced_letters` joins
//!    letter-spaced headings into words.
//! 3. `reading_order` sorts spans into lines, in the order a person reads them. It uses `duplicates` (text drawn twice),
//!    `columns`, `rows`, `paragraphs`, and `line_words` with `bidi` (right-to-left scripts).
//! 4. `covered` finds glyphs that `marks` hide, such as text under a black bar. The page is then read again without them.
//! 5. `form_fields` finds values of form fields that the page does not draw. `field_placement` inserts each value beside
//!    its label.
//!
//! `rulings` records thin lines, which separate the cells of tables. `embedded_files` finds the data of an e-invoice inside the file,
//! `form_data` the names and values of form fields.
//!
//! `render` draws a page as an image, for people and for OCR.

mod arabic;
mod bidi;
mod columns;
mod covered;
mod device;
mod duplicates;
mod embedded_files;
mod field_placement;
mod form_data;
mod form_fields;
mod glyph;
mod glyph_cache;
mod glyph_text;
mod image_coverage;
mod line_words;
mod marks;
mod paragraphs;
mod reading_order;
mod render;
mod rows;
mod rulings;
mod spaced_letters;
mod words;

use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::util::{RectExt, TransformExt};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use quire_domain::reading::{EmbeddedData, Line, Page};

use device::{DrawnPage, TextDevice};

use crate::{CoveredText, ParsedPage};

/// Why a PDF cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// It needs a password.
    #[error("the PDF is encrypted; remove its password and send it again")]
    Encrypted,
    /// It is not a PDF, or it is too damaged to read.
    #[error(
        "the file is not a readable PDF; it may be damaged or incomplete; export it again and send the new file"
    )]
    Invalid,
}

/// An open PDF.
pub struct PdfFile {
    pdf: Pdf,
}

impl PdfFile {
    /// Opens a PDF. A PDF encrypted with an empty password opens like an unencrypted one.
    pub fn open(file: Vec<u8>) -> Result<Self, PdfError> {
        let pdf = Pdf::new(file).map_err(|error| match error {
            LoadPdfError::Decryption(_) => PdfError::Encrypted,
            LoadPdfError::Invalid => PdfError::Invalid,
        })?;
        Ok(Self { pdf })
    }

    /// The number of pages.
    pub fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Width and height of a page in points. `index` starts at 0.
    pub fn page_size(&self, index: usize) -> Option<(f32, f32)> {
        self.pdf.pages().get(index).map(PdfPage::render_dimensions)
    }

    /// The data of an e-invoice inside the file, or why it cannot be read.
    pub fn embedded_data(&self) -> Option<EmbeddedData> {
        embedded_files::embedded_data(&self.pdf)
    }

    /// The named fields of its form with their values.
    pub fn form_data(&self) -> Option<EmbeddedData> {
        form_data::form_data(&self.pdf)
    }

    /// Reads the pages from this index on, one by one, as the iterator advances.
    pub fn read_pages(&self, from: usize, covered: CoveredText) -> impl Iterator<Item = ParsedPage> {
        let cache = InterpreterCache::new();
        self.pdf.pages().iter().skip(from).map(move |page| read_page(page, &cache, covered))
    }
}

fn read_page<'a>(page: &'a PdfPage<'a>, cache: &InterpreterCache<'a>, policy: CoveredText) -> ParsedPage {
    let (width, height) = page.render_dimensions();
    let upright = page.initial_transform(true).to_kurbo();
    let crop_box = page.intersected_crop_box().to_kurbo();
    let draw = |mut device: TextDevice| -> DrawnPage {
        let mut context = Context::new(upright, crop_box, cache, page.xref(), InterpreterSettings::default());
        interpret_page(page, &mut context, &mut device);
        device.finish()
    };
    let drawn = draw(TextDevice::new(width, height));
    let mut lines = reading_order::lines(&drawn.text);
    let mut covered: Vec<Line> = Vec::new();
    if let Some(hidden) = drawn.hidden {
        let split = draw(TextDevice::with_hidden(width, height, hidden));
        let visible = reading_order::lines(&split.text);
        covered = reading_order::lines(&split.covered);
        covered::remove_visible(&mut covered, &visible);
        if policy == CoveredText::Apart {
            lines = visible;
        }
    }
    field_placement::insert_values(&mut lines, form_fields::lines(page, upright));
    let page = Page { width, height, lines, covered, rulings: drawn.rulings, ..Page::default() };
    ParsedPage { page, graphics: drawn.graphics }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

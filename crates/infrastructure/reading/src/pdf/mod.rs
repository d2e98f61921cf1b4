//! PDF: glyphs as they are drawn, gathered into words and lines; and pages drawn as images.

mod arabic;
mod bidi;
mod columns;
mod device;
mod duplicates;
mod field_placement;
mod form_fields;
mod glyph_cache;
mod glyph_text;
mod image_coverage;
mod paragraphs;
mod reading_order;
mod render;
mod rows;
mod words;

use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::util::{RectExt, TransformExt};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use quire_domain::reading::Page;

use device::TextDevice;

use crate::ParsedPage;

/// Why a PDF cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// It wants a password.
    #[error("the PDF is encrypted; remove its password and send it again")]
    Encrypted,
    /// It is none, or too damaged.
    #[error("the file is not a PDF that can be read; it may be damaged or incomplete")]
    Invalid,
}

/// An open PDF.
pub struct PdfFile {
    pdf: Pdf,
}

impl PdfFile {
    /// Opens a PDF. One that is encrypted with the empty password is read as if it were not.
    pub fn open(file: Vec<u8>) -> Result<Self, PdfError> {
        let pdf = Pdf::new(file).map_err(|error| match error {
            LoadPdfError::Decryption(_) => PdfError::Encrypted,
            LoadPdfError::Invalid => PdfError::Invalid,
        })?;
        Ok(Self { pdf })
    }

    /// How many pages it has.
    pub fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Width and height of a page, from 0, in points.
    pub fn page_size(&self, index: usize) -> Option<(f32, f32)> {
        self.pdf.pages().get(index).map(PdfPage::render_dimensions)
    }

    /// The words of each page, with their places, one page after the other.
    pub fn read_pages(&self) -> impl Iterator<Item = ParsedPage> {
        let cache = InterpreterCache::new();
        self.pdf.pages().iter().map(move |page| read(page, &cache))
    }
}

fn read<'a>(page: &'a PdfPage<'a>, cache: &InterpreterCache<'a>) -> ParsedPage {
    let (width, height) = page.render_dimensions();
    let upright = page.initial_transform(true).to_kurbo();
    let whole = page.intersected_crop_box().to_kurbo();
    let mut context = Context::new(upright, whole, cache, page.xref(), InterpreterSettings::default());
    let mut device = TextDevice::new(width, height);
    interpret_page(page, &mut context, &mut device);
    let (gathered, ink) = device.finish();
    let mut lines = reading_order::lines(&gathered);
    field_placement::insert_values(&mut lines, form_fields::lines(page, upright));
    ParsedPage { page: Page { width, height, lines, recognised: false }, graphics: ink }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

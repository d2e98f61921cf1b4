//! PDF: glyphs as they are drawn, gathered into words and lines.

mod device;
mod gather;

use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::util::{RectExt, TransformExt};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use quire_domain::reading::{Page, Reading};

use device::TextDevice;
use gather::lines;

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

/// The words of every page, with their places.
pub fn read(file: Vec<u8>) -> Result<Reading, PdfError> {
    let pdf = Pdf::new(file).map_err(|error| match error {
        LoadPdfError::Decryption(_) => PdfError::Encrypted,
        LoadPdfError::Invalid => PdfError::Invalid,
    })?;
    let cache = InterpreterCache::new();
    let pages = pdf.pages().iter().map(|page| {
        let (width, height) = page.render_dimensions();
        let upright = page.initial_transform(true).to_kurbo();
        let whole = page.intersected_crop_box().to_kurbo();
        let mut context = Context::new(upright, whole, &cache, page.xref(), InterpreterSettings::default());
        let mut device = TextDevice::default();
        interpret_page(page, &mut context, &mut device);
        Page { width, height, lines: lines(&device.into_glyphs()) }
    });
    Ok(Reading { pages: pages.collect() })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

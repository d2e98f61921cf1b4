//! Renders PDF pages as images, for people and for OCR.

use hayro::vello_cpu::Pixmap;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use hayro_interpret::InterpreterSettings;
use quire_imaging::Gray;

use super::PdfFile;
use crate::page_image::{self, PageImageError};

impl PdfFile {
    /// Renders a page as PNG on a white background. `index` starts at 0; `scale` is pixels per point.
    pub fn render(&self, index: usize, scale: f32) -> Result<Vec<u8>, PageImageError> {
        let pixmap = self.render_pixels(index, scale)?;
        let (width, height) = (pixmap.width().into(), pixmap.height().into());
        let pixels = pixmap.data_as_u8_slice();
        // Most pages are black on white: a gray image has a third of the bytes and shows the same.
        if is_gray(pixels) {
            let gray: Vec<u8> = pixels.as_chunks().0.iter().map(|[red, _, _, _]| *red).collect();
            page_image::gray_png(width, height, &gray)
        } else {
            let colors: Vec<u8> =
                pixels.as_chunks().0.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
            page_image::rgb_png(width, height, &colors)
        }
    }

    /// Renders a page in gray for OCR. `index` starts at 0; `scale` is pixels per point.
    pub fn render_gray(&self, index: usize, scale: f32) -> Result<Gray, PageImageError> {
        let pixmap = self.render_pixels(index, scale)?;
        let gray: Vec<u8> = pixmap.data_as_u8_slice().as_chunks().0.iter().copied().map(luma).collect();
        Gray::new(pixmap.width().into(), pixmap.height().into(), gray).ok_or(PageImageError::UnusableScale)
    }

    fn render_pixels(&self, index: usize, scale: f32) -> Result<Pixmap, PageImageError> {
        let page = self.pdf.pages().get(index).ok_or(PageImageError::NoSuchPage)?;
        let (width, height) = page.render_dimensions();
        page_image::pixel_size(width, height, scale)?;
        let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
        let cache = RenderCache::new();
        Ok(hayro::render(
            page,
            &cache,
            &InterpreterSettings::default(),
            &RenderSettings::default(),
            &settings,
        ))
    }
}

fn is_gray(pixels: &[u8]) -> bool {
    pixels.as_chunks().0.iter().all(|[red, green, blue, _]| red == green && green == blue)
}

/// The brightness of a color (ITU-R BT.601).
#[allow(clippy::cast_possible_truncation)] // The weights add up to 256.
fn luma([red, green, blue, _]: [u8; 4]) -> u8 {
    ((77 * u32::from(red) + 150 * u32::from(green) + 29 * u32::from(blue)) >> 8) as u8
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;

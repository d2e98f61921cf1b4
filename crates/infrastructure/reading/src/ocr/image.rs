//! The image of a page that OCR gets.

use quire_domain::reading::Rect;
use quire_imaging::{Gray, Instructions, Projection, Rotation, prepare};
use serde::{Deserialize, Serialize};

use crate::page_image::{self, PageImageError};

/// A page that is prepared for OCR: upright, straight, with even light. See [`quire_imaging`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OcrImage {
    /// The image as gray PNG.
    pub png: Vec<u8>,
    /// Its pixels per inch.
    pub dpi: f64,
    /// Leads from its pixels to points on the page.
    pub to_page: Projection,
    /// How the page was turned to be upright.
    pub turn: Rotation,
    /// The ways to turn it, the likeliest first.
    pub turns: [Rotation; 4],
    /// Whether it shows anything that may be text.
    pub has_text: bool,
}

impl OcrImage {
    /// Prepares the image of a page. `scale` is its pixels per point.
    pub fn prepare(gray: Gray, scale: f32, instructions: Instructions) -> Result<Self, PageImageError> {
        let scale = f64::from(scale);
        let prepared = prepare(gray, scale * 72.0, instructions);
        let image = &prepared.image;
        let side = |side: usize| u32::try_from(side).map_err(|_| PageImageError::TooLarge);
        Ok(Self {
            png: page_image::gray_png(side(image.width())?, side(image.height())?, image.pixels())?,
            dpi: prepared.dpi,
            to_page: prepared.to_source.then(Projection::scaling(1.0 / scale)),
            turn: instructions.turn.unwrap_or(prepared.turns[0]),
            turns: prepared.turns,
            has_text: prepared.has_text,
        })
    }

    /// Where a rectangle of the image is on the page. `None` if it is nowhere: the parser that made the image may have been
    /// taken over.
    pub(super) fn rect_on_page(&self, rect: Rect) -> Option<Rect> {
        let [x0, y0, x1, y1] = [rect.x0, rect.y0, rect.x1, rect.y1].map(f64::from);
        #[allow(clippy::cast_possible_truncation)] // Points on a page.
        let [x0, y0, x1, y1] = self.to_page.bounds([x0, y0, x1, y1])?.map(|edge| edge as f32);
        [x0, y0, x1, y1].iter().all(|edge| edge.is_finite()).then_some(Rect { x0, y0, x1, y1 })
    }
}

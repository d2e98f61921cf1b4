//! Measures how much of a page images cover, on a grid of 64 by 64 cells.
//!
//! Images overlap, repeat and come in thousands of strips, so adding up their areas would be wrong. The grid gives the
//! area of their union within two percent, in constant time per image.

use hayro_interpret::kurbo::Rect;

const CELLS: u8 = 64;

/// The grid cells of a page that images cover, one bit each.
pub(super) struct ImageCoverage {
    width: f64,
    height: f64,
    rows: [u64; CELLS as usize],
}

impl ImageCoverage {
    /// An empty grid for a page of this size.
    pub(super) fn new(width: f32, height: f32) -> Self {
        Self { width: f64::from(width), height: f64::from(height), rows: [0; CELLS as usize] }
    }

    /// Adds the bounding box of an image.
    pub(super) fn add(&mut self, image: Rect) {
        let (left, right) = (cell(image.x0 / self.width), cell(image.x1 / self.width));
        let (top, bottom) = (cell(image.y0 / self.height), cell(image.y1 / self.height));
        let columns = bits_below(right) & !bits_below(left);
        for row in &mut self.rows[usize::from(top)..usize::from(bottom.max(top))] {
            *row |= columns;
        }
    }

    /// The covered share of the page, from 0 to 1.
    #[allow(clippy::cast_precision_loss)] // At most 4096.
    pub(super) fn share(&self) -> f32 {
        let covered: u32 = self.rows.iter().map(|row| row.count_ones()).sum();
        covered as f32 / (f32::from(CELLS) * f32::from(CELLS))
    }
}

/// The grid line nearest to a position, given as a share of the page. Positions outside the page, and NaN, map to its
/// edge.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between 0 and 64.
fn cell(share: f64) -> u8 {
    (share * f64::from(CELLS)).round().clamp(0.0, f64::from(CELLS)) as u8
}

fn bits_below(edge: u8) -> u64 {
    if edge >= CELLS { u64::MAX } else { (1 << edge) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(images: &[[f64; 4]]) -> f32 {
        let mut coverage = ImageCoverage::new(640.0, 640.0);
        for [left, top, right, bottom] in images {
            coverage.add(Rect::new(*left, *top, *right, *bottom));
        }
        coverage.share()
    }

    fn near(a: f32, b: f32) -> bool {
        (a - b).abs() < 0.001
    }

    #[test]
    fn overlapping_images_count_once_and_parts_outside_the_page_never() {
        assert!(near(share(&[]), 0.0));
        assert!(near(share(&[[0.0, 0.0, 640.0, 320.0]]), 0.5));
        assert!(near(share(&[[0.0, 0.0, 640.0, 320.0], [0.0, 0.0, 320.0, 320.0]]), 0.5));
        assert!(near(share(&[[-1e9, -1e9, 1e9, 1e9]]), 1.0));
        assert!(near(share(&[[700.0, 0.0, 900.0, 640.0]]), 0.0));
        assert!(near(share(&[[f64::NAN, f64::NAN, f64::NAN, f64::NAN], [0.0, 9.0, 0.0, 2.0]]), 0.0));
        let strips = (0..64).map(|strip| [0.0, f64::from(strip) * 10.0, 640.0, f64::from(strip + 1) * 10.0]);
        assert!(near(share(&strips.collect::<Vec<_>>()), 1.0));
    }
}

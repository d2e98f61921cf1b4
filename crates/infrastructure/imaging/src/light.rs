//! Measures how bright the paper of a page is at each place and how dark its print, and evens both out: shadows, dark
//! corners of photographs, gray paper, pale print.

use crate::Gray;

/// The side of a tile in pixels of the measured image. Between letters, every tile shows some paper.
const TILE: usize = 16;
/// The share of the pixels of a tile that are darker than its paper.
const PAPER_SHARE: f32 = 0.9;
/// The share of the pixels of a tile that count as its darkest ones.
const INK_SHARE: f32 = 0.02;
/// A tile has print if its darkest pixels are darker than this share of its paper.
const PRINT: f32 = 0.88;
/// Print differs from paper by this many times the usual difference between bright and usual paper in a tile, and by a bit
/// more: what differs less is grain.
const GRAIN: f32 = 3.0;
const LEAST_PRINT: f32 = 5.0;
/// Paper is shaded if it is darker than this share of the bright paper of the page.
const SHADED: f32 = 0.75;
/// The share of tiles with print that must be shaded before anything is done about it.
const MIN_SHADED_SHARE: f32 = 0.05;
/// Print that is paler than this, on paper of 255, is enhanced. Thin black letters are not paler, even in a reduced image.
const PALE: f32 = 165.0;
/// Paper that is darker than this is brightened.
const DARK_PAPER: f32 = 150.0;
/// How much the difference between paper and print can grow.
const MAX_GAIN: f32 = 6.0;
/// Fewer tiles with print say nothing about it.
const MIN_PRINTED_TILES: usize = 3;
/// The darkness of print that cannot be measured.
const UNKNOWN_INK: f32 = 85.0;

/// The light on a page.
pub(crate) struct Light {
    columns: usize,
    rows: usize,
    /// The brightness of the paper in each tile.
    paper: Vec<f32>,
    /// The brightness of print where the paper has 255.
    ink: f32,
    shaded_share: f32,
    usual_paper: f32,
    /// The least difference between paper and print.
    grain: f32,
}

impl Light {
    /// Measures the light on a page.
    pub(crate) fn of(image: &Gray) -> Self {
        let (columns, rows) = (image.width().div_ceil(TILE), image.height().div_ceil(TILE));
        let tiles: Vec<TileLevels> =
            (0..columns * rows).map(|tile| tile_levels(image, tile % columns, tile / columns)).collect();
        let paper = smoothed(&tiles.iter().map(|tile| tile.paper).collect::<Vec<_>>(), columns, rows);
        let spread = |tile: &TileLevels| f32::from(tile.paper - tile.usual);
        let grain = GRAIN * share_of(&tiles.iter().map(spread).collect::<Vec<_>>(), 0.5) + LEAST_PRINT;
        let bright = share_of(&paper, 0.95);
        let printed: Vec<(f32, f32)> = paper
            .iter()
            .zip(&tiles)
            .map(|(paper, tile)| (*paper, f32::from(tile.darkest) / paper.max(1.0)))
            .filter(|(paper, darkness)| *darkness < PRINT && paper * (1.0 - darkness) > grain)
            .collect();
        let shaded = printed.iter().filter(|(paper, _)| *paper < SHADED * bright).count();
        let is_known = printed.len() >= MIN_PRINTED_TILES;
        let ink = share_of(&printed.iter().map(|(_, darkness)| darkness * 255.0).collect::<Vec<_>>(), 0.5);
        Self {
            ink: if is_known { ink } else { UNKNOWN_INK },
            shaded_share: if is_known { shaded as f32 / printed.len() as f32 } else { 0.0 },
            usual_paper: share_of(&paper, 0.5),
            grain,
            columns,
            rows,
            paper,
        }
    }

    /// Whether the page is easier to read with even light and dark print.
    pub(crate) fn is_poor(&self) -> bool {
        self.shaded_share >= MIN_SHADED_SHARE || self.ink > PALE || self.usual_paper < DARK_PAPER
    }

    /// Whether each pixel is print.
    pub(crate) fn print(&self, image: &Gray) -> Vec<bool> {
        let threshold = f32::midpoint(self.ink, 255.0) / 255.0;
        let mut print = Vec::with_capacity(image.pixels().len());
        self.for_each_row(image.width(), image.height(), |y, paper| {
            let row = &image.pixels()[y * image.width()..][..image.width()];
            print.extend(
                row.iter().zip(paper).map(|(pixel, paper)| {
                    f32::from(*pixel) < (paper * threshold).min(paper - self.grain / 2.0)
                }),
            );
        });
        print
    }

    /// Makes the paper white and its print dark. The image shows what was measured, in any size.
    pub(crate) fn correct(&self, image: &mut Gray) {
        let gain = if self.ink > PALE { (255.0 / (255.0 - self.ink).max(1.0)).min(MAX_GAIN) } else { 1.0 };
        let (width, height) = (image.width(), image.height());
        let pixels = image.pixels_mut();
        self.for_each_row(width, height, |y, paper| {
            for (pixel, paper) in pixels[y * width..][..width].iter_mut().zip(paper) {
                let darkness = (1.0 - f32::from(*pixel) / paper) * gain;
                *pixel = (255.0 - 255.0 * darkness + 0.5).clamp(0.0, 255.0) as u8;
            }
        });
    }

    /// Gives the brightness of the paper along each row of an image of this size.
    fn for_each_row(&self, width: usize, height: usize, mut row: impl FnMut(usize, &[f32])) {
        let mut along = vec![0.0; self.columns];
        let mut paper = vec![0.0; width];
        for y in 0..height {
            let (above, below, down) = self.between(y, height, self.rows);
            for (column, along) in along.iter_mut().enumerate() {
                let (above, below) =
                    (self.paper[above * self.columns + column], self.paper[below * self.columns + column]);
                *along = above + (below - above) * down;
            }
            for (x, paper) in paper.iter_mut().enumerate() {
                let (left, right, across) = self.between(x, width, self.columns);
                *paper = (along[left] + (along[right] - along[left]) * across).max(1.0);
            }
            row(y, &paper);
        }
    }

    /// The two tiles between whose middles a pixel lies, and how far it is from the first.
    #[allow(clippy::unused_self)]
    fn between(&self, pixel: usize, pixels: usize, tiles: usize) -> (usize, usize, f32) {
        let place = ((pixel as f32 + 0.5) / pixels as f32 * tiles as f32 - 0.5).max(0.0);
        let first = (place as usize).min(tiles - 1);
        (first, (first + 1).min(tiles - 1), (place - first as f32).min(1.0))
    }
}

/// The brightness of a tile: of its paper, of most of it, and of its darkest pixels.
struct TileLevels {
    paper: u8,
    usual: u8,
    darkest: u8,
}

fn tile_levels(image: &Gray, column: usize, row: usize) -> TileLevels {
    let mut counts = [0u32; 256];
    let (left, right) = (column * TILE, ((column + 1) * TILE).min(image.width()));
    let (top, bottom) = (row * TILE, ((row + 1) * TILE).min(image.height()));
    for y in top..bottom {
        for pixel in &image.pixels()[y * image.width() + left..y * image.width() + right] {
            counts[usize::from(*pixel)] += 1;
        }
    }
    let all = ((right - left) * (bottom - top)) as f32;
    TileLevels {
        paper: level(&counts, all * PAPER_SHARE),
        usual: level(&counts, all * 0.5),
        darkest: level(&counts, all * INK_SHARE),
    }
}

/// The brightness below which this many pixels are.
fn level(counts: &[u32; 256], pixels: f32) -> u8 {
    let mut sum = 0;
    for (brightness, count) in (0u8..=255).zip(counts) {
        sum += count;
        if sum as f32 > pixels {
            return brightness;
        }
    }
    255
}

/// The paper without what covers a few tiles, such as letters of a heading or a stamp: medians of tiles, and then means.
fn smoothed(tiles: &[u8], columns: usize, rows: usize) -> Vec<f32> {
    let around = |tile: usize, reach: usize| {
        let (column, row) = (tile % columns, tile / columns);
        let rows = row.saturating_sub(reach)..=(row + reach).min(rows - 1);
        let columns_near = column.saturating_sub(reach)..=(column + reach).min(columns - 1);
        rows.flat_map(move |row| columns_near.clone().map(move |column| row * columns + column))
    };
    let medians: Vec<f32> = (0..tiles.len())
        .map(|tile| {
            let mut near: Vec<u8> = around(tile, 2).map(|near| tiles[near]).collect();
            near.sort_unstable();
            f32::from(near[near.len() / 2])
        })
        .collect();
    let mean = |tile: usize| {
        let (sum, count) =
            around(tile, 1).fold((0.0, 0.0), |(sum, count), near| (sum + medians[near], count + 1.0));
        sum / count
    };
    (0..tiles.len()).map(mean).collect()
}

/// The value below which this share of the values is; 255 without values.
fn share_of(values: &[f32], share: f32) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let place = (sorted.len() as f32 * share) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short strokes in rows on paper, with a brightness for each place.
    fn page(paper: impl Fn(usize, usize) -> f32, ink: f32) -> Gray {
        let (width, height) = (320, 240);
        let pixel = |x: usize, y: usize| {
            let is_ink = y % 20 < 8 && x % 6 < 2;
            (paper(x, y) * if is_ink { ink } else { 1.0 }) as u8
        };
        let pixels = (0..width * height).map(|at| pixel(at % width, at / width)).collect();
        Gray::new(width, height, pixels).unwrap()
    }

    #[test]
    fn black_on_white_needs_nothing_nor_does_an_empty_page() {
        assert!(!Light::of(&page(|_, _| 250.0, 0.1)).is_poor());
        assert!(!Light::of(&page(|_, _| 250.0, 0.5)).is_poor(), "thin letters are not pale");
        assert!(!Light::of(&Gray::plain(300, 200, 255)).is_poor());
        assert!(!Light::of(&Gray::plain(1, 1, 0)).paper.is_empty());
    }

    #[test]
    fn a_shadow_disappears_and_print_stays() {
        let shaded = page(|x, _| 240.0 - 160.0 * (x as f32 / 320.0), 0.2);
        let light = Light::of(&shaded);
        assert!(light.is_poor());
        let mut corrected = shaded.clone();
        light.correct(&mut corrected);
        for x in [30, 150, 291] {
            assert!(corrected.at(x + 4 - x % 6, 10) > 225, "paper at {x}");
            assert!(corrected.at(x - x % 6, 22) < 90, "print at {x}");
        }
        let print = light.print(&shaded);
        assert!(print[22 * 320] && print[22 * 320 + 312] && !print[10 * 320 + 312]);
    }

    #[test]
    fn pale_print_becomes_dark_and_gray_paper_white() {
        let mut pale = page(|_, _| 200.0, 0.8);
        let light = Light::of(&pale);
        assert!(light.is_poor());
        light.correct(&mut pale);
        assert!(pale.at(0, 22) < 30 && pale.at(4, 10) > 250);
    }
}

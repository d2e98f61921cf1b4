//! Finds the glyphs that marks hide, so that redacted text does not become part of the page's text.
//!
//! A glyph is hidden if all its sample points are. A point is hidden if the topmost mark there was drawn after the glyph, or
//! if it was drawn before the glyph in the color of the glyph: black text on a black bar. White text on white is not
//! redacted text: forms use it for invisible anchors.
//!
//! A scan hides nothing. Many scanners put the recognised text below the image of the page, and the image shows the same
//! words. So on a page that images cover for the most part, no image hides the text that was drawn before the first one.
//!
//! Only glyphs near a later mark, or in the color of a mark, are looked at. The marks are visited from the topmost down. Each visit removes the points that it decides, so the time is about
//! linear. A work limit stops pages that are made to take longer; what is undecided then counts as visible.

use std::collections::HashMap;

use hayro_interpret::kurbo::{Point, Rect};
use quire_domain::reading::{Line, Rect as WordRect};

use super::glyph::{PlacedGlyph, to_f32};
use super::marks::{Color, Mark, MarkKind, is_same_color, is_white};

/// Images that cover at least this share of the page are a scan.
const SCAN_COVERAGE: f32 = 0.5;
/// Heights of the sample points above the baseline, in font sizes: where lowercase letters have their ink. A line through
/// the text or below it misses some of them.
const HEIGHTS: [f32; 3] = [0.1, 0.3, 0.5];
/// Positions of the sample points along the glyph, in widths. The outline of a letter does not reach both.
const POSITIONS: [f32; 2] = [0.1, 0.9];
const SAMPLES: u8 = 6;
/// The points are kept in a grid of this many columns and rows.
const CELLS: usize = 64;
/// Checks of points against elements of marks, for one page.
const MAX_WORK: usize = 50_000_000;
/// Text in the color of further marks counts as visible.
const MAX_COLORS: usize = 64;
/// Further glyphs of a page count as visible.
const MAX_GLYPHS: usize = 2_000_000;

/// A drawn glyph. Pages have thousands, so it is small.
struct GlyphTrace {
    origin: (f32, f32),
    advance: (f32, f32),
    up: (f32, f32),
    /// The number of marks that the page drew before it.
    marks_before: u32,
    color: Option<Color>,
}

impl GlyphTrace {
    /// The point at this share of its width and this height above its baseline, in font sizes.
    fn point(&self, position: f32, height: f32) -> Point {
        let x = self.origin.0 + self.advance.0 * position + self.up.0 * height;
        let y = self.origin.1 + self.advance.1 * position + self.up.1 * height;
        Point::new(x.into(), y.into())
    }
}

/// The glyphs of a page in the order in which it draws them.
#[derive(Default)]
pub(super) struct GlyphTraces {
    glyphs: Vec<GlyphTrace>,
}

impl GlyphTraces {
    pub(super) fn push(&mut self, glyph: &PlacedGlyph, marks_before: u32, color: Option<Color>) {
        if self.glyphs.len() < MAX_GLYPHS {
            self.glyphs.push(GlyphTrace {
                origin: (to_f32(glyph.origin.x), to_f32(glyph.origin.y)),
                advance: (to_f32(glyph.advance.x), to_f32(glyph.advance.y)),
                up: (to_f32(glyph.up.x), to_f32(glyph.up.y)),
                marks_before,
                color,
            });
        }
    }

    /// For each glyph, whether the marks hide it. `None` if they hide none.
    pub(super) fn hidden_by(
        &self,
        marks: &[Mark],
        page: (f32, f32),
        image_coverage: f32,
    ) -> Option<Vec<bool>> {
        let mut grid = self.points_near(marks, page)?;
        let mut hidden_samples = vec![0u8; self.glyphs.len()];
        let first_image = marks.iter().zip(0u32..).find(|(mark, _)| mark.kind == MarkKind::Image);
        let scan = first_image.filter(|_| image_coverage >= SCAN_COVERAGE).map(|(_, number)| number);
        let mut work = 0;
        let mut number = u32::try_from(marks.len()).unwrap_or(u32::MAX);
        for mark in marks.iter().rev() {
            number = number.saturating_sub(1);
            grid.visit(mark.bounds, |point, index| {
                work += mark.cost();
                if !mark.contains(point) {
                    return false;
                }
                let glyph = &self.glyphs[index as usize];
                let is_below = number >= glyph.marks_before;
                let (is_decided, is_hidden) = match mark.kind {
                    MarkKind::Translucent => (!is_below, false),
                    MarkKind::Image => {
                        let is_below_scan = scan.is_some_and(|first| glyph.marks_before <= first);
                        (true, is_below && !is_below_scan)
                    }
                    MarkKind::Opaque(color) => (true, is_below || is_unseen_on(glyph.color, color)),
                };
                hidden_samples[index as usize] += u8::from(is_hidden);
                is_decided
            });
            if work > MAX_WORK {
                break;
            }
        }
        let hidden: Vec<bool> = hidden_samples.into_iter().map(|samples| samples == SAMPLES).collect();
        hidden.contains(&true).then_some(hidden)
    }

    /// The sample points of the glyphs that some mark may hide. On most pages there are none, because a page draws its
    /// backgrounds before its text.
    fn points_near(&self, marks: &[Mark], page: (f32, f32)) -> Option<PointGrid> {
        let mut grid = PointGrid::new(page);
        let mut latest_marks = vec![0u32; CELLS * CELLS];
        let mut colors: Vec<Color> = Vec::new();
        for (mark, number) in marks.iter().zip(1u32..) {
            if mark.kind != MarkKind::Translucent {
                grid.cells_of(mark.bounds).for_each(|cell| latest_marks[cell] = number);
            }
            if let MarkKind::Opaque(color) = mark.kind
                && !is_white(color)
                && colors.len() < MAX_COLORS
                && !colors.contains(&color)
            {
                colors.push(color);
            }
        }
        for (glyph, index) in self.glyphs.iter().zip(0..) {
            let is_below = latest_marks[grid.cell_of(glyph.point(0.5, 0.3))] > glyph.marks_before;
            if is_below || colors.iter().any(|color| is_unseen_on(glyph.color, *color)) {
                for height in HEIGHTS {
                    for position in POSITIONS {
                        grid.insert(glyph.point(position, height), index);
                    }
                }
            }
        }
        (!grid.is_empty()).then_some(grid)
    }
}

/// Whether text of this color cannot be seen on a mark.
fn is_unseen_on(text: Option<Color>, mark: Color) -> bool {
    !is_white(mark) && text.is_some_and(|text| is_same_color(text, mark))
}

/// Points of glyphs, by the cell of the page in which they are.
struct PointGrid {
    scale: (f64, f64),
    cells: Vec<Vec<(Point, u32)>>,
    /// The cells of each row that have points, one bit each.
    occupied: [u64; CELLS],
}

impl PointGrid {
    #[allow(clippy::cast_precision_loss)] // 64.
    fn new((width, height): (f32, f32)) -> Self {
        let scale = |side: f32| CELLS as f64 / f64::from(side).max(1.0);
        Self {
            scale: (scale(width), scale(height)),
            cells: vec![Vec::new(); CELLS * CELLS],
            occupied: [0; CELLS],
        }
    }

    fn insert(&mut self, point: Point, glyph: u32) {
        if point.is_finite() {
            let cell = self.cell_of(point);
            self.cells[cell].push((point, glyph));
            self.occupied[cell / CELLS] |= 1 << (cell % CELLS);
        }
    }

    fn is_empty(&self) -> bool {
        self.occupied.iter().all(|row| *row == 0)
    }

    /// The cell of a point.
    fn cell_of(&self, point: Point) -> usize {
        cell(point.y * self.scale.1) * CELLS + cell(point.x * self.scale.0)
    }

    /// The cells that an area touches.
    fn cells_of(&self, area: Rect) -> impl Iterator<Item = usize> + use<> {
        let (first, last) = (cell(area.x0 * self.scale.0), cell(area.x1 * self.scale.0));
        let rows = cell(area.y0 * self.scale.1)..=cell(area.y1 * self.scale.1);
        rows.flat_map(move |row| (first..=last).map(move |column| row * CELLS + column))
    }

    /// Calls `decide` with each point near an area, and removes the points for which it returns true.
    fn visit(&mut self, area: Rect, mut decide: impl FnMut(Point, u32) -> bool) {
        let (first, last) = (cell(area.x0 * self.scale.0), cell(area.x1 * self.scale.0));
        let columns = (u64::MAX >> (CELLS - 1 - last)) & (u64::MAX << first);
        for row in cell(area.y0 * self.scale.1)..=cell(area.y1 * self.scale.1) {
            let mut left = self.occupied[row] & columns;
            while left != 0 {
                let column = left.trailing_zeros() as usize;
                left &= left - 1;
                let points = &mut self.cells[row * CELLS + column];
                points.retain(|(point, glyph)| !decide(*point, *glyph));
                if points.is_empty() {
                    self.occupied[row] &= !(1 << column);
                }
            }
        }
    }
}

/// The column or row of a position. Positions outside the page belong to the nearest one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // 0 to 63.
fn cell(position: f64) -> usize {
    position.clamp(0.0, (CELLS - 1) as f64) as usize
}

/// Removes the words that also stand in the visible text, in the same place: the page draws them again above the mark.
pub(super) fn remove_visible(covered: &mut Vec<Line>, visible: &[Line]) {
    let mut places: HashMap<&str, Vec<WordRect>> = HashMap::new();
    for word in visible.iter().flat_map(|line| &line.words) {
        places.entry(&word.text).or_default().push(word.rect);
    }
    let overlap = |a: WordRect, b: WordRect| a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
    for line in covered.iter_mut() {
        line.words.retain(|word| {
            let places = places.get(word.text.as_str());
            !places.is_some_and(|places| places.iter().any(|place| overlap(*place, word.rect)))
        });
    }
    covered.retain(|line| !line.words.is_empty());
}

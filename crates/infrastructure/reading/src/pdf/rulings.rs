//! Records the thin straight lines of a page, across or down: they separate the cells of tables.

use hayro_interpret::DrawMode;
use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point, Rect as Area, Shape as _};
use quire_domain::reading::Rect;

/// A thicker area, in points, is no line.
const MAX_THICKNESS: f64 = 2.5;
/// Shorter lines, in points, are parts of letters and drawings.
const MIN_LENGTH: f64 = 8.0;
/// A line that leaves its direction by more, in points, is slanted.
const MAX_SLANT: f64 = 0.7;
/// Further lines of a page are not recorded, and neither are those of a path with more elements.
const MAX_RULINGS: usize = 2_000;
const MAX_ELEMENTS: usize = 2_000;

/// The lines of a page.
#[derive(Default)]
pub(super) struct RulingRecorder {
    pub(super) rulings: Vec<Rect>,
}

impl RulingRecorder {
    pub(super) fn path(&mut self, path: &BezPath, transform: Affine, mode: &DrawMode) {
        if path.elements().len() > MAX_ELEMENTS {
            return;
        }
        match mode {
            DrawMode::Fill(_) => self.push(transform.transform_rect_bbox(path.bounding_box())),
            DrawMode::Stroke(_) => self.stroke(path, transform),
            #[allow(unreachable_patterns)] // Other ways to draw make no lines.
            _ => {}
        }
    }

    pub(super) fn rect(&mut self, rect: &Area, transform: Affine, mode: &DrawMode) {
        self.path(&rect.to_path(0.1), transform, mode);
    }

    fn stroke(&mut self, path: &BezPath, transform: Affine) {
        let (mut start, mut at) = (Point::ZERO, Point::ZERO);
        for element in path.elements() {
            let next = match element {
                PathEl::MoveTo(point) => {
                    (start, at) = (*point, *point);
                    continue;
                }
                PathEl::LineTo(point) => *point,
                PathEl::ClosePath => start,
                PathEl::QuadTo(_, end) | PathEl::CurveTo(_, _, end) => {
                    at = *end;
                    continue;
                }
            };
            let (from, to) = (transform * at, transform * next);
            if (from.x - to.x).abs() <= MAX_SLANT || (from.y - to.y).abs() <= MAX_SLANT {
                self.push(Area::from_points(from, to));
            }
            at = next;
        }
    }

    #[allow(clippy::cast_possible_truncation)] // Points on a page.
    fn push(&mut self, area: Area) {
        let (across, down) = (area.width(), area.height());
        let is_line = across.min(down) <= MAX_THICKNESS && across.max(down) >= MIN_LENGTH && area.is_finite();
        if is_line && self.rulings.len() < MAX_RULINGS {
            let (x0, y0, x1, y1) = (area.x0 as f32, area.y0 as f32, area.x1 as f32, area.y1 as f32);
            self.rulings.push(Rect { x0, y0, x1, y1 });
        }
    }
}

//! The geometry of glyphs: where a glyph stands on the page, and whether the next glyph continues its word.
//!
//! All distances are compared with the font size, so that the same rules fit a footnote and a headline.

use hayro_interpret::kurbo::{Point, Vec2};
use quire_domain::reading::Rect;

/// A gap wider than this share of the font size separates two words.
pub(super) const WORD_GAP: f64 = 0.15;
/// A gap wider than this share of the font size separates two spans: they may belong to different columns.
pub(super) const SPAN_GAP: f64 = 1.0;
/// A move backwards by more than this share of the font size starts a new span.
const MAX_STEP_BACK: f64 = 0.5;
/// A move up or down by more than this share of the font size starts a new span.
const MAX_BASELINE_SHIFT: f64 = 0.4;
/// The share of the font size above the baseline.
const ASCENT: f64 = 0.8;
/// The share of the font size below the baseline.
const DESCENT: f64 = 0.2;
/// Two directions are equal if the cosine of the angle between them is above this.
const SAME_DIRECTION: f64 = 0.99;
/// A glyph with a font larger than this many times the page (width plus height) is not text.
const MAX_FONT_SIZE: f64 = 2.0;

/// A glyph as the page draws it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedGlyph {
    /// The start of the glyph on its baseline.
    pub(super) origin: Point,
    /// The vector from the origin of this glyph to the origin of the next one.
    pub(super) advance: Vec2,
    /// The upward vector of the font, as long as the font size.
    pub(super) up: Vec2,
}

impl PlacedGlyph {
    /// The glyph's extent along its baseline. `None` if the glyph has no size or no finite position: it is invisible.
    pub(super) fn extent(&self, page: (f64, f64)) -> Option<GlyphExtent> {
        let font_size = self.up.hypot();
        let end = self.origin + self.advance;
        let is_valid = font_size > 0.0
            && font_size < MAX_FONT_SIZE * (page.0 + page.1)
            && end.x.is_finite()
            && end.y.is_finite();
        let length = self.advance.hypot();
        // A glyph without width has the direction of its font: to the right of "up".
        let direction =
            if length > 0.0 { self.advance / length } else { Vec2::new(-self.up.y, self.up.x) / font_size };
        is_valid.then_some(GlyphExtent { start: self.origin, end, direction, font_size })
    }

    /// The bounding box of the glyph.
    pub(super) fn rect(&self) -> Rect {
        let corners = [
            self.origin + self.up * ASCENT,
            self.origin - self.up * DESCENT,
            self.origin + self.advance + self.up * ASCENT,
            self.origin + self.advance - self.up * DESCENT,
        ];
        let point = |corner: Point| {
            let (x, y) = (to_f32(corner.x), to_f32(corner.y));
            Rect { x0: x, y0: y, x1: x, y1: y }
        };
        corners[1..].iter().fold(point(corners[0]), |rect, corner| rect.union(point(*corner)))
    }
}

/// The part of a baseline that a glyph occupies.
#[derive(Clone, Copy)]
pub(super) struct GlyphExtent {
    pub(super) start: Point,
    pub(super) end: Point,
    /// A unit vector.
    pub(super) direction: Vec2,
    pub(super) font_size: f64,
}

/// How a glyph relates to the glyph drawn before it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum GlyphContinuation {
    SameWord,
    NewWord,
    NewSpan,
}

impl GlyphExtent {
    /// How `next` continues after this glyph.
    pub(super) fn continuation(self, next: Self) -> GlyphContinuation {
        let offset = next.start - self.end;
        let along = offset.dot(self.direction);
        let across = offset.cross(self.direction).abs();
        let font_size = self.font_size.max(next.font_size);
        let is_elsewhere = self.direction.dot(next.direction) < SAME_DIRECTION
            || across > MAX_BASELINE_SHIFT * font_size
            || along < -MAX_STEP_BACK * font_size
            || along > SPAN_GAP * font_size;
        if is_elsewhere {
            GlyphContinuation::NewSpan
        } else if along > WORD_GAP * font_size {
            GlyphContinuation::NewWord
        } else {
            GlyphContinuation::SameWord
        }
    }

    /// The same for glyphs that are drawn from right to left: the next glyph ends where this one starts.
    pub(super) fn continuation_to_the_left(self, next: Self) -> GlyphContinuation {
        let mirrored = Self { end: self.start, direction: -self.direction, ..self };
        let mirrored_next =
            Self { start: next.end, end: next.start, direction: -next.direction, font_size: next.font_size };
        mirrored.continuation(mirrored_next)
    }

    /// Whether a combining mark belongs to this glyph.
    pub(super) fn carries_mark(self, mark: Self) -> bool {
        let offset = mark.start - self.start;
        let along = offset.dot(self.direction);
        let width = (self.end - self.start).hypot();
        let tolerance = self.font_size * 0.3;
        along > -tolerance && along < width + tolerance && offset.cross(self.direction).abs() < self.font_size
    }
}

#[allow(clippy::cast_possible_truncation)] // Page coordinates fit into f32 with enough precision.
pub(super) fn to_f32(value: f64) -> f32 {
    value as f32
}

//! A device that draws nothing: it notes each glyph, what it says and where it stands.
//!
//! Invisible text is noted too. Scans carry what was recognised on them that way. Pictures are never decoded and
//! outlines never built: where they are is enough.

use hayro_interpret::font::{Glyph as Drawn, GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::kurbo::{Affine, BezPath, Rect, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

use super::glyph_cache::GlyphCache;
use super::image_coverage::ImageCoverage;
use super::words::{PageText, PlacedGlyph, WordBuilder};
use crate::PageGraphics;

/// Glyph programs are drawn on a square of so many units.
const UNITS_PER_EM: f64 = 1000.0;
/// In vertical writing: where the line's foot is in the square, and where the pen is put down.
const VERTICAL_FOOT: f64 = 200.0;
const VERTICAL_START: f64 = 880.0;

/// Notes what stands on one page.
pub(super) struct TextDevice {
    words: WordBuilder,
    glyph_cache: GlyphCache,
    /// The last run that was filled: the same run is stroked right after it when text is made bold that way.
    last_filled: Option<RunFingerprint>,
    image_coverage: ImageCoverage,
    shape_count: u32,
}

/// Enough of a run to know it again.
#[derive(Clone, Copy, PartialEq)]
struct RunFingerprint {
    length: usize,
    codes: [u32; 2],
    places: [Affine; 2],
}

impl TextDevice {
    pub(super) fn new(width: f32, height: f32) -> Self {
        Self {
            words: WordBuilder::new(width, height),
            glyph_cache: GlyphCache::new(),
            last_filled: None,
            image_coverage: ImageCoverage::new(width, height),
            shape_count: 0,
        }
    }

    /// What was written, and what else was drawn.
    pub(super) fn finish(self) -> (PageText, PageGraphics) {
        let ink = PageGraphics { image_coverage: self.image_coverage.share(), shape_count: self.shape_count };
        (self.words.finish(), ink)
    }

    fn record_glyph(&mut self, drawn: &Drawn<'_>, placed: Affine, vertical: bool) {
        let (letters, width) = self.glyph_cache.get(drawn);
        let along = |x: f64, y: f64| linear(placed, x, y);
        let origin = placed.translation().to_point();
        let glyph = if vertical {
            PlacedGlyph {
                origin: origin + along(VERTICAL_FOOT, VERTICAL_START),
                advance: along(0.0, -UNITS_PER_EM),
                up: along(UNITS_PER_EM, 0.0),
            }
        } else {
            PlacedGlyph { origin, advance: along(f64::from(width), 0.0), up: along(0.0, UNITS_PER_EM) }
        };
        self.words.push(glyph, letters);
    }

    fn count_shape(&mut self) {
        self.shape_count = self.shape_count.saturating_add(1);
    }
}

impl<'a> Device<'a> for TextDevice {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let glyphs = run.glyphs();
        let mark = fingerprint(glyphs, props.transform);
        let again = matches!(mode, DrawMode::Stroke(_)) && mark.is_some() && mark == self.last_filled;
        self.last_filled = mark.filter(|_| matches!(mode, DrawMode::Fill(_)));
        if again {
            return;
        }
        let vertical = run.writing_mode() == WritingMode::Vertical;
        let stretched = is_stretched(glyphs);
        self.glyph_cache.start_run();
        for glyph in glyphs {
            let placed = props.transform * glyph.transform();
            self.record_glyph(glyph, if stretched { unstretched(placed) } else { placed }, vertical);
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.count_shape();
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'a>, _: &DrawMode) {
        self.count_shape();
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        self.image_coverage.add(props.transform.transform_rect_bbox(pixels));
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_clip_rect(&mut self, _: &Rect) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

fn fingerprint(glyphs: &[PositionedGlyph<'_>], transform: Affine) -> Option<RunFingerprint> {
    let (first, last) = (glyphs.first()?, glyphs.last()?);
    Some(RunFingerprint {
        length: glyphs.len(),
        codes: [first.char_code(), last.char_code()],
        places: [transform * first.transform(), transform * last.transform()],
    })
}

/// A vector, moved as the transform moves it.
fn linear(transform: Affine, x: f64, y: f64) -> Vec2 {
    let [xx, xy, yx, yy, ..] = transform.as_coeffs();
    Vec2::new(xx * x + yx * y, xy * x + yy * y)
}

/// Glyphs that stand in for a font that is not in the file are stretched, each by itself, to the widths that the file
/// gives. The pen moves by those widths and not by the stretched ones.
fn is_stretched(glyphs: &[PositionedGlyph<'_>]) -> bool {
    let width = |glyph: &PositionedGlyph<'_>| linear(glyph.transform(), 1.0, 0.0).hypot2();
    let Some(first) = glyphs.first().map(width) else { return false };
    glyphs[1..].iter().any(|glyph| (width(glyph) - first).abs() > first * 0.001)
}

/// As wide as it is high.
fn unstretched(placed: Affine) -> Affine {
    let [xx, xy, yx, yy, left, top] = placed.as_coeffs();
    let (width, height) = (Vec2::new(xx, xy).hypot(), Vec2::new(yx, yy).hypot());
    if width > 0.0 && height.is_finite() {
        let share = height / width;
        Affine::new([xx * share, xy * share, yx, yy, left, top])
    } else {
        placed
    }
}

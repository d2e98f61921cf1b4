//! Receives what a page draws, and records glyphs, images and shapes instead of drawing them.
//!
//! Invisible text counts too: scanners store recognised text as invisible text. Images are not decoded and outlines not
//! built, because only their positions matter here. Text that the page hides under a mark is told apart by a second device,
//! made with the hidden glyphs that the first one found.

use hayro_interpret::font::{Glyph as FontGlyph, GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::kurbo::{Affine, BezPath, Rect, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

use quire_domain::reading::Rect as QuireRect;

use super::covered::GlyphTraces;
use super::glyph::PlacedGlyph;
use super::glyph_cache::GlyphCache;
use super::image_coverage::ImageCoverage;
use super::marks::{Color, MarkRecorder, solid_color};
use super::rulings::RulingRecorder;
use super::words::{PageText, WordBuilder};
use crate::PageGraphics;

/// The units of a glyph's coordinate system per font size.
const UNITS_PER_EM: f64 = 1000.0;
/// In vertical writing, the offset of the baseline, in glyph units.
const VERTICAL_BASELINE: f64 = 200.0;
/// In vertical writing, the height at which a glyph starts, in glyph units.
const VERTICAL_START: f64 = 880.0;

/// Collects the text of one page, and how much of it images and shapes cover.
pub(super) struct TextDevice {
    words: WordBuilder,
    glyph_cache: GlyphCache,
    /// The last run of glyphs that was filled. Some producers stroke the same run again to make it bold.
    last_filled: Option<RunFingerprint>,
    image_coverage: ImageCoverage,
    shape_count: u32,
    size: (f32, f32),
    marks: MarkRecorder,
    rulings: RulingRecorder,
    traces: GlyphTraces,
    hidden: Option<HiddenGlyphs>,
}

/// The hidden glyphs of a page, which become words of their own.
struct HiddenGlyphs {
    /// For each glyph in drawing order, whether it is hidden.
    is_hidden: std::vec::IntoIter<bool>,
    words: WordBuilder,
}

/// What a page draws.
pub(super) struct DrawnPage {
    /// Its text, without the hidden glyphs if the device knows them.
    pub(super) text: PageText,
    pub(super) graphics: PageGraphics,
    /// Its thin lines across and down.
    pub(super) rulings: Vec<QuireRect>,
    /// The text of the hidden glyphs, if the device knows them.
    pub(super) covered: PageText,
    /// For each glyph in drawing order, whether a mark hides it. `None` if no glyph is hidden.
    pub(super) hidden: Option<Vec<bool>>,
}

/// Identifies a run of glyphs by its length and its first and last glyph.
#[derive(Clone, Copy, PartialEq)]
struct RunFingerprint {
    length: usize,
    codes: [u32; 2],
    transforms: [Affine; 2],
}

impl TextDevice {
    pub(super) fn new(width: f32, height: f32) -> Self {
        Self {
            words: WordBuilder::new(width, height),
            glyph_cache: GlyphCache::new(),
            last_filled: None,
            image_coverage: ImageCoverage::new(width, height),
            shape_count: 0,
            size: (width, height),
            marks: MarkRecorder::new(width, height),
            rulings: RulingRecorder::default(),
            traces: GlyphTraces::default(),
            hidden: None,
        }
    }

    /// A device that keeps these glyphs apart. The page must draw the same glyphs in the same order.
    pub(super) fn with_hidden(width: f32, height: f32, is_hidden: Vec<bool>) -> Self {
        let words = WordBuilder::new(width, height);
        let hidden = Some(HiddenGlyphs { is_hidden: is_hidden.into_iter(), words });
        Self { hidden, ..Self::new(width, height) }
    }

    pub(super) fn finish(self) -> DrawnPage {
        let image_coverage = self.image_coverage.share();
        DrawnPage {
            text: self.words.finish(),
            graphics: PageGraphics { image_coverage, shape_count: self.shape_count },
            rulings: self.rulings.rulings,
            covered: self.hidden.map(|hidden| hidden.words.finish()).unwrap_or_default(),
            hidden: self.traces.hidden_by(&self.marks.marks, self.size, image_coverage),
        }
    }

    fn record_glyph(
        &mut self,
        glyph: &FontGlyph<'_>,
        transform: Affine,
        is_vertical: bool,
        color: Option<Color>,
    ) {
        let (letters, width) = self.glyph_cache.get(glyph);
        let vector = |x: f64, y: f64| transform_vector(transform, x, y);
        let origin = transform.translation().to_point();
        let glyph = if is_vertical {
            PlacedGlyph {
                origin: origin + vector(VERTICAL_BASELINE, VERTICAL_START),
                advance: vector(0.0, -UNITS_PER_EM),
                up: vector(UNITS_PER_EM, 0.0),
            }
        } else {
            PlacedGlyph { origin, advance: vector(f64::from(width), 0.0), up: vector(0.0, UNITS_PER_EM) }
        };
        let Some(hidden) = &mut self.hidden else {
            self.traces.push(&glyph, self.marks.count(), color);
            return self.words.push(glyph, letters);
        };
        let is_hidden = hidden.is_hidden.next() == Some(true);
        if is_hidden { hidden.words.push(glyph, letters) } else { self.words.push(glyph, letters) }
    }

    fn count_shape(&mut self) {
        self.shape_count = self.shape_count.saturating_add(1);
    }
}

impl<'a> Device<'a> for TextDevice {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let glyphs = run.glyphs();
        let current = fingerprint(glyphs, props.transform);
        let is_repeated =
            matches!(mode, DrawMode::Stroke(_)) && current.is_some() && current == self.last_filled;
        self.last_filled = current.filter(|_| matches!(mode, DrawMode::Fill(_)));
        if is_repeated {
            return;
        }
        let is_vertical = run.writing_mode() == WritingMode::Vertical;
        let stretched = is_stretched(glyphs);
        // Before the first mark there is nothing that the color could be the same as.
        let is_filled = matches!(mode, DrawMode::Fill(_)) && self.marks.count() > 0;
        let color = is_filled.then(|| solid_color(&props.paint)).flatten();
        self.glyph_cache.start_run();
        for glyph in glyphs {
            let transform = props.transform * glyph.transform();
            let transform = if stretched { unstretched(transform) } else { transform };
            self.record_glyph(glyph, transform, is_vertical, color);
        }
    }

    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.count_shape();
        self.rulings.path(path, props.transform, mode);
        self.marks.path(path, &props, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.count_shape();
        self.rulings.rect(rect, props.transform, mode);
        self.marks.rect(rect, &props, mode);
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        self.image_coverage.add(props.transform.transform_rect_bbox(pixels));
        self.marks.image(&image, &props);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.marks.push_clip(&clip.path);
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.marks.push_clip_bounds(*rect, true);
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, blend_mode: BlendMode) {
        self.marks.push_group(opacity, mask.is_some(), blend_mode);
    }

    fn pop_clip(&mut self) {
        self.marks.pop_clip();
    }

    fn pop_transparency_group(&mut self) {
        self.marks.pop_group();
    }
}

fn fingerprint(glyphs: &[PositionedGlyph<'_>], transform: Affine) -> Option<RunFingerprint> {
    let (first, last) = (glyphs.first()?, glyphs.last()?);
    Some(RunFingerprint {
        length: glyphs.len(),
        codes: [first.char_code(), last.char_code()],
        transforms: [transform * first.transform(), transform * last.transform()],
    })
}

/// Applies a transform to a vector, without its translation.
fn transform_vector(transform: Affine, x: f64, y: f64) -> Vec2 {
    let [xx, xy, yx, yy, ..] = transform.as_coeffs();
    Vec2::new(xx * x + yx * y, xy * x + yy * y)
}

/// Whether the interpreter stretched the glyphs of a run. It does so for a font that is not in the file: it takes a
/// substitute font and stretches each glyph to the width that the file states. The cached glyph widths are those of the
/// file, so the stretching must be undone before they are used.
fn is_stretched(glyphs: &[PositionedGlyph<'_>]) -> bool {
    let width = |glyph: &PositionedGlyph<'_>| transform_vector(glyph.transform(), 1.0, 0.0).hypot2();
    let Some(first) = glyphs.first().map(width) else { return false };
    glyphs[1..].iter().any(|glyph| (width(glyph) - first).abs() > first * 0.001)
}

/// The same transform, scaled as much in width as in height.
fn unstretched(transform: Affine) -> Affine {
    let [xx, xy, yx, yy, left, top] = transform.as_coeffs();
    let (width, height) = (Vec2::new(xx, xy).hypot(), Vec2::new(yx, yy).hypot());
    if width > 0.0 && height.is_finite() {
        let ratio = height / width;
        Affine::new([xx * ratio, xy * ratio, yx, yy, left, top])
    } else {
        transform
    }
}

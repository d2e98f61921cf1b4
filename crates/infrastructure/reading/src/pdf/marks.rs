//! Records the marks that a page draws: areas of one color and images. A mark hides what the page drew before it in the
//! same place, as a black bar, a white box or a photograph does.
//!
//! Only marks that are certainly opaque hide text. Whatever lets the text show through (transparency, a highlighter that
//! multiplies colors, a soft mask, a pattern, an area cut to an odd shape) is recorded as translucent.

use hayro_interpret::kurbo::{
    Affine, BezPath, PathEl, Point, Rect, Shape, Stroke, StrokeOpts, stroke as stroke_outline,
};
use hayro_interpret::{BlendMode, DrawMode, DrawProps, Image, ImageDrawProps, Paint, StrokeProps};

/// Smaller marks, in points, are rules and frames.
const MIN_SIDE: f64 = 1.0;
/// A thinner line, in points, hides no text.
const MIN_STROKE_WIDTH: f64 = 3.0;
/// A mark of less opacity lets text show through.
const MIN_OPACITY: f32 = 0.9;
/// A path with more elements is a drawing and counts as translucent.
const MAX_ELEMENTS: usize = 512;
/// The elements of all stored paths of a page. Beyond, paths count as translucent.
const MAX_STORED_ELEMENTS: usize = 200_000;
/// Further marks of a page are not recorded.
const MAX_MARKS: usize = 200_000;
/// Outlines of strokes are accurate to this part of a point.
const STROKE_TOLERANCE: f64 = 0.25;
/// The largest difference of two colors, per channel, that nobody sees.
const SAME_COLOR: u8 = 10;

/// Red, green and blue.
pub(super) type Color = [u8; 3];

/// How a mark affects the text below and above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MarkKind {
    /// It hides what is below it. Text of the same color on top of it cannot be seen either.
    Opaque(Color),
    /// An opaque image.
    Image,
    /// What is below it may be visible.
    Translucent,
}

/// An area that the page paints.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) bounds: Rect,
    /// `None` if the mark fills its bounds.
    path: Option<BezPath>,
    pub(super) kind: MarkKind,
}

impl Mark {
    pub(super) fn contains(&self, point: Point) -> bool {
        self.bounds.contains(point) && self.path.as_ref().is_none_or(|path| path.contains(point))
    }

    /// How much work a call of [`Mark::contains`] is.
    pub(super) fn cost(&self) -> usize {
        1 + self.path.as_ref().map_or(0, |path| path.elements().len())
    }
}

/// The area that is currently painted, and whether it is a rectangle.
#[derive(Clone, Copy)]
struct Clip {
    bounds: Rect,
    is_rect: bool,
}

/// A transparency group.
#[derive(Clone, Copy)]
struct TransparencyGroup {
    is_translucent: bool,
    blend_mode: BlendMode,
}

/// The marks of a page in the order in which it draws them.
pub(super) struct MarkRecorder {
    pub(super) marks: Vec<Mark>,
    /// The first is the page.
    clips: Vec<Clip>,
    groups: Vec<TransparencyGroup>,
    elements_left: usize,
}

impl MarkRecorder {
    pub(super) fn new(width: f32, height: f32) -> Self {
        let bounds = Rect::new(0.0, 0.0, width.into(), height.into());
        Self {
            marks: Vec::new(),
            clips: vec![Clip { bounds, is_rect: true }],
            groups: Vec::new(),
            elements_left: MAX_STORED_ELEMENTS,
        }
    }

    /// The number of marks so far. A glyph that is drawn now is below all later marks.
    #[allow(clippy::cast_possible_truncation)] // At most `MAX_MARKS`.
    pub(super) fn count(&self) -> u32 {
        self.marks.len() as u32
    }

    pub(super) fn push_clip(&mut self, path: &BezPath) {
        let area = as_rect(path);
        self.push_clip_bounds(area.unwrap_or_else(|| path.bounding_box()), area.is_some());
    }

    pub(super) fn push_clip_bounds(&mut self, bounds: Rect, is_rect: bool) {
        let outer = self.clip();
        self.clips.push(Clip { bounds: outer.bounds.intersect(bounds), is_rect: is_rect && outer.is_rect });
    }

    pub(super) fn pop_clip(&mut self) {
        if self.clips.len() > 1 {
            self.clips.pop();
        }
    }

    pub(super) fn push_group(&mut self, opacity: f32, has_mask: bool, blend_mode: BlendMode) {
        self.groups.push(TransparencyGroup { is_translucent: has_mask || opacity < MIN_OPACITY, blend_mode });
    }

    pub(super) fn pop_group(&mut self) {
        self.groups.pop();
    }

    pub(super) fn rect(&mut self, rect: &Rect, props: &DrawProps<'_>, mode: &DrawMode) {
        if matches!(mode, DrawMode::Fill(_)) && is_axis_aligned(props.transform) {
            let bounds = props.transform.transform_rect_bbox(*rect);
            self.push(bounds, None, |recorder| recorder.kind_of(props));
        } else {
            self.path(&rect.to_path(0.1), props, mode);
        }
    }

    pub(super) fn path(&mut self, path: &BezPath, props: &DrawProps<'_>, mode: &DrawMode) {
        let outline = match mode {
            DrawMode::Fill(_) | DrawMode::FillAndStroke(..) => path.clone(),
            DrawMode::Stroke(stroke) => match stroke_area(path, stroke, props.transform) {
                Some(area) => area,
                None => return,
            },
            DrawMode::Invisible => return,
        };
        let outline = props.transform * outline;
        match as_rect(&outline) {
            Some(bounds) => self.push(bounds, None, |recorder| recorder.kind_of(props)),
            None => self.push(outline.bounding_box(), Some(outline), |recorder| recorder.kind_of(props)),
        }
    }

    pub(super) fn image(&mut self, image: &Image<'_, '_>, props: &ImageDrawProps<'_>) {
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let is_opaque = match image {
            Image::Stencil(_) => false,
            Image::Raster(image) => {
                let entries = image.stream().dict();
                !["SMask", "Mask", "SMaskInData"].iter().any(|entry| entries.contains_key(entry))
                    && props.soft_mask.is_none()
            }
        };
        let area = (!is_axis_aligned(props.transform)).then(|| props.transform * pixels.to_path(0.1));
        self.push(props.transform.transform_rect_bbox(pixels), area, |recorder| {
            let is_hiding = recorder.is_hiding(props.blend_mode, None);
            if is_opaque && is_hiding { MarkKind::Image } else { MarkKind::Translucent }
        });
    }

    fn push(&mut self, bounds: Rect, path: Option<BezPath>, kind: impl FnOnce(&Self) -> MarkKind) {
        let clip = self.clip();
        let visible = bounds.intersect(clip.bounds);
        let is_large = visible.width() >= MIN_SIDE && visible.height() >= MIN_SIDE && visible.is_finite();
        if !is_large || self.marks.len() >= MAX_MARKS {
            return;
        }
        let elements = path.as_ref().map_or(0, |path| path.elements().len());
        if !clip.is_rect || elements > MAX_ELEMENTS.min(self.elements_left) {
            self.marks.push(Mark { bounds: visible, path: None, kind: MarkKind::Translucent });
            return;
        }
        self.elements_left -= elements;
        self.marks.push(Mark { bounds: visible, path, kind: kind(self) });
    }

    fn clip(&self) -> Clip {
        // The first one is never removed.
        self.clips[self.clips.len() - 1]
    }

    fn kind_of(&self, props: &DrawProps<'_>) -> MarkKind {
        match solid_color(&props.paint) {
            Some(color) if props.soft_mask.is_none() && self.is_hiding(props.blend_mode, Some(color)) => {
                MarkKind::Opaque(color)
            }
            _ => MarkKind::Translucent,
        }
    }

    /// Whether a mark of this color hides what is below it, with its own blend mode and those of its groups.
    fn is_hiding(&self, blend_mode: BlendMode, color: Option<Color>) -> bool {
        let groups = self.groups.iter();
        groups.clone().all(|group| !group.is_translucent)
            && groups.map(|group| group.blend_mode).chain([blend_mode]).all(|mode| replaces(mode, color))
    }
}

/// Whether a blend mode replaces the color below by this one. Black hides everything when colors are multiplied, and white
/// when they are screened; a yellow highlighter lets text show through.
fn replaces(mode: BlendMode, color: Option<Color>) -> bool {
    match (mode, color) {
        (BlendMode::Normal, _) => true,
        (BlendMode::Multiply | BlendMode::Darken, Some(color)) => is_same_color(color, [0; 3]),
        (BlendMode::Screen | BlendMode::Lighten, Some(color)) => is_white(color),
        _ => false,
    }
}

/// The color of a paint that is opaque and not a pattern.
pub(super) fn solid_color(paint: &Paint<'_>) -> Option<Color> {
    let Paint::Color(color) = paint else { return None };
    let color = color.to_rgba();
    let [red, green, blue, _] = color.to_rgba8();
    (color.components()[3] >= MIN_OPACITY).then_some([red, green, blue])
}

/// Whether nobody can tell two colors apart.
pub(super) fn is_same_color(one: Color, other: Color) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= SAME_COLOR)
}

/// Whether a color is that of paper.
pub(super) fn is_white(color: Color) -> bool {
    is_same_color(color, [255; 3])
}

/// The area that a thick line paints. `None` for thin and dashed lines.
fn stroke_area(path: &BezPath, stroke: &StrokeProps, transform: Affine) -> Option<BezPath> {
    let scale = transform.determinant().abs().sqrt();
    let width = f64::from(stroke.line_width);
    let is_thick = width * scale >= MIN_STROKE_WIDTH && (width * scale).is_finite();
    if !is_thick || !stroke.dash_array.is_empty() || path.elements().len() > MAX_ELEMENTS {
        return None;
    }
    let style = Stroke::new(width)
        .with_caps(stroke.line_cap)
        .with_join(stroke.line_join)
        .with_miter_limit(f64::from(stroke.miter_limit));
    Some(stroke_outline(
        path.elements().iter().copied(),
        &style,
        &StrokeOpts::default(),
        STROKE_TOLERANCE / scale,
    ))
}

/// Whether a transform maps upright rectangles to upright rectangles.
fn is_axis_aligned(transform: Affine) -> bool {
    let [xx, xy, yx, yy, ..] = transform.as_coeffs();
    let is_zero = |value: f64| value.abs() < 1e-9;
    (is_zero(xy) && is_zero(yx)) || (is_zero(xx) && is_zero(yy))
}

/// The rectangle that a path consists of, if it is an upright rectangle.
fn as_rect(path: &BezPath) -> Option<Rect> {
    let mut corners = Vec::with_capacity(5);
    for (index, element) in path.elements().iter().enumerate() {
        match element {
            PathEl::MoveTo(point) if index == 0 => corners.push(*point),
            PathEl::LineTo(point) if (1..5).contains(&index) => corners.push(*point),
            PathEl::ClosePath if index >= 4 => {}
            _ => return None,
        }
    }
    let near = |a: f64, b: f64| (a - b).abs() < 0.01;
    if let [first, .., last] = corners.as_slice()
        && corners.len() == 5
        && near(first.x, last.x)
        && near(first.y, last.y)
    {
        corners.pop();
    }
    let [a, b, c, d] = corners.as_slice() else { return None };
    let is_upright = |a: &Point, b: &Point, c: &Point, d: &Point| {
        near(a.x, b.x) && near(b.y, c.y) && near(c.x, d.x) && near(d.y, a.y)
    };
    (is_upright(a, b, c, d) || is_upright(b, c, d, a)).then(|| path.bounding_box())
}

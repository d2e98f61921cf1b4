//! The words of a page and where they stand.

use utoipa::ToSchema;

/// A page, in the order it is read.
#[derive(ToSchema)]
#[schema(as = PageContent)]
pub(crate) struct Page {
    /// In points.
    width: f32,
    /// In points.
    height: f32,
    lines: Vec<Line>,
    /// Whether its words were recognised from its picture.
    recognised: bool,
}

/// Words that stand on one line, in the order they are read.
#[derive(ToSchema)]
pub(crate) struct Line {
    words: Vec<Word>,
    /// Whether a paragraph begins here.
    opens_paragraph: bool,
}

/// A word and its place.
#[derive(ToSchema)]
pub(crate) struct Word {
    text: String,
    rect: Rect,
}

/// A rectangle on a page, in points from its top left corner: left, top, right, bottom.
#[derive(ToSchema)]
pub(crate) struct Rect {
    x0: f32,
    y0: f32,
    x1: f32,
    y1: f32,
}

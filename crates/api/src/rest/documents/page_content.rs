//! The words of a page as JSON.

use quire_domain::reading::{Line, Page, Rect, UnreadPage, Word};
use serde::Serialize;
use utoipa::ToSchema;

/// A page in reading order.
#[derive(Serialize, ToSchema)]
#[schema(as = PageContent)]
pub(crate) struct PageContent {
    /// In points.
    width: f32,
    /// In points.
    height: f32,
    lines: Vec<LineResponse>,
    /// Whether OCR recognised its words.
    recognised: bool,
    /// Text that an opaque mark hides, such as a black bar. It is no part of `lines`, and no fields are read from it.
    covered: Vec<LineResponse>,
    /// Why the page could not be read. Null if it was read.
    unread: Option<UnreadPageResponse>,
}

/// Why a page could not be read.
#[derive(Serialize, ToSchema)]
#[schema(as = UnreadPage)]
pub(crate) struct UnreadPageResponse {
    /// The stable code.
    error_code: String,
    /// What happened and what to do.
    message: String,
}

/// The words of one line in reading order.
#[derive(Serialize, ToSchema)]
#[schema(as = Line)]
pub(crate) struct LineResponse {
    words: Vec<WordResponse>,
    /// Whether a paragraph begins here.
    opens_paragraph: bool,
}

/// A word and its rectangle.
#[derive(Serialize, ToSchema)]
#[schema(as = Word)]
pub(crate) struct WordResponse {
    text: String,
    rect: RectResponse,
}

/// A rectangle on a page, in points from its top left corner: left, top, right, bottom.
#[derive(Serialize, ToSchema)]
#[schema(as = Rect)]
pub(crate) struct RectResponse {
    x0: f32,
    y0: f32,
    x1: f32,
    y1: f32,
}

impl From<Page> for PageContent {
    fn from(page: Page) -> Self {
        let Page { width, height, lines, recognised, covered, unread } = page;
        Self {
            width,
            height,
            lines: lines.into_iter().map(LineResponse::from).collect(),
            recognised,
            covered: covered.into_iter().map(LineResponse::from).collect(),
            unread: unread.map(Into::into),
        }
    }
}

impl From<UnreadPage> for UnreadPageResponse {
    fn from(page: UnreadPage) -> Self {
        let UnreadPage { error_code, message } = page;
        Self { error_code, message }
    }
}

impl From<Line> for LineResponse {
    fn from(line: Line) -> Self {
        let Line { words, opens_paragraph } = line;
        let word = |Word { text, rect }| WordResponse { text, rect: rect.into() };
        Self { words: words.into_iter().map(word).collect(), opens_paragraph }
    }
}

impl From<Rect> for RectResponse {
    fn from(rect: Rect) -> Self {
        let Rect { x0, y0, x1, y1 } = rect;
        Self { x0, y0, x1, y1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::openapi::conformance::require_fit;

    #[test]
    fn a_page_has_the_described_json() {
        let word = Word { text: "Luna".to_owned(), rect: Rect { x0: 1.0, y0: 2.0, x1: 3.5, y1: 4.0 } };
        let line = Line { words: vec![word], opens_paragraph: true };
        let unread = UnreadPage { error_code: "OCR_FAILED".to_owned(), message: "Scan it again.".to_owned() };
        let page = Page {
            width: 595.0,
            height: 842.0,
            lines: vec![line.clone()],
            recognised: false,
            covered: vec![line],
            unread: Some(unread),
        };
        let written = serde_json::to_value(&page).unwrap();
        let response = serde_json::to_value(PageContent::from(page)).unwrap();
        assert_eq!(response, written);
        require_fit(&response, "PageContent");
    }
}

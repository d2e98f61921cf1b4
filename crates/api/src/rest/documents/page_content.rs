//! The words of a page as JSON.

use quire_domain::reading::{DataFinding, DataValue, EmbeddedData, Line, Page, Rect, UnreadPage, Word};
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
    /// Text that an opaque mark hides, such as a black bar. It is no part of `lines`, and no fields are
    /// read from it, unless `reading.covered_text` is `read`.
    covered: Vec<LineResponse>,
    /// Why the page could not be read. Null if it was read.
    unread: Option<UnreadPageResponse>,
    /// Data that the file contains beside its pages, such as the XML of an e-invoice. The first page has it.
    data: Vec<EmbeddedDataResponse>,
    /// Thin lines across or down, which separate the cells of tables.
    rulings: Vec<RectResponse>,
}

/// The data of one embedded file.
#[derive(Serialize, ToSchema)]
#[schema(as = EmbeddedData)]
pub(crate) struct EmbeddedDataResponse {
    /// The name of the embedded file. Empty if the document itself is the data.
    file: String,
    /// The syntax of the data, such as `UBL Invoice`.
    syntax: String,
    values: Vec<DataValueResponse>,
    /// Where the values contradict each other.
    findings: Vec<DataFindingResponse>,
    /// Why the data could not be read. Null if it was read.
    problem: Option<String>,
}

/// One value of embedded data.
#[derive(Serialize, ToSchema)]
#[schema(as = DataValue)]
pub(crate) struct DataValueResponse {
    /// What the value is: as the standard of the data numbers it, `BT-1`, or the name of a form field.
    term: String,
    text: String,
    /// Where it stands in the data.
    path: String,
    /// The line or part that it belongs to, from 1; 0 for values of the whole.
    group: u32,
}

/// A value that contradicts other values of the same data.
#[derive(Serialize, ToSchema)]
#[schema(as = DataFinding)]
pub(crate) struct DataFindingResponse {
    term: String,
    /// The value that would fit the others.
    expected: String,
    message: String,
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
    /// How sure text recognition is of the text, from 0 to 1. Absent if the file itself contains the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f32>,
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
        let Page { width, height, lines, recognised, covered, unread, data, rulings } = page;
        Self {
            width,
            height,
            lines: lines.into_iter().map(LineResponse::from).collect(),
            recognised,
            covered: covered.into_iter().map(LineResponse::from).collect(),
            unread: unread.map(Into::into),
            data: data.into_iter().map(Into::into).collect(),
            rulings: rulings.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<EmbeddedData> for EmbeddedDataResponse {
    fn from(data: EmbeddedData) -> Self {
        let EmbeddedData { file, syntax, values, findings, problem } = data;
        let value = |DataValue { term, text, path, group }| DataValueResponse { term, text, path, group };
        let finding =
            |DataFinding { term, expected, message }| DataFindingResponse { term, expected, message };
        Self {
            file,
            syntax,
            values: values.into_iter().map(value).collect(),
            findings: findings.into_iter().map(finding).collect(),
            problem,
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
        let word = |Word { text, rect, confidence }| WordResponse { text, rect: rect.into(), confidence };
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
        let rect = Rect { x0: 1.0, y0: 2.0, x1: 3.5, y1: 4.0 };
        let words = vec![Word::new("Luna", rect), Word::recognised("felina", rect, 0.5)];
        let line = Line { words, opens_paragraph: true };
        let unread = UnreadPage { error_code: "OCR_FAILED".to_owned(), message: "Scan it again.".to_owned() };
        let page = Page {
            width: 595.0,
            height: 842.0,
            lines: vec![line.clone()],
            recognised: false,
            covered: vec![line],
            unread: Some(unread),
            data: vec![EmbeddedData {
                file: "factur-x.xml".to_owned(),
                syntax: "CII".to_owned(),
                values: vec![DataValue { term: "BT-1".to_owned(), ..DataValue::default() }],
                findings: vec![DataFinding { term: "BT-112".to_owned(), ..DataFinding::default() }],
                problem: None,
            }],
            rulings: vec![Rect { x0: 1.0, y0: 2.0, x1: 30.0, y1: 2.5 }],
        };
        let written = serde_json::to_value(&page).unwrap();
        let response = serde_json::to_value(PageContent::from(page)).unwrap();
        assert_eq!(response, written);
        require_fit(&response, "PageContent");
    }
}

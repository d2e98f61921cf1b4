//! The responses of the service, as far as Quire uses them. Members that are missing have a default, because the service leaves
//! out what it did not find.

use serde::Deserialize;

/// The state of an operation.
#[derive(Debug, Deserialize)]
pub(super) struct ServiceOperation {
    pub(super) status: String,
    #[serde(default, rename = "analyzeResult")]
    pub(super) result: Option<AnalyzeResult>,
    #[serde(default)]
    pub(super) error: Option<ServiceError>,
}

/// The body of an error response.
#[derive(Debug, Deserialize)]
pub(super) struct ErrorResponse {
    pub(super) error: ServiceError,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ServiceError {
    pub(super) code: String,
    pub(super) innererror: Option<InnerError>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InnerError {
    pub(super) code: Option<String>,
}

impl ServiceError {
    /// The code with its inner code. The message is left out, because it may quote the document.
    pub(super) fn codes(&self) -> String {
        let inner = self.innererror.as_ref().and_then(|inner| inner.code.as_deref());
        let plain =
            |code: &str| code.chars().filter(char::is_ascii_alphanumeric).take(60).collect::<String>();
        match inner {
            Some(inner) => format!("{}/{}", plain(&self.code), plain(inner)),
            None => plain(&self.code),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnalyzeResult {
    pub(super) pages: Vec<DocumentPage>,
    #[serde(default)]
    pub(super) paragraphs: Vec<Paragraph>,
    #[serde(default)]
    pub(super) tables: Vec<ServiceTable>,
    #[serde(default)]
    pub(super) key_value_pairs: Vec<Pair>,
    #[serde(default)]
    pub(super) warnings: Vec<Warning>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentPage {
    pub(super) page_number: u32,
    pub(super) width: Option<f32>,
    pub(super) height: Option<f32>,
    pub(super) unit: Option<String>,
    #[serde(default)]
    pub(super) words: Vec<PageWord>,
    #[serde(default)]
    pub(super) lines: Vec<PageLine>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct ServiceSpan {
    pub(super) offset: u64,
    pub(super) length: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct PageWord {
    pub(super) content: String,
    #[serde(default)]
    pub(super) polygon: Vec<f32>,
    pub(super) span: ServiceSpan,
    #[serde(default)]
    pub(super) confidence: f32,
}

#[derive(Debug, Deserialize)]
pub(super) struct PageLine {
    #[serde(default)]
    pub(super) polygon: Vec<f32>,
    #[serde(default)]
    pub(super) spans: Vec<ServiceSpan>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Paragraph {
    #[serde(default)]
    pub(super) spans: Vec<ServiceSpan>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServiceTable {
    #[serde(default)]
    pub(super) row_count: u32,
    #[serde(default)]
    pub(super) column_count: u32,
    #[serde(default)]
    pub(super) cells: Vec<ServiceCell>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServiceCell {
    #[serde(default)]
    pub(super) kind: Option<String>,
    pub(super) row_index: u32,
    pub(super) column_index: u32,
    #[serde(default)]
    pub(super) row_span: Option<u32>,
    #[serde(default)]
    pub(super) column_span: Option<u32>,
    #[serde(default)]
    pub(super) content: String,
    #[serde(default)]
    pub(super) bounding_regions: Vec<BoundingRegion>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BoundingRegion {
    pub(super) page_number: u32,
    #[serde(default)]
    pub(super) polygon: Vec<f32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Pair {
    pub(super) key: PairElement,
    #[serde(default)]
    pub(super) value: Option<PairElement>,
    #[serde(default)]
    pub(super) confidence: f32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PairElement {
    #[serde(default)]
    pub(super) content: String,
    #[serde(default)]
    pub(super) bounding_regions: Vec<BoundingRegion>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Warning {
    pub(super) code: String,
}

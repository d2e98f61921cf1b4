//! What a document analysis service finds beside the text of a document: pairs of a key and a value, and tables.

use serde::{Deserialize, Serialize};

use super::{Reading, Rect, Table, TableCell};

/// A document that a service has read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysedDocument {
    /// Its pages with their words.
    pub reading: Reading,
    /// What the service found beside the text.
    pub analysis: Analysis,
}

/// What a service found beside the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    /// Keys with their values.
    pub pairs: Vec<KeyValuePair>,
    /// Tables.
    pub tables: Vec<AnalysedTable>,
    /// The confidence of each word, from 0 to 1, by page and in the order of the words of the page.
    pub word_confidence: Vec<Vec<f32>>,
    /// What the service warns of, as codes.
    pub warnings: Vec<String>,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyValuePair {
    /// The words of the key, such as a label.
    pub key: PlacedText,
    /// The words of the value. None if the field of the form is empty.
    pub value: Option<PlacedText>,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
}

/// A text and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacedText {
    /// The text.
    pub text: String,
    /// The page, from 1.
    pub page: u32,
    /// The rectangles around it on that page.
    pub boxes: Vec<Rect>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysedTable {
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
    /// The cells.
    pub cells: Vec<AnalysedCell>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysedCell {
    /// Its row, from 0.
    pub row: u32,
    /// Its column, from 0.
    pub column: u32,
    /// How many rows it spans.
    pub row_span: u32,
    /// How many columns it spans.
    pub column_span: u32,
    /// Whether it is a heading.
    pub is_heading: bool,
    /// Its content.
    pub content: PlacedText,
}

impl From<&AnalysedTable> for Table {
    /// The table as if it was found in the words of the pages. Cells without text are left out.
    fn from(table: &AnalysedTable) -> Self {
        let cells = table.cells.iter().filter(|cell| !cell.content.text.is_empty());
        let mut cells: Vec<TableCell> = cells.map(TableCell::from).collect();
        cells.sort_by_key(|cell| (cell.row, cell.column));
        let headings = table.cells.iter().filter(|cell| cell.is_heading && cell.column > 0);
        let head_rows = headings.map(|cell| cell.row + cell.row_span).max().unwrap_or(0);
        Self {
            columns: table.columns as usize,
            rows: table.rows as usize,
            head_rows: head_rows.min(table.rows) as usize,
            cells,
        }
    }
}

impl From<&AnalysedCell> for TableCell {
    fn from(cell: &AnalysedCell) -> Self {
        let rect = cell.content.boxes.iter().copied().reduce(Rect::union).unwrap_or_default();
        Self {
            row: cell.row as usize,
            column: cell.column as usize,
            column_span: cell.column_span as usize,
            row_span: cell.row_span as usize,
            text: cell.content.text.clone(),
            page: cell.content.page as usize,
            rect,
            area: rect,
        }
    }
}

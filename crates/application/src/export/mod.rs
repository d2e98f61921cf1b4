//! Exports of values for other programs.

mod cell;
mod csv;
mod document_rows;
mod documents;
mod formula;
mod table;
mod table_rows;
mod xlsx;

pub use cell::{CellSink, ExportCell, RowSink};
pub use csv::{BYTE_ORDER_MARK, CsvRow, CsvText};
pub use document_rows::KeyColumns;
pub use documents::{Export, ExportedDocument};
pub use table::{RowPrefix, heading, row_without_value, rows};
use table::{push_heading, push_value};
pub use table_rows::TableRows;
pub use xlsx::XlsxSheet;

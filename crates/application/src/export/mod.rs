//! Exports of values for other programs.

mod csv;
mod documents;
mod table;

pub use csv::{Cell, CsvRow};
pub use documents::{Export, ExportedDocument};
pub use table::{RowPrefix, heading, row_without_value, rows};

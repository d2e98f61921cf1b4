//! Values for other programs.

mod csv;
mod documents;
mod table;

pub use csv::{Cell, CsvRow};
pub use documents::{Export, Exported};
pub use table::{RowHead, heading, row_without_value, rows};

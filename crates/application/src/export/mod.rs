//! Values for other programs.

mod csv;
mod documents;

pub use csv::{Cell, CsvRow};
pub use documents::{Export, Exported};

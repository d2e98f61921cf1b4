//! Values for other programs.

mod csv;

pub use csv::{Cell, CsvRow};

//! Documents made for tests: PDFs written object by object, good ones and hostile ones.

mod hostile;
mod pdf;

pub use hostile::{Hostile, hostile};
pub use pdf::{Pdf, clinical_record, text_page};

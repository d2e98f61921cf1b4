//! Documents made for tests: PDFs written object by object, good ones and hostile ones.

mod hostile;
mod pdf;
mod record;

pub use hostile::{Hostile, hostile};
pub use pdf::{Pdf, clinical_record, text_page};
pub use record::case_history;

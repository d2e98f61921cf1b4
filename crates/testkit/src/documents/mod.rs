//! Documents made for tests: PDFs written object by object, good ones and hostile ones.

mod hostile;
mod pdf;
mod record;
mod sample;

pub use hostile::{Hostile, hostile};
pub use pdf::{Pdf, clinical_record, text_page};
pub use record::case_history;
pub use sample::sample_record;

//! Generated documents for tests: PDFs with text, scanned pages, and hostile files.

mod content;
mod hostile;
mod pdf;
mod record;
mod sample;

pub use content::{Font, PageContent, text_page};
pub use hostile::{Hostile, encrypted_without_password, hostile, record_with_broken_page};
pub use pdf::{A4_HEIGHT, A4_WIDTH, PageOptions, Pdf, clinical_record};
pub use record::case_history;
pub use sample::sample_record;

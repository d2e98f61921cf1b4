//! Generated documents for tests: PDFs with text, scanned pages, and hostile files.

mod content;
mod einvoice;
mod hostile;
mod pdf;
mod picture;
mod record;
mod sample;
mod unicode;

pub use content::{Font, PageContent, text_page, text_page_at};
pub use einvoice::{EInvoice, Syntax, pdf_with_file};
pub use hostile::{Hostile, encrypted_without_password, hostile, record_with_broken_page};
pub use pdf::{A4_HEIGHT, A4_WIDTH, PageOptions, Pdf, clinical_record};
pub use picture::Picture;
pub use record::case_history;
pub use sample::sample_record;
pub use unicode::unicode_pdf;

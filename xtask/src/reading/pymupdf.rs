//! `PyMuPDF` in a Python environment of its own.

use std::path::PathBuf;

use crate::{Result, python};

/// Another version is another baseline: change it together with the figures in the documentation.
const VERSION: &str = "2.0";

/// A Python that can import `PyMuPDF`.
pub fn python() -> Result<PathBuf> {
    python::with("pymupdf", VERSION)
}

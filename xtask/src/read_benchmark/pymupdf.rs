//! `PyMuPDF` in its own Python environment.

use std::path::PathBuf;

use crate::{Result, python};

/// Another version is another baseline: measure again and update docs/benchmarks.md when you change it.
const VERSION: &str = "2.0";

/// A Python that can import `PyMuPDF`.
pub fn python() -> Result<PathBuf> {
    python::with("pymupdf", VERSION)
}

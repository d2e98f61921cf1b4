//! What `cargo xtask bench read` needs: other readers to compare with, and PDFs.

mod manuals;
mod pymupdf;

use std::ffi::OsString;
use std::process::Command;

use crate::cargo::succeeds;
use crate::{Result, apt};

/// The environment variables by which quire-bench finds them.
pub fn variables() -> Result<Vec<(&'static str, OsString)>> {
    let manuals = std::env::join_paths(manuals::folders())
        .map_err(|error| format!("the temporary folder has an unusable name: {error}"))?;
    Ok(vec![
        ("QUIRE_BENCH_PYTHON", pymupdf::python()?.into()),
        ("QUIRE_BENCH_PDFTOTEXT", pdftotext()?.into()),
        ("QUIRE_BENCH_MANUALS", manuals),
    ])
}

/// The name of pdftotext. Installs it if it is missing.
fn pdftotext() -> Result<&'static str> {
    const NAME: &str = "pdftotext";
    if !succeeds(Command::new(NAME).arg("-v")) {
        apt::install("poppler-utils", "put pdftotext on PATH in another way")?;
    }
    Ok(NAME)
}

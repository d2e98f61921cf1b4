//! `DuckDB`, with which a test runs the query of docs/guide/bi.md over an export.

use std::path::PathBuf;

use crate::{Result, python};

const VARIABLE: &str = "QUIRE_TEST_DUCKDB";

/// The variable and the path of a Python that can import `DuckDB`. Installs it the first time.
pub fn require() -> Result<(&'static str, PathBuf)> {
    match std::env::var_os(VARIABLE) {
        Some(python) => Ok((VARIABLE, python.into())),
        None => Ok((VARIABLE, python::with("duckdb", "2.0.0")?)),
    }
}

//! The browser in which tests use the pages.

use std::process::{Command, Stdio};

use crate::{Result, apt};

/// Installs Chromium unless it is here.
pub fn require() -> Result<()> {
    if std::env::var_os("QUIRE_TEST_CHROMIUM").is_some() {
        return Ok(());
    }
    let version =
        Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if version.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    apt::install("chromium", "name one with QUIRE_TEST_CHROMIUM")
}

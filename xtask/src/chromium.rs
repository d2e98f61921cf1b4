//! Chromium, in which tests use the pages.

use std::process::{Command, Stdio};

use crate::{Result, apt};

/// The browser and fonts; its package only recommends fonts.
const PACKAGES: [&str; 2] = ["chromium", "fonts-liberation"];

/// Installs Chromium if it is missing.
pub fn require() -> Result<()> {
    if std::env::var_os("QUIRE_TEST_CHROMIUM").is_some() {
        return Ok(());
    }
    let version =
        Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if version.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    for package in PACKAGES {
        apt::install(package, "name a Chromium with QUIRE_TEST_CHROMIUM")?;
    }
    Ok(())
}

//! curl, with which a test follows the guide to the API.

use std::process::{Command, Stdio};

use crate::{Result, apt};

/// Installs curl if it is missing.
pub fn require() -> Result<()> {
    let version = Command::new("curl").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if version.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    apt::install("curl", "put curl on PATH in another way")
}

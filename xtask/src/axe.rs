//! axe-core, which finds accessibility problems in the pages. It is one JavaScript file from npm, only for tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{succeed_quietly, succeeds};
use crate::{Result, apt, cache};

const VERSION: &str = "4.10.3";
/// Tests read the path of the file from this variable.
const VARIABLE: &str = "QUIRE_TEST_AXE";

/// The variable and the path of the file. Downloads the file the first time.
pub fn require() -> Result<(&'static str, PathBuf)> {
    if let Some(file) = std::env::var_os(VARIABLE) {
        return Ok((VARIABLE, file.into()));
    }
    let package = cache::cached_folder(&format!("axe-core-{VERSION}"), download)?;
    Ok((VARIABLE, package.join("axe.min.js")))
}

fn download(scratch: &Path) -> Result<PathBuf> {
    if !succeeds(Command::new("npm").arg("--version")) {
        apt::install("npm", &format!("set {VARIABLE} to a file axe.min.js"))?;
    }
    eprintln!("downloading axe-core {VERSION}");
    let name = format!("axe-core@{VERSION}");
    succeed_quietly(Command::new("npm").args(["pack", "--silent", &name]).current_dir(scratch))?;
    let packed = format!("axe-core-{VERSION}.tgz");
    succeed_quietly(Command::new("tar").args(["-xzf", &packed]).current_dir(scratch))?;
    Ok(scratch.join("package"))
}

//! axe-core, which looks in the pages for what keeps people from using them. It is one file of JavaScript from npm, for tests
//! alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{answers, succeed_quietly};
use crate::{Result, apt, cache};

const VERSION: &str = "4.10.3";
/// Under this name tests find the file.
const VARIABLE: &str = "QUIRE_TEST_AXE";

/// The variable that tells tests where the file is, downloaded unless it was before.
pub fn require() -> Result<(&'static str, PathBuf)> {
    if let Some(file) = std::env::var_os(VARIABLE) {
        return Ok((VARIABLE, file.into()));
    }
    let package = cache::kept(&format!("axe-core-{VERSION}"), download)?;
    Ok((VARIABLE, package.join("axe.min.js")))
}

fn download(scratch: &Path) -> Result<PathBuf> {
    if !answers(Command::new("npm").arg("--version")) {
        apt::install("npm", &format!("set {VARIABLE} to a file axe.min.js"))?;
    }
    eprintln!("downloading axe-core {VERSION}");
    let name = format!("axe-core@{VERSION}");
    succeed_quietly(Command::new("npm").args(["pack", "--silent", &name]).current_dir(scratch))?;
    let packed = format!("axe-core-{VERSION}.tgz");
    succeed_quietly(Command::new("tar").args(["-xzf", &packed]).current_dir(scratch))?;
    Ok(scratch.join("package"))
}

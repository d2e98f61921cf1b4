//! `PyMuPDF` in a Python environment of its own.

use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{succeed, succeed_quietly};
use crate::pip::pip;
use crate::{Result, cache};

/// Another version is another baseline: change it together with the figures in the documentation.
const VERSION: &str = "2.0";

/// A Python that can import `PyMuPDF`.
pub fn python() -> Result<PathBuf> {
    Ok(python_of(&cache::kept(&format!("pymupdf-{VERSION}"), install)?))
}

fn install(scratch: &Path) -> Result<PathBuf> {
    eprintln!("installing PyMuPDF {VERSION} in a folder of its own");
    let environment = scratch.join("environment");
    // Without an installer of its own: Debian packs the one that Python would bring along separately.
    succeed_quietly(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment))?;
    succeed(
        pip()?
            .arg("--python")
            .arg(python_of(&environment))
            .args(["install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"])
            .arg(format!("pymupdf=={VERSION}"))
            .stdout(stderr()),
    )?;
    Ok(environment)
}

fn python_of(environment: &Path) -> PathBuf {
    environment.join("bin/python")
}

//! Programs of Python's package index, each in an environment of its own.

use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{succeed, succeed_quietly};
use crate::pip::pip;
use crate::{Result, cache};

/// A Python that can import this version of the package, installed the first time.
pub fn with(package: &str, version: &str) -> Result<PathBuf> {
    let install = |scratch: &Path| install(package, version, scratch);
    Ok(python_of(&cache::kept(&format!("{package}-{version}"), install)?))
}

fn install(package: &str, version: &str, scratch: &Path) -> Result<PathBuf> {
    eprintln!("installing {package} {version} in a folder of its own");
    let environment = scratch.join("environment");
    // Without an installer of its own: Debian packs the one that Python would bring along separately.
    succeed_quietly(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment))?;
    succeed(
        pip()?
            .arg("--python")
            .arg(python_of(&environment))
            .args(["install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"])
            .arg(format!("{package}=={version}"))
            .stdout(stderr()),
    )?;
    Ok(environment)
}

fn python_of(environment: &Path) -> PathBuf {
    environment.join("bin/python")
}

//! Packages of the Python package index, each in its own environment.

use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{succeed, succeed_quietly};
use crate::pip::pip;
use crate::{Result, cache};

/// A Python that can import this version of the package. Installs the package the first time.
pub fn with(package: &str, version: &str) -> Result<PathBuf> {
    with_all(&format!("{package}-{version}"), &[&format!("{package}=={version}")])
}

/// A Python that can import these packages, each given with its version. Installs them the first time, in an environment of
/// that name.
pub fn with_all(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let install = |scratch: &Path| install(name, packages, scratch);
    Ok(python_of(&cache::cached_folder(name, install)?))
}

fn install(name: &str, packages: &[&str], scratch: &Path) -> Result<PathBuf> {
    eprintln!("installing {name} in its own environment");
    let environment = scratch.join("environment");
    // Without its own pip: Debian has the one that Python would install in a separate package.
    succeed_quietly(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment))?;
    succeed(
        pip()?
            .arg("--python")
            .arg(python_of(&environment))
            .args(["install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"])
            .args(packages)
            .stdout(stderr()),
    )?;
    Ok(environment)
}

fn python_of(environment: &Path) -> PathBuf {
    environment.join("bin/python")
}

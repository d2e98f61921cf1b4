//! Packages of the Python package index, each in its own environment.

use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{succeed, succeed_quietly};
use crate::pip::pip;
use crate::{Result, cache};

/// A Python that can import this version of the package. Installs the package the first time.
pub fn with(package: &str, version: &str) -> Result<PathBuf> {
    let install = |scratch: &Path| install(package, version, scratch);
    Ok(python_of(&cache::cached_folder(&format!("{package}-{version}"), install)?))
}

fn install(package: &str, version: &str, scratch: &Path) -> Result<PathBuf> {
    eprintln!("installing {package} {version} in its own environment");
    let environment = scratch.join("environment");
    // Without its own pip: Debian has the one that Python would install in a separate package.
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

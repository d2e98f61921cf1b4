//! Debian packages that a task needs and the machine lacks.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::cargo::succeed_quietly;

/// Installs the package. If that fails, the error says what to do instead.
pub fn install(package: &str, instead: &str) -> Result<()> {
    eprintln!("installing the Debian package {package}");
    update()
        .and_then(|()| apt_get(&["install", "--yes", "--quiet=2", "--no-install-recommends", package]))
        .map_err(|error| format!("{error}\nInstall {package} as root and try again, or {instead}."))
}

/// Updates the package lists; a fresh machine has none.
pub fn update() -> Result<()> {
    apt_get(&["update", "--quiet=2"])
}

/// Downloads the file of a package into a folder without installing it.
pub fn download(package: &str, folder: &Path) -> Result<()> {
    succeed_quietly(command(&["download", "--quiet=2", package]).current_dir(folder))
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    succeed_quietly(&mut command(arguments))
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // RUNLEVEL=1 keeps the package from starting its own server: ours are private.
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    command
}

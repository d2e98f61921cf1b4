//! Installing a Debian package that a task needs and the machine lacks.

use std::process::Command;

use crate::Result;
use crate::cargo::succeed_quietly;

/// Installs the package; when that cannot be done here, says what to do instead.
pub fn install(package: &str, instead: &str) -> Result<()> {
    eprintln!("installing the Debian package {package}");
    apt_get(&["update", "--quiet=2"])
        .and_then(|()| apt_get(&["install", "--yes", "--quiet=2", "--no-install-recommends", package]))
        .map_err(|error| format!("{error}\nInstall {package} as root and try again, or {instead}."))
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    // RUNLEVEL=1 keeps the package from starting a server of its own: ours are private.
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    succeed_quietly(&mut command)
}

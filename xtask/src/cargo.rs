//! Running programs, cargo first among them, from the root of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

/// The cargo that runs xtask, started at the root of the workspace.
pub fn cargo() -> Command {
    let mut command = Command::new(program());
    command.current_dir(workspace_root());
    // What cargo tells xtask about xtask is not for whom xtask starts: build scripts that look at it would run again,
    // and half the workspace with them, whenever a person and xtask build in turns.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_")
            || text.starts_with("CARGO_MANIFEST_")
            || text == "CARGO_PRIMARY_PACKAGE"
        {
            command.env_remove(&name);
        }
    }
    command
}

/// The cargo that runs xtask: the same toolchain, not whichever comes first on `PATH`.
pub fn program() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// The folder of the workspace's `Cargo.toml`. The variable is read when xtask runs: a build shared between two clones
/// would otherwise act on the one it was compiled in.
pub fn workspace_root() -> PathBuf {
    let xtask = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&xtask).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Runs the command with its output shown, and fails when it does.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_run(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", line(command))) }
}

/// Runs the command with its output kept, and shows it only in the message of a failure.
pub fn succeed_quietly(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|error| cannot_run(command, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!(
        "`{}` failed: {}\n{}",
        line(command),
        output.status,
        String::from_utf8_lossy(&said).trim_end()
    ))
}

/// Whether the program can be run and says so itself; for asking what a machine has.
pub fn answers(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn cannot_run(command: &Command, error: &std::io::Error) -> String {
    format!("cannot run `{}`: {error}", line(command))
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

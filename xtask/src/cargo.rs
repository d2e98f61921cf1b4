//! Running cargo and other programs from the root of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

/// The cargo that runs xtask, started at the root of the workspace.
pub fn cargo() -> Command {
    let mut command = Command::new(program());
    command.current_dir(workspace_root());
    // Cargo sets these variables for xtask. Build scripts that read them would run again, and half the workspace would be
    // built again, whenever a person and xtask build in turns.
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

/// The cargo that runs xtask: the same toolchain, not the first one on `PATH`.
pub fn program() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// The folder of the workspace's `Cargo.toml`. The variable is read when xtask runs: a build that two clones share would
/// otherwise work on the clone that it was compiled in.
pub fn workspace_root() -> PathBuf {
    let xtask = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&xtask).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Runs the command and shows its output. Fails if the command fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_run(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", command_line(command))) }
}

/// Runs the command without showing its output, except in the error if the command fails.
pub fn succeed_quietly(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|error| cannot_run(command, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(format!(
        "`{}` failed: {}\n{}",
        command_line(command),
        output.status,
        String::from_utf8_lossy(&text).trim_end()
    ))
}

/// Whether the command can be run and succeeds; used to find out which programs a machine has.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn cannot_run(command: &Command, error: &std::io::Error) -> String {
    format!("cannot run `{}`: {error}", command_line(command))
}

fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

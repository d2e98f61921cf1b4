//! One build of the tests that also runs clippy.
//!
//! `cargo clippy` followed by `cargo test` compiles every dependency twice, which takes minutes on a fresh machine.
//! clippy-driver is rustc with more lints: as the compiler of the workspace it builds what the tests need and prints what
//! clippy prints.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Result;
use crate::cargo::{cargo, program};
use crate::checks::require_component;

/// A cargo whose compiler for the workspace is clippy-driver. It shares no files with a cargo without.
pub fn linting_cargo() -> Command {
    let mut command = cargo();
    command.env("RUSTC_WORKSPACE_WRAPPER", driver());
    command
}

/// Builds all programs and tests. Fails if they do not compile, and if clippy finds something in them.
pub fn build() -> Result<()> {
    require_component("clippy", "clippy")?;
    let mut linted = Vec::new();
    for arguments in [["build", "--workspace", "--bins"], ["test", "--workspace", "--no-run"]] {
        let mut command = linting_cargo();
        command.args(arguments).stderr(Stdio::piped());
        let mut build = command.spawn().map_err(|error| format!("cannot run cargo: {error}"))?;
        for line in build.stderr.take().into_iter().flat_map(|output| BufReader::new(output).split(b'\n')) {
            let line = line.map_err(|error| format!("cannot read the output of cargo: {error}"))?;
            let line = String::from_utf8_lossy(&line);
            eprintln!("{line}");
            linted.extend(linted_target(&line));
        }
        let status = build.wait().map_err(|error| format!("cannot wait for cargo: {error}"))?;
        if !status.success() {
            return Err(format!("`cargo {}` failed: {status}", arguments.join(" ")));
        }
    }
    linted.sort_unstable();
    linted.dedup();
    if linted.is_empty() { Ok(()) } else { Err(format!("clippy found something in {}", linted.join(", "))) }
}

/// clippy-driver of the toolchain that runs xtask.
fn driver() -> PathBuf {
    program().with_file_name("clippy-driver")
}

/// The crate that cargo names after its warnings. Warnings of an earlier build are printed again.
fn linted_target(line: &str) -> Option<String> {
    let (target, count) = line.strip_prefix("warning: `")?.split_once("` (")?;
    count.contains(" generated ").then(|| target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{driver, linted_target};

    #[test]
    fn a_crate_with_warnings_is_named() {
        let line = "warning: `quire-api` (lib test) generated 2 warnings (1 duplicate)";
        assert_eq!(linted_target(line).as_deref(), Some("quire-api"));
        for line in ["warning: unused variable: `x`", "   Compiling quire-api v0.1.0", "warning: `x` is old"]
        {
            assert_eq!(linted_target(line), None, "{line}");
        }
    }

    #[test]
    fn the_toolchain_has_a_clippy_driver() {
        assert!(driver().is_file(), "{}", driver().display());
    }
}

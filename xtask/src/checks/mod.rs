//! The checks that need no service: format, lints, dependencies.

mod deny;

use crate::Result;
use crate::cargo::{answers, cargo, succeed};
use crate::stages::Stages;

/// Runs every check, each as a stage.
pub fn run(stages: &mut Stages) {
    stages.run("cargo fmt", || {
        require_component("fmt", "rustfmt")?;
        succeed(cargo().args(["fmt", "--all", "--check"]))
    });
    stages.run("cargo clippy", || {
        require_component("clippy", "clippy")?;
        succeed(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    stages.run("cargo deny", deny::check);
}

fn require_component(subcommand: &str, component: &str) -> Result<()> {
    if answers(cargo().args([subcommand, "--version"])) {
        Ok(())
    } else {
        Err(format!("this toolchain has no {component}; add it with `rustup component add {component}`"))
    }
}

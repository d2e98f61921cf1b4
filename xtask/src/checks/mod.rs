//! The checks that need no service: format, lints, dependencies, documents.

mod deny;
mod documents;

use crate::Result;
use crate::cargo::{cargo, succeed, succeeds};
use crate::stages::Stages;

struct Check {
    /// What it is called on the command line.
    name: &'static str,
    /// What it is called in the list of stages.
    title: &'static str,
    run: fn() -> Result<()>,
}

const CHECKS: &[Check] = &[
    Check { name: "documents", title: "documents", run: documents::check },
    Check { name: "fmt", title: "cargo fmt", run: fmt },
    Check { name: "clippy", title: "cargo clippy", run: clippy },
    Check { name: "deny", title: "cargo deny", run: deny::check },
];

/// The names by which a check can be chosen.
pub fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.name)
}

/// Runs the checks of these names, or all of them if there is no name, each as a stage.
pub fn run(stages: &mut Stages, chosen: &[String]) -> Result<()> {
    if let Some(unknown) = chosen.iter().find(|name| !names().any(|known| known == **name)) {
        let known: Vec<&str> = names().collect();
        return Err(format!("there is no check `{unknown}`; choose from: {}", known.join(", ")));
    }
    for check in
        CHECKS.iter().filter(|check| chosen.is_empty() || chosen.iter().any(|name| name == check.name))
    {
        stages.run(check.title, check.run);
    }
    Ok(())
}

fn fmt() -> Result<()> {
    require_component("fmt", "rustfmt")?;
    succeed(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result<()> {
    require_component("clippy", "clippy")?;
    succeed(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Fails if the toolchain lacks a component that brings a subcommand of cargo.
pub fn require_component(subcommand: &str, component: &str) -> Result<()> {
    if succeeds(cargo().args([subcommand, "--version"])) {
        Ok(())
    } else {
        Err(format!("this toolchain has no {component}; add it with `rustup component add {component}`"))
    }
}

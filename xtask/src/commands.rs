//! What each command does, in terms of services, checks and cargo.

use std::io::Write as _;
use std::process::Command;

use crate::cargo::{cargo, succeed};
use crate::services::Services;
use crate::stages::Stages;
use crate::{Result, axe, checks, chromium, contract, curl, reading, tesseract};

pub fn test(arguments: &[String]) -> Result<()> {
    let TestArguments { only_tests, cargo_test, chooses } = TestArguments::parse(arguments)?;
    let mut stages = Stages::default();
    stages.require("find tesseract", tesseract::require)?;
    stages.require("find curl", curl::require)?;
    stages.require("find Chromium", chromium::require)?;
    let axe = stages.require("find axe-core", axe::require)?;
    let services = stages.require("start PostgreSQL and Redis", Services::start)?;
    if !only_tests {
        checks::run(&mut stages);
    }
    stages.run("cargo test", || {
        succeed(cargo().arg("test").args(cargo_test).envs(services.variables()).envs([axe]))
    });
    if !chooses {
        stages.run("schemathesis", || contract::check(&[]));
    }
    stages.run("stop PostgreSQL and Redis", || services.stop());
    stages.finish()
}

pub fn check(arguments: &[String]) -> Result<()> {
    refuse_arguments("check", arguments)?;
    let mut stages = Stages::default();
    checks::run(&mut stages);
    stages.finish()
}

pub fn openapi(arguments: &[String]) -> Result<()> {
    refuse_arguments("openapi", arguments)?;
    // The test that compares the file writes it when this is set.
    succeed(
        cargo()
            .args(["test", "--package", "quire-api", "--lib", "the_committed_description"])
            .env("QUIRE_RENEW_OPENAPI", "1"),
    )
}

pub fn pictures(arguments: &[String]) -> Result<()> {
    refuse_arguments("pictures", arguments)?;
    chromium::require()?;
    // The story that is told in English keeps what it sees when this is set.
    succeed(
        cargo()
            .args(["test", "--package", "quire", "--test", "e2e", "pages::day::a_day_in_english"])
            .env("QUIRE_RENEW_PICTURES", "1"),
    )
}

pub fn bench(arguments: &[String]) -> Result<()> {
    match arguments.first().map(String::as_str) {
        None => Err("which benchmark? Name it: `cargo xtask bench NAME`".into()),
        // Reading has other needs than a database.
        Some("read") => succeed(quire_bench("bench", arguments).envs(reading::variables()?)),
        Some("interpret") => succeed(&mut quire_bench("bench", arguments)),
        Some("pages") => {
            chromium::require()?;
            succeed(&mut quire_bench("bench", arguments))
        }
        // It drives the program that people run, and looks for it beside itself.
        Some("process") => {
            tesseract::require()?;
            succeed(cargo().args(["build", "--profile", "dist", "--package", "quire"]))?;
            succeed(&mut quire_bench("bench", arguments))
        }
        Some(_) => run_quire_bench("bench", arguments),
    }
}

pub fn drill(arguments: &[String]) -> Result<()> {
    run_quire_bench("drill", arguments)
}

pub fn services(arguments: &[String]) -> Result<()> {
    refuse_arguments("services", arguments)?;
    let services = Services::start()?;
    let mut out = std::io::stdout().lock();
    for (name, value) in services.variables() {
        writeln!(out, "export {name}='{value}'").map_err(|error| format!("cannot print: {error}"))?;
    }
    drop(out);
    eprintln!("PostgreSQL and Redis are running; press Ctrl-C to stop them.");
    services.wait()
}

fn run_quire_bench(subcommand: &str, arguments: &[String]) -> Result<()> {
    let services = Services::start()?;
    let outcome = succeed(quire_bench(subcommand, arguments).envs(services.variables()));
    outcome.and(services.stop())
}

fn quire_bench(subcommand: &str, arguments: &[String]) -> Command {
    let mut command = cargo();
    command.args(["run", "--profile", "dist", "--package", "quire-bench", "--", subcommand]).args(arguments);
    command
}

fn refuse_arguments(command: &str, arguments: &[String]) -> Result<()> {
    match arguments.first() {
        Some(argument) => Err(format!("`cargo xtask {command}` takes no argument `{argument}`")),
        None => Ok(()),
    }
}

#[derive(Debug, PartialEq)]
struct TestArguments {
    only_tests: bool,
    cargo_test: Vec<String>,
    /// Whether somebody chose what to test.
    chooses: bool,
}

impl TestArguments {
    fn parse(arguments: &[String]) -> Result<Self> {
        let dashes = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
        let (own, passed_on) = arguments.split_at(dashes);
        if let Some(argument) = own.iter().find(|argument| *argument != "--only-tests") {
            return Err(format!(
                "`cargo xtask test` has no argument `{argument}`; what `cargo test` shall get comes after `--`"
            ));
        }
        let passed_on = passed_on.get(1..).unwrap_or_default();
        let mut cargo_test = Vec::new();
        if !names_a_package(passed_on) {
            cargo_test.push("--workspace".to_owned());
        }
        cargo_test.extend_from_slice(passed_on);
        Ok(Self { only_tests: !own.is_empty(), cargo_test, chooses: !passed_on.is_empty() })
    }
}

/// Whether the arguments choose packages themselves; cargo would let `--workspace` override that choice.
fn names_a_package(cargo_test: &[String]) -> bool {
    cargo_test
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

#[cfg(test)]
mod tests {
    use super::TestArguments;

    fn parse(line: &str) -> Result<(bool, String), String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        TestArguments::parse(&arguments).map(|parsed| (parsed.only_tests, parsed.cargo_test.join(" ")))
    }

    #[test]
    fn the_whole_workspace_is_tested_unless_a_package_is_named() {
        assert_eq!(parse(""), Ok((false, "--workspace".into())));
        assert_eq!(parse("--only-tests -- claim"), Ok((true, "--workspace claim".into())));
        assert_eq!(parse("-- -p quire claim"), Ok((false, "-p quire claim".into())));
        assert_eq!(parse("-- -- -p"), Ok((false, "--workspace -- -p".into())));
    }

    #[test]
    fn an_argument_for_cargo_test_needs_the_dashes() {
        let message = parse("claim").unwrap_err();
        assert!(message.contains("`claim`") && message.contains("after `--`"), "{message}");
    }
}

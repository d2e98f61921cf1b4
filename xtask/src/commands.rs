//! What each command does.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::Command;

use crate::cargo::{cargo, succeed};
use crate::linted_build::{self, linting_cargo};
use crate::services::Services;
use crate::stages::Stages;
use crate::{
    Result, axe, cargo_test, checks, chromium, contract, curl, duckdb, embedding_model, older_program,
    proxies, read_benchmark, requirements, sbom, tesseract,
};

/// Tests that write a committed file when a variable is set. Cargo chooses tests by a part of their name.
const WRITES_OPENAPI: &str = "the_committed_description";
const WRITES_COMMANDS: &str = "the_committed_page";
const WRITES_PICTURES: &str = "pages::walkthrough::the_whole_review_works_in_english";

/// The tests that measure interpretation on documents that they make, and the one that fits the confidence.
const MEASURES_UNDERSTANDING: [&str; 5] = [
    "records_in_unlike_layouts",
    "invoices_in_seven_languages",
    "invoices_as_texts",
    "tables_of_made_documents",
    "confidence_is_a_probability",
];
const MEASURES_PDFS: &str = "as_pdfs_reach_the_floor";
const FITS_CONFIDENCE: &str = "the_weights_are_fitted";

/// The benchmarks of quire-bench, and the one of interpretation.
pub const BENCHMARKS: [&str; 12] = [
    "queue",
    "api",
    "blobs",
    "copy",
    "workers",
    "read",
    "interpret",
    "process",
    "pages",
    "search",
    "web",
    "understanding",
];

pub fn test(arguments: &[String]) -> Result<()> {
    let TestArguments { only_tests, for_cargo_test, has_own_arguments } = TestArguments::parse(arguments)?;
    let mut stages = Stages::default();
    stages.require("find tesseract", tesseract::require)?;
    stages.require("find proxies", proxies::require)?;
    stages.require("find curl", curl::require)?;
    stages.require("find Chromium", chromium::require)?;
    let (axe, axe_file) = stages.require("find axe-core", axe::require)?;
    let (duckdb, duckdb_python) = stages.require("find DuckDB", duckdb::require)?;
    let (model, model_folder) = stages.require("find the embedding model", embedding_model::require)?;
    let services = stages.require("start the services", Services::start)?;
    let whole = !only_tests && !has_own_arguments;
    if whole {
        checks::run(&mut stages, &["documents", "fmt", "deny"].map(str::to_owned))?;
        stages.run("build with clippy", linted_build::build);
    } else if !only_tests {
        checks::run(&mut stages, &[])?;
    }
    let mut variables: Vec<(&str, &OsStr)> =
        services.variables().map(|(name, value)| (name, OsStr::new(value))).collect();
    variables.push((axe, axe_file.as_os_str()));
    variables.push((duckdb, duckdb_python.as_os_str()));
    variables.push((model, model_folder.as_os_str()));
    stages.run("cargo test", || {
        if has_own_arguments {
            succeed(cargo().arg("test").args(for_cargo_test).envs(variables))
        } else {
            cargo_test::run_all(if whole { linting_cargo } else { cargo }, &variables)
        }
    });
    if !has_own_arguments {
        stages.run("schemathesis", || contract::check_built(&[]));
    }
    stages.run("stop the services", || services.stop());
    stages.finish()
}

pub fn check(arguments: &[String]) -> Result<()> {
    let mut stages = Stages::default();
    checks::run(&mut stages, arguments)?;
    stages.finish()
}

pub fn openapi(arguments: &[String]) -> Result<()> {
    refuse_arguments("openapi", arguments)?;
    // The test that compares the file writes it when this variable is set.
    succeed(
        cargo()
            .args(["test", "--package", "quire-api", "--lib", WRITES_OPENAPI])
            .env("QUIRE_RENEW_OPENAPI", "1"),
    )
}

pub fn commands(arguments: &[String]) -> Result<()> {
    refuse_arguments("commands", arguments)?;
    // The test that compares the page writes it when this variable is set.
    succeed(
        cargo()
            .args(["test", "--package", "quire", "--lib", WRITES_COMMANDS])
            .env("QUIRE_RENEW_COMMANDS", "1"),
    )
}

pub fn sbom(arguments: &[String]) -> Result<()> {
    refuse_arguments("sbom", arguments)?;
    sbom::print()
}

pub fn requirements(arguments: &[String]) -> Result<()> {
    refuse_arguments("requirements", arguments)?;
    requirements::write()
}

pub fn pictures(arguments: &[String]) -> Result<()> {
    refuse_arguments("pictures", arguments)?;
    chromium::require()?;
    // The test in English stores the pictures when this variable is set.
    succeed(
        cargo()
            .args(["test", "--package", "quire", "--test", "e2e", WRITES_PICTURES])
            .env("QUIRE_RENEW_PICTURES", "1"),
    )
}

pub fn bench(arguments: &[String]) -> Result<()> {
    match arguments.first().map(String::as_str) {
        None => Err(format!(
            "name a benchmark: `cargo xtask bench NAME`, with NAME one of {}",
            BENCHMARKS.join(", ")
        )),
        // It needs other readers and PDFs instead of a database.
        Some("read") => succeed(quire_bench("bench", arguments).envs(read_benchmark::variables()?)),
        // The made documents are part of the tests, which print what they measure.
        Some("understanding") => {
            succeed(
                cargo()
                    .args(["test", "--package", "quire-understanding", "--lib", "--"])
                    .args(MEASURES_UNDERSTANDING)
                    .arg("--nocapture"),
            )?;
            succeed(cargo().args(["test", "--package", "quire", "--test", "e2e", "--"]).args([
                MEASURES_PDFS,
                "--nocapture",
                "--test-threads",
                "1",
            ]))
        }
        Some("interpret" | "web") => succeed(&mut quire_bench("bench", arguments)),
        Some("pages") => {
            chromium::require()?;
            succeed(&mut quire_bench("bench", arguments))
        }
        Some("search") => {
            let (model, folder) = embedding_model::require()?;
            let services = Services::start()?;
            let mut bench = quire_bench("bench", arguments);
            let outcome = succeed(bench.envs(services.variables()).env(model, folder));
            outcome.and(services.stop())
        }
        // It runs the release build of quire, which it finds beside itself.
        Some("process") => {
            tesseract::require()?;
            succeed(cargo().args(["build", "--profile", "dist", "--package", "quire"]))?;
            succeed(&mut quire_bench("bench", arguments))
        }
        Some(_) => run_quire_bench("bench", arguments),
    }
}

pub fn fit(arguments: &[String]) -> Result<()> {
    refuse_arguments("fit", arguments)?;
    // The test that knows the made documents writes the weights when this variable is set.
    succeed(
        cargo()
            .args(["test", "--package", "quire-understanding", "--lib", FITS_CONFIDENCE])
            .env("QUIRE_FIT", "1"),
    )
}

pub fn drill(arguments: &[String]) -> Result<()> {
    match arguments.split_first() {
        // It needs no services.
        Some((name, rest)) if name == "mutated" => succeed(&mut quire_bench("mutated", rest)),
        // It needs another version of the program.
        Some((name, rest)) if name == "upgrade" => {
            let program = older_program::build()?;
            let services = Services::start()?;
            let arguments = [&["--only".to_owned(), name.clone()], rest].concat();
            let mut drill = quire_bench("drill", &arguments);
            let outcome = succeed(drill.envs(services.variables()).env(older_program::VARIABLE, program));
            outcome.and(services.stop())
        }
        _ => run_quire_bench("drill", arguments),
    }
}

pub fn services(arguments: &[String]) -> Result<()> {
    refuse_arguments("services", arguments)?;
    let services = Services::start()?;
    let mut out = std::io::stdout().lock();
    for (name, value) in services.variables() {
        writeln!(out, "export {name}='{value}'").map_err(|error| format!("cannot print: {error}"))?;
    }
    drop(out);
    eprintln!("PostgreSQL, Redis, llama.cpp, Azurite and moto are running; press Ctrl-C to stop them.");
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
        Some(argument) => Err(format!("`cargo xtask {command}` has no argument `{argument}`")),
        None => Ok(()),
    }
}

#[derive(Debug, PartialEq)]
struct TestArguments {
    only_tests: bool,
    for_cargo_test: Vec<String>,
    /// Whether arguments for `cargo test` were given.
    has_own_arguments: bool,
}

impl TestArguments {
    fn parse(arguments: &[String]) -> Result<Self> {
        let dashes = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
        let (own, passed_on) = arguments.split_at(dashes);
        if let Some(argument) = own.iter().find(|argument| *argument != "--only-tests") {
            return Err(format!(
                "`cargo xtask test` has no argument `{argument}`; put arguments for `cargo test` after `--`"
            ));
        }
        let passed_on = passed_on.get(1..).unwrap_or_default();
        let mut for_cargo_test = Vec::new();
        if !names_a_package(passed_on) {
            for_cargo_test.push("--workspace".to_owned());
        }
        for_cargo_test.extend_from_slice(passed_on);
        Ok(Self { only_tests: !own.is_empty(), for_cargo_test, has_own_arguments: !passed_on.is_empty() })
    }
}

/// Whether the arguments name packages. Cargo would let `--workspace` override them.
fn names_a_package(cargo_test: &[String]) -> bool {
    cargo_test
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

#[cfg(test)]
mod tests {
    use super::{TestArguments, WRITES_COMMANDS, WRITES_OPENAPI, WRITES_PICTURES};
    use crate::cargo::workspace_root;
    use crate::repository::{Repository, has_extension};

    fn parse(line: &str) -> Result<(bool, String), String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        TestArguments::parse(&arguments).map(|parsed| (parsed.only_tests, parsed.for_cargo_test.join(" ")))
    }

    #[test]
    fn the_whole_workspace_is_tested_unless_a_package_is_named() {
        assert_eq!(parse(""), Ok((false, "--workspace".into())));
        assert_eq!(parse("--only-tests -- claim"), Ok((true, "--workspace claim".into())));
        assert_eq!(parse("-- -p quire claim"), Ok((false, "-p quire claim".into())));
        assert_eq!(parse("-- -- -p"), Ok((false, "--workspace -- -p".into())));
    }

    /// Cargo succeeds when no test has the name, and the file would silently stay as it is.
    #[test]
    fn the_tests_that_write_files_exist() {
        let repository = Repository::open(&workspace_root()).unwrap();
        let is_rust = |file: &str| file.starts_with("crates/") && has_extension(file, "rs");
        let code: String =
            repository.files_where(is_rust).into_iter().map(|file| repository.read(file).unwrap()).collect();
        for test in [WRITES_OPENAPI, WRITES_COMMANDS, WRITES_PICTURES] {
            let name = test.rsplit("::").next().unwrap_or(test);
            assert!(code.contains(&format!("fn {name}")), "no test is called {test}");
        }
    }

    #[test]
    fn an_argument_for_cargo_test_needs_the_dashes() {
        let message = parse("claim").unwrap_err();
        assert!(message.contains("`claim`") && message.contains("after `--`"), "{message}");
    }
}

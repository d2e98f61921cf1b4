//! `cargo xtask` installs what a task needs (PostgreSQL, Redis, cargo-deny and more) and runs it, so that a fresh
//! machine and a contributor's laptop do the same. This file is the list of commands.

mod apt;
mod axe;
mod cache;
mod cargo;
mod cargo_test;
mod checks;
mod chromium;
mod commands;
mod contract;
mod curl;
mod duckdb;
mod embedding_model;
mod linted_build;
mod older_program;
mod pip;
mod proxies;
mod python;
mod read_benchmark;
mod repository;
mod requirements;
mod sbom;
mod services;
mod stages;
mod temp_dir;
mod tesseract;
mod wheel;
mod words;

use std::process::ExitCode;

/// The error is a message that tells the user what to do.
type Result<T> = std::result::Result<T, String>;

struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "[--only-tests] [-- ARGS...]",
        about: "Install what the tests need, start the services, run the checks (`cargo xtask check`) and every\n\
                test, and test a server against its OpenAPI description (`cargo xtask contract`).\n\
                --only-tests skips the checks. ARGS go to `cargo test`, which covers the workspace unless they\n\
                name a package; with ARGS the contract is skipped: `cargo xtask test --only-tests -- -p quire-postgres claim`.",
        run: commands::test,
    },
    Command {
        name: "check",
        arguments: "[NAME...]",
        about: "Check the documents, format (rustfmt), lints (clippy) and the dependencies' licences and sources\n\
                (cargo-deny). NAME chooses one: `documents`, `fmt`, `clippy` or `deny`.\n\
                `documents` fails on a path, command, setting, metric, error code or requirement that does not\n\
                exist, and on what a merge left behind.",
        run: commands::check,
    },
    Command {
        name: "openapi",
        arguments: "",
        about: "Write docs/openapi.json, the description of the API, from the program.",
        run: commands::openapi,
    },
    Command {
        name: "commands",
        arguments: "",
        about: "Write docs/reference/commands.md, the list of commands and options of the program.",
        run: commands::commands,
    },
    Command {
        name: "requirements",
        arguments: "",
        about: "Write docs/requirements.md, from docs/requirements.toml and the tests that name requirements.",
        run: commands::requirements,
    },
    Command {
        name: "sbom",
        arguments: "",
        about: "Print which crates the program consists of, with licences and checksums, as CycloneDX JSON.",
        run: commands::sbom,
    },
    Command {
        name: "pictures",
        arguments: "",
        about: "Take the pictures of the pages in docs/pictures, while a test uses the pages in Chromium.",
        run: commands::pictures,
    },
    Command {
        name: "contract",
        arguments: "[ARGS...]",
        about: "Test a server on SQLite against its OpenAPI description: schemathesis generates requests and\n\
                checks the responses. ARGS go to schemathesis: `cargo xtask contract --max-examples=200`.",
        run: contract::check,
    },
    Command {
        name: "bench",
        arguments: "NAME [ARGS...]",
        about: "Run a benchmark of quire-bench in release mode. `queue`, `api`, `blobs`, `copy`, `workers`\n\
                and `search` start the services.\n\
                `api` (documents over HTTP) creates two databases of a million documents. `read` compares with PyMuPDF\n\
                and pdftotext and installs both; it downloads PDF manuals from Debian, only to measure them.\n\
                `interpret`, `process`, `pages` (in Chromium) and `web` need no services. ARGS go to the benchmark.\n\
                `understanding` prints how many values of made records and invoices are found, and how far their\n\
                confidence is right.",
        run: commands::bench,
    },
    Command {
        name: "fit",
        arguments: "",
        about: "Fit the weights of the confidence on documents that the tests make, and write them to\n\
                crates/understanding/src/confidence/weights.toml.",
        run: commands::fit,
    },
    Command {
        name: "drill",
        arguments: "[ARGS...]",
        about: "Start the services and rehearse failures with quire-bench in release mode: kills, a silent\n\
                database, a suspended machine, storage that is unmounted, a full disk, a document that ends its\n\
                process, proposals whose provider fails, links without Redis, documents in Azurite,\n\
                stalled clients. `disk` mounts a small disk, which needs root. A drill may stop and restart\n\
                the PostgreSQL server. --only NAME chooses one. --long does a thousand kills and continues after an interruption.\n\
                `drill upgrade` builds the program of the commit before the newest migration and upgrades it under load.\n\
                `drill mutated` puts mutated documents through the sandboxed reader, without services.",
        run: commands::drill,
    },
    Command {
        name: "services",
        arguments: "",
        about: "Start the services, print the variables with their addresses, and run until Ctrl-C. Paste the\n\
                printed lines into another terminal to run `cargo test` there.",
        run: commands::services,
    },
];

const PREFACE: &str = "\
Installs what a task needs, then runs it.

Usage: cargo xtask COMMAND [ARGUMENTS]
";

const SERVICES_NOTE: &str = "
The services are a private PostgreSQL 18 with pgvector, a private Redis, a private llama.cpp with a small language model,
and the blob stores Azurite (Azure) and moto (S3), each on a free local port with its data in a temporary folder. They stop
with the command, however it ends.

The first use downloads PostgreSQL (25 MB), llama.cpp (34 MB) and its model (93 MB), Azurite (30 MB), moto (30 MB),
cargo-deny (11 MB), schemathesis (30 MB), an embedding model (19 MB), DuckDB (24 MB) and axe-core into a cache in the temporary folder. What is missing is installed with apt-get, which needs root:
redis-server, tesseract with Spanish and English, nginx, Caddy, openssl, PgBouncer, curl, Chromium with fonts, npm and
pip.

To use your own servers and programs, set these variables:
  QUIRE_TEST_POSTGRES_URL  postgres://user@host:port/database, with the pgvector extension available
  QUIRE_TEST_REDIS_URL     redis://host:port/
  QUIRE_TEST_MODEL_URL     http://host:port/v1 of an OpenAI-compatible server that accepts the key quire-test
  QUIRE_TEST_AZURITE_URL   http://host:port/devstoreaccount1 of an Azurite, and
  QUIRE_TEST_AZURITE_PROGRAM  the path of its dist/src/blob/main.js, for tests that stop a server
  QUIRE_TEST_S3_URL        http://host:port of an S3 server that accepts the key test with the secret test
  QUIRE_TEST_CHROMIUM      the path of a Chromium
  QUIRE_TEST_AXE           the path of axe.min.js
  QUIRE_TEST_DUCKDB        the path of a Python that can import duckdb
  QUIRE_TEST_EMBEDDING_MODEL  a folder with an embedding model in the layout of model2vec
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let (name, rest) =
        arguments.split_first().map_or(("--help", arguments), |(name, rest)| (name.as_str(), rest));
    if matches!(name, "--help" | "-h" | "help") {
        print!("{}", help());
        return Ok(());
    }
    if name == services::GUARD {
        return services::guard();
    }
    let command = COMMANDS
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| format!("there is no command `{name}`; `cargo xtask --help` lists them"))?;
    if matches!(rest.first().map(String::as_str), Some("--help" | "-h")) {
        print!("{}", command.help());
        return Ok(());
    }
    (command.run)(rest)
}

fn help() -> String {
    let commands: Vec<String> = COMMANDS.iter().map(Command::help).collect();
    format!("{PREFACE}\n{}{SERVICES_NOTE}", commands.join("\n"))
}

impl Command {
    fn help(&self) -> String {
        let usage = format!("cargo xtask {} {}", self.name, self.arguments);
        format!("{}\n  {}\n", usage.trim_end(), self.about.replace('\n', "\n  "))
    }
}

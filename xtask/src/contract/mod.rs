//! schemathesis tests a running server against `/openapi.json`: it generates requests from the description, and every
//! response must be as described and never a server error.

mod server;

use std::process::Command;

use self::server::Server;
use crate::cargo::{cargo, succeed};
use crate::temp_dir::TempDir;
use crate::{Result, python};

/// Another version generates other requests.
const VERSION: &str = "4.32.5";
/// Adds documents to the server, tells schemathesis their ids, and runs it.
const SCRIPT: &str = include_str!("run.py");

/// Runs it against its own server, on SQLite. `arguments` go to schemathesis, after the default ones.
pub fn check(arguments: &[String]) -> Result<()> {
    succeed(cargo().args(["build", "--package", "quire"]))?;
    check_built(arguments)
}

/// The same with a program that the tests have built.
pub fn check_built(arguments: &[String]) -> Result<()> {
    let python = python::with("schemathesis", VERSION)?;
    let folder = TempDir::create("contract")?;
    let server = Server::start(folder.path())?;
    let outcome = succeed(
        Command::new(python)
            .current_dir(folder.path())
            .args(["-c", SCRIPT, server.address()])
            .args(arguments)
            // The output is for a log. A fixed seed and no cache of earlier runs make each run the same.
            .env("NO_COLOR", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    );
    let stopped = server.stop();
    outcome.and(stopped)
}

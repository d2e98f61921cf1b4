//! The promise of `/openapi.json`, held against a running server by schemathesis: whatever it makes up from the description
//! is answered as the description says, and never with a server error.

mod server;

use std::process::Command;

use self::server::Server;
use crate::cargo::{cargo, succeed};
use crate::temp_dir::TempDir;
use crate::{Result, python};

/// Another version makes up other requests.
const VERSION: &str = "4.32.5";
/// Fills the server, tells schemathesis what is there, and runs it.
const SCRIPT: &str = include_str!("run.py");

/// Runs it against a server of its own, on SQLite. What is given goes to schemathesis, after the usual arguments.
pub fn check(arguments: &[String]) -> Result<()> {
    let python = python::with("schemathesis", VERSION)?;
    succeed(cargo().args(["build", "--package", "quire"]))?;
    let folder = TempDir::create("contract")?;
    let server = Server::start(folder.path())?;
    let outcome = succeed(
        Command::new(python)
            .current_dir(folder.path())
            .args(["-c", SCRIPT, server.address()])
            .args(arguments)
            // Its words are for a log; a fixed seed and no memory of earlier runs make each run the same.
            .env("NO_COLOR", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    );
    let survived = server.stop();
    outcome.and(survived)
}

//! The servers that tests, benchmarks and drills use.
//!
//! A second process, the guard, owns them and stops them when a pipe from this process closes. The operating system
//! closes the pipe however this process ends: normally, by Ctrl-C, or killed. A signal handler would not run after a
//! kill.

mod azurite;
mod guard;
mod http_server;
mod llama;
mod moto;
mod port;
mod postgres;
mod redis;

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::Result;

pub use guard::guard;

/// The hidden command under which xtask starts itself as the guard.
pub const GUARD: &str = "guard-services";

/// The last line of the guard's output, after the variables.
const READY: &str = "ready";

/// An environment variable's name and value.
type Variable = (String, String);

/// Running services. Dropping this stops them.
pub struct Services {
    guard: Child,
    lifeline: Option<ChildStdin>,
    variables: Vec<Variable>,
}

impl Services {
    /// Starts the guard and waits until every service answers.
    pub fn start() -> Result<Self> {
        let xtask = std::env::current_exe().map_err(|error| format!("cannot find xtask itself: {error}"))?;
        let mut guard = Command::new(xtask)
            .arg(GUARD)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Not in the terminal's process group: the guard must survive Ctrl-C to clean up.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start the services: {error}"))?;
        let lifeline = guard.stdin.take();
        let mut services = Self { guard, lifeline, variables: Vec::new() };
        services.read_variables()?;
        Ok(services)
    }

    /// The environment variables by which a process finds the services.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Stops the services and waits until they have.
    pub fn stop(mut self) -> Result<()> {
        self.lifeline = None;
        self.wait_for_guard()
    }

    /// Keeps the services running until this process is interrupted.
    pub fn wait(mut self) -> Result<()> {
        self.wait_for_guard()
    }

    fn read_variables(&mut self) -> Result<()> {
        let lines = self.guard.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
        for line in lines.map_while(std::result::Result::ok) {
            if line == READY {
                return Ok(());
            }
            if let Some((name, value)) = line.split_once('=') {
                self.variables.push((name.to_owned(), value.to_owned()));
            }
        }
        Err("the services did not start; the reason is above".into())
    }

    fn wait_for_guard(&mut self) -> Result<()> {
        match self.guard.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("the services did not stop cleanly: {status}")),
            Err(error) => Err(format!("cannot wait for the services: {error}")),
        }
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        self.lifeline = None;
        // An error cannot be returned here; `stop` reports it.
        let _ = self.guard.wait();
    }
}

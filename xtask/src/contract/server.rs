//! A Quire server of this workspace, on a free port.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Result;

/// The text before the address in the first line of output.
const READY: &str = "Quire is ready at ";
/// The log file in its folder.
const LOG: &str = "server.log";

/// A running server. Dropping this stops it.
pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts a server that stores everything in this folder, and waits until it is ready.
    pub fn start(folder: &Path) -> Result<Self> {
        let log = File::create(folder.join(LOG)).map_err(|error| format!("cannot write a log: {error}"))?;
        let child = Command::new(program()?)
            .args(["serve", "--listen", "127.0.0.1:0", "--data", "data"])
            .current_dir(folder)
            // Without the settings of the person who runs this.
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            // Text recognition is slow and finds nothing in generated pictures.
            .env("QUIRE_READING_OCR_ENABLED", "false")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("cannot start quire: {error}"))?;
        let mut server = Self { child, address: String::new() };
        let mut line = String::new();
        let read = server.child.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut line));
        match (read, line.trim_end().strip_prefix(READY)) {
            (Some(Ok(_)), Some(address)) => {
                address.trim_end_matches('/').clone_into(&mut server.address);
                Ok(server)
            }
            _ => Err(format!("quire did not start; its first line is: {line}")),
        }
    }

    /// Its URL.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Stops it. Fails if it has already ended.
    pub fn stop(mut self) -> Result<()> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(format!("the server ended during the test: {status}")),
            Err(error) => Err(format!("cannot get the status of the server: {error}")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data is temporary, and an error cannot be returned here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Cargo builds it beside xtask.
fn program() -> Result<std::path::PathBuf> {
    let xtask = std::env::current_exe().map_err(|error| format!("cannot find xtask itself: {error}"))?;
    Ok(xtask.with_file_name("quire"))
}

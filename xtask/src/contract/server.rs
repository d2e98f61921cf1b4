//! A Quire of this workspace, listening on a port that is free.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Result;

/// What the first line says before the address.
const READY: &str = "Quire is ready at ";
/// Where its log goes, in its folder.
const LOG: &str = "server.log";

/// A running server, which ends with this.
pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts one that keeps all it has in this folder, and waits until it is ready.
    pub fn start(folder: &Path) -> Result<Self> {
        let log = File::create(folder.join(LOG)).map_err(|error| format!("cannot write a log: {error}"))?;
        let child = Command::new(program()?)
            .args(["serve", "--listen", "127.0.0.1:0", "--data", "data"])
            .current_dir(folder)
            // With none of the settings of whoever runs this.
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            // Pictures that are made up have nothing to recognise, and that takes longest.
            .env("QUIRE_READING_OCR_ENABLED", "false")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("cannot start quire: {error}"))?;
        let mut server = Self { child, address: String::new() };
        let mut line = String::new();
        let said = server.child.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut line));
        match (said, line.trim_end().strip_prefix(READY)) {
            (Some(Ok(_)), Some(address)) => {
                address.trim_end_matches('/').clone_into(&mut server.address);
                Ok(server)
            }
            _ => Err(format!("quire did not start; it said: {line}")),
        }
    }

    /// As a URL.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Ends it, and fails if it has ended before.
    pub fn stop(mut self) -> Result<()> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(format!("the server ended meanwhile: {status}")),
            Err(error) => Err(format!("the server cannot be asked: {error}")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has nothing that is worth keeping, and nobody is left to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Cargo puts it beside xtask.
fn program() -> Result<std::path::PathBuf> {
    let xtask = std::env::current_exe().map_err(|error| format!("cannot find xtask itself: {error}"))?;
    Ok(xtask.with_file_name("quire"))
}

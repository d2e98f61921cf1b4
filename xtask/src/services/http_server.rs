//! A server that speaks HTTP: a process that is killed with its owner.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Result;

/// How long it may take to start.
const START_TIMEOUT: Duration = Duration::from_mins(1);

pub struct HttpServer {
    process: Child,
    port: u16,
    log: PathBuf,
}

impl HttpServer {
    /// Starts the process, which listens on this port. It gets ready meanwhile.
    pub fn start(command: &mut Command, port: u16, log: &Path) -> Result<Self> {
        let write = || -> std::io::Result<_> {
            let file = std::fs::File::create(log)?;
            Ok((file.try_clone()?, file))
        };
        let (output, errors) = write().map_err(|error| format!("cannot write a log: {error}"))?;
        let process = command
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", command.get_program().display()))?;
        Ok(Self { process, port, log: log.to_owned() })
    }

    /// Waits until it answers. Returns its address.
    pub fn url(&mut self, variable: &str) -> Result<String> {
        let deadline = Instant::now() + START_TIMEOUT;
        while !answers(self.port).unwrap_or(false) {
            let ended = self.process.try_wait().is_ok_and(|status| status.is_some());
            if ended || Instant::now() > deadline {
                let log = std::fs::read_to_string(&self.log).unwrap_or_default();
                return Err(format!("{log}A server did not start. Or set {variable} to your own server."));
            }
            sleep(Duration::from_millis(50));
        }
        Ok(format!("http://127.0.0.1:{}", self.port))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It has nothing to save. If it cannot be killed, it has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn answers(port: u16) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = [0; 5];
    stream.read_exact(&mut answer)?;
    Ok(&answer == b"HTTP/")
}

//! A private Redis that keeps nothing on disk.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::port::free_port;
use crate::cargo::succeeds;
use crate::{Result, apt};

/// How long it may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(20);

pub struct Redis {
    process: Child,
    port: u16,
}

impl Redis {
    pub fn start(folder: &Path) -> Result<Self> {
        require_redis_server()?;
        let port = free_port()?;
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--logfile", "redis.log", "--dir"])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot run redis-server: {error}"))?;
        let mut server = Self { process, port };
        server.wait_until_ready(folder)?;
        Ok(server)
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    fn wait_until_ready(&mut self, folder: &Path) -> Result<()> {
        let deadline = Instant::now() + START_TIMEOUT;
        while !ping(self.port).unwrap_or(false) {
            let ended = self.process.try_wait().is_ok_and(|status| status.is_some());
            if ended || Instant::now() > deadline {
                let log = std::fs::read_to_string(folder.join("redis.log")).unwrap_or_default();
                return Err(format!(
                    "redis-server did not start on port {}\n{log}Or set QUIRE_TEST_REDIS_URL to your own server.",
                    self.port
                ));
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // It has nothing to save. If it cannot be killed, it has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn ping(port: u16) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 5];
    stream.read_exact(&mut answer)?;
    Ok(&answer == b"+PONG")
}

fn require_redis_server() -> Result<()> {
    if succeeds(Command::new("redis-server").arg("--version")) {
        return Ok(());
    }
    apt::install("redis-server", "set QUIRE_TEST_REDIS_URL to your own server")
}

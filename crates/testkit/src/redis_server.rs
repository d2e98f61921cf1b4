//! A Redis server of its own for a test, which stops, restarts and misbehaves on command.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long it may take to start or to answer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A running Redis server that keeps nothing on disk.
pub struct RedisServer {
    port: u16,
    process: Option<Child>,
    password: Option<String>,
}

impl RedisServer {
    /// Starts a server on a free port.
    pub fn start() -> Self {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let mut server = Self { port, process: None, password: None };
        server.restart();
        server
    }

    /// The address, without a password.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// The address with this password.
    pub fn url_with_password(&self, password: &str) -> String {
        format!("redis://:{password}@127.0.0.1:{}/0", self.port)
    }

    /// Ends the server at once. What it stored is gone.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Starts it again on the same port, empty.
    pub fn restart(&mut self) {
        self.stop();
        let mut command = Command::new("redis-server");
        command.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"]).args([
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        if let Some(password) = &self.password {
            command.args(["--requirepass", password]);
        }
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.process = Some(process.expect("redis-server is installed; `cargo xtask test` installs it"));
        let deadline = Instant::now() + TIMEOUT;
        while !self.answers() {
            assert!(Instant::now() < deadline, "redis-server did not start on port {}", self.port);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Restarts it with a password.
    pub fn require_password(&mut self, password: &str) {
        self.password = Some(password.to_owned());
        self.restart();
    }

    /// Makes it silent: connections stay open and get no answer.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Ends [`RedisServer::freeze`].
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Makes it slow: what it is asked within this time is answered at its end.
    pub fn delay_answers(&self, time: Duration) {
        self.command(&["CLIENT", "PAUSE", &time.as_millis().to_string(), "ALL"]);
    }

    /// Makes it refuse to store anything, as if its memory were full.
    pub fn fill(&self) {
        self.command(&["CONFIG", "SET", "maxmemory", "1"]);
    }

    /// Ends [`RedisServer::fill`].
    pub fn empty(&self) {
        self.command(&["CONFIG", "SET", "maxmemory", "0"]);
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<String> {
        Some(self.command(&["GET", key])).filter(|value| value != "$-1")
    }

    /// The milliseconds that a key lasts.
    pub fn ttl_ms(&self, key: &str) -> i64 {
        self.command(&["PTTL", key]).trim_start_matches(':').parse().unwrap()
    }

    /// The answer to a command: a line, or the text of a string.
    pub fn command(&self, words: &[&str]) -> String {
        let answer = self.try_command(words).unwrap();
        assert!(!answer.starts_with('-'), "{words:?}: {answer}");
        answer
    }

    fn answers(&self) -> bool {
        self.try_command(&["PING"]).is_ok_and(|answer| answer == "+PONG")
    }

    fn try_command(&self, words: &[&str]) -> std::io::Result<String> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        let mut reader = BufReader::new(stream);
        if let Some(password) = &self.password {
            ask(&mut reader, &["AUTH", password])?;
        }
        ask(&mut reader, words)
    }

    fn signal(&self, signal: &str) {
        let id = self.process.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

fn ask(reader: &mut BufReader<TcpStream>, words: &[&str]) -> std::io::Result<String> {
    let mut command = format!("*{}\r\n", words.len());
    for word in words {
        // Writing to a String cannot fail.
        let _ = write!(command, "${}\r\n{word}\r\n", word.len());
    }
    reader.get_mut().write_all(command.as_bytes())?;
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let line = line.trim_end().to_owned();
    let Some(length) = line.strip_prefix('$').and_then(|length| length.parse::<usize>().ok()) else {
        return Ok(line);
    };
    let mut text = vec![0; length + 2];
    reader.read_exact(&mut text)?;
    text.truncate(length);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // If it cannot be killed, it has already ended.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

//! The program under test, in its own folder. Nothing here sleeps: tests wait for output, responses and exits.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::time_limit::TimeLimit;

/// Variables without a Quire prefix that the program reads.
const OTHER_VARIABLES: [&str; 5] = ["AUTH_TOKEN", "LOG_LEVEL", "APP_VERSION", "GIT_COMMIT", "BUILD_DATE"];

/// The command line of the program in a temporary working directory.
pub struct Cli {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

/// The exit status and output of a command.
pub struct CommandOutput {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

/// A running server or worker. Dropping it kills the process.
pub struct TestServer {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// The first line of its standard output.
    pub first_line: String,
    pub address: String,
}

impl Cli {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// Sets an environment variable for every command.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets several environment variables.
    pub fn with_all(self, settings: &[(&str, &str)]) -> Self {
        settings.iter().fold(self, |cli, (name, value)| cli.with(name, value))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A command in the working directory, without settings of the environment that runs the tests.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if ["QUIRE_", "VET_RECORDS_", "REDIS_", "BACKGROUND_"]
                .iter()
                .any(|prefix| name_text.starts_with(prefix))
                || OTHER_VARIABLES.contains(&name_text.as_ref())
            {
                command.env_remove(name);
            }
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        output_of(&mut self.command(arguments))
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub fn run_ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", output.stderr);
        output.stdout
    }

    /// Runs a command that must succeed, and parses its standard output as JSON.
    pub fn run_json(&self, arguments: &[&str]) -> Value {
        let text = self.run_ok(arguments);
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"))
    }

    /// Runs a command that must fail with exit code 1, and returns its standard error.
    pub fn run_err(&self, arguments: &[&str]) -> String {
        error_of(&mut self.command(arguments))
    }

    /// Starts a server on a free port and waits until it is ready.
    pub fn serve(&self) -> TestServer {
        self.serve_on("127.0.0.1:0")
    }

    /// Starts a server on this address and waits until it is ready.
    pub fn serve_on(&self, listen: &str) -> TestServer {
        TestServer::ready(self.command(&["serve", "--listen", listen]))
    }

    /// Starts a server with another data folder and waits until it is ready.
    pub fn serve_in(&self, data: &str) -> TestServer {
        TestServer::ready(self.command(&["serve", "--listen", "127.0.0.1:0", "--data", data]))
    }

    /// Starts a command that keeps running, and waits for its first line.
    pub fn start(&self, arguments: &[&str]) -> TestServer {
        TestServer::start(self.command(arguments))
    }
}

/// Runs a command to its end. One that does not end is killed.
pub fn output_of(command: &mut Command) -> CommandOutput {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let limit = TimeLimit::of(child.id());
    let output = child.wait_with_output().unwrap();
    drop(limit);
    CommandOutput {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs a command that must fail with exit code 1, and returns its standard error.
pub fn error_of(command: &mut Command) -> String {
    let output = output_of(command);
    assert_eq!(output.status.code(), Some(1), "{}{}", output.stdout, output.stderr);
    assert_eq!(output.stdout, "");
    output.stderr
}

impl TestServer {
    /// Starts a command and waits for its first line.
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _limit = TimeLimit::of(child.id());
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut first_line = String::new();
        stdout.read_line(&mut first_line).unwrap();
        Self { child, stdout, first_line, address: String::new() }
    }

    /// Starts a server and waits until it prints its address.
    pub fn ready(command: Command) -> Self {
        let mut server = Self::start(command);
        let address = server
            .first_line
            .strip_prefix("Quire is ready at http://")
            .and_then(|rest| rest.strip_suffix("/\n"));
        server.address = address.unwrap_or_else(|| panic!("not ready: {:?}", server.first_line)).to_owned();
        server
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The most memory that the process has used, in MB.
    pub fn peak_memory_mb(&self) -> u64 {
        self.memory_mb("VmHWM:")
    }

    /// The memory that the process uses now, in MB.
    pub fn used_memory_mb(&self) -> u64 {
        self.memory_mb("VmRSS:")
    }

    fn memory_mb(&self, figure: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(figure)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Sends the beginning of a request, and returns when the server has accepted the connection.
    pub fn begin_request(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // Connections are accepted in order: when a later one gets its response, this one is accepted.
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(self.get("/health/live").status, 200);
        stream
    }

    /// Reads the log until a line contains this text. A server that never logs it is killed.
    pub fn wait_for_log(&mut self, text: &str) {
        let _limit = TimeLimit::of(self.id());
        let log = BufReader::new(self.child.stderr.as_mut().unwrap());
        assert!(log.lines().any(|line| line.unwrap().contains(text)), "{text} is not in the log");
    }

    pub fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Stops it with SIGTERM. Returns its output after the first line, and its log.
    pub fn stop(mut self) -> CommandOutput {
        self.signal("-TERM");
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).unwrap();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        CommandOutput { status: self.child.wait().unwrap(), stdout, stderr }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

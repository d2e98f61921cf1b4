//! The program under test, in a folder of its own. Nothing here waits for time to pass: only for lines, answers
//! and ends.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use tempfile::TempDir;

/// Settings by the names that they have elsewhere.
const ELSEWHERE: [&str; 5] = ["AUTH_TOKEN", "LOG_LEVEL", "APP_VERSION", "GIT_COMMIT", "BUILD_DATE"];

/// A folder to work in, and the program.
pub struct Quire {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

/// What a command that ended has said.
pub struct Said {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

/// A server that is ready.
pub struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// Its first line.
    pub said: String,
    pub address: String,
}

impl Quire {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// With this environment variable for every command.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With these.
    pub fn with_all(self, settings: &[(&str, &str)]) -> Self {
        settings.iter().fold(self, |quire, (name, value)| quire.with(name, value))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The program, in its folder and with none of the settings of whoever runs the tests.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if ["QUIRE_", "VET_RECORDS_"].iter().any(|prefix| name_text.starts_with(prefix))
                || ELSEWHERE.contains(&name_text.as_ref())
            {
                command.env_remove(name);
            }
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        said(&mut self.command(arguments))
    }

    /// What it says when all goes well.
    pub fn says(&self, arguments: &[&str]) -> String {
        let said = self.run(arguments);
        assert!(said.status.success(), "{arguments:?}: {}", said.err);
        said.out
    }

    /// What it says when it refuses.
    pub fn refuses(&self, arguments: &[&str]) -> String {
        refusal(&mut self.command(arguments))
    }

    /// A server on any free port, once it says that it is ready.
    pub fn serve(&self) -> Server {
        self.serve_on("127.0.0.1:0")
    }

    /// The same on this address.
    pub fn serve_on(&self, listen: &str) -> Server {
        Server::ready(self.command(&["serve", "--listen", listen]))
    }

    /// A command that stays, once it has said its first line.
    pub fn start(&self, arguments: &[&str]) -> Server {
        Server::start(self.command(arguments))
    }
}

pub fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    Said {
        status: output.status,
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn refusal(command: &mut Command) -> String {
    let said = said(command);
    assert_eq!(said.status.code(), Some(1), "{}{}", said.out, said.err);
    assert_eq!(said.out, "");
    said.err
}

impl Server {
    /// That command, once it has said its first line.
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        stdout.read_line(&mut said).unwrap();
        Self { child, stdout, said, address: String::new() }
    }

    /// The same, once it says where it answers.
    pub fn ready(command: Command) -> Self {
        let mut server = Self::start(command);
        let address =
            server.said.strip_prefix("Quire is ready at http://").and_then(|rest| rest.strip_suffix("/\n"));
        server.address = address.unwrap_or_else(|| panic!("not ready: {:?}", server.said)).to_owned();
        server
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Sends the beginning of a request, once the server has taken the connection.
    pub fn begin(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // Connections are taken in order, so that this one is when the next one is answered.
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(self.get("/health/live").status, 200);
        stream
    }

    /// Reads the log until a line has this in it.
    pub fn wait_for_log(&mut self, text: &str) {
        let log = BufReader::new(self.child.stderr.as_mut().unwrap());
        assert!(log.lines().any(|line| line.unwrap().contains(text)), "{text} is not in the log");
    }

    pub fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Asks it to stop; what it said after the ready line, and all that it logged.
    pub fn stop(mut self) -> Said {
        self.signal("-TERM");
        let mut out = String::new();
        self.stdout.read_to_string(&mut out).unwrap();
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        Said { status: self.child.wait().unwrap(), out, err }
    }
}

impl Drop for Server {
    /// A test that fails leaves no server behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Starts the processes that drills kill and stop: this program, which runs `quire` with simulated steps.

use std::io::{BufRead, BufReader, Read as _, Seek as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use quire_domain::RunId;

/// A child process. Dropping it kills it.
pub struct TestProcess(pub Child);

/// How often a supervisor starts a process.
const STARTS: usize = 5;

/// Environment variables.
pub type Environment = Vec<(&'static str, String)>;

impl TestProcess {
    /// Starts `quire` with simulated steps and waits until it is ready.
    pub fn quire(arguments: &[&str], environment: &Environment) -> Self {
        Self::start(&["rehearse"], arguments, environment).0
    }

    /// Starts `quire` with simulated steps, and starts it again if it gives up, as a supervisor does: a start fails if
    /// others write to the database for longer than `database.busy_timeout`, as they do on a busy disk.
    pub fn supervised_quire(arguments: &[&str], environment: &Environment) -> Self {
        Self::supervised(&["rehearse"], arguments, environment).0
    }

    /// Starts `quire` as that command of this program runs it, and starts it again if it gives up. Also returns what it printed.
    pub fn supervised(program: &[&str], arguments: &[&str], environment: &Environment) -> (Self, String) {
        let command = || {
            let mut command = this_program();
            command.args(program);
            command
        };
        Self::supervised_command(command, arguments, environment)
    }

    /// Starts a program, such as another version of `quire`, and starts it again if it gives up. Also returns what it printed.
    pub fn supervised_command(
        command: impl Fn() -> Command,
        arguments: &[&str],
        environment: &Environment,
    ) -> (Self, String) {
        for _ in 1..STARTS {
            match Self::try_start_command(command(), arguments, environment) {
                Ok(started) => return started,
                Err(reason) => println!("{reason}; starting it again"),
            }
        }
        Self::try_start_command(command(), arguments, environment).unwrap_or_else(|reason| panic!("{reason}"))
    }

    /// Starts `quire serve` with its real steps. Also returns its address.
    pub fn real_server(environment: &Environment) -> (Self, SocketAddr) {
        let (server, line) =
            Self::start(&["serve-api", "real"], &["serve", "--listen", "127.0.0.1:0"], environment);
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        (server, address.unwrap().parse().unwrap())
    }

    /// Starts `quire` as that command of this program runs it, and waits until it is ready. Also returns what it printed.
    pub fn start(program: &[&str], arguments: &[&str], environment: &Environment) -> (Self, String) {
        Self::try_start(program, arguments, environment).unwrap_or_else(|reason| panic!("{reason}"))
    }

    fn try_start(
        program: &[&str],
        arguments: &[&str],
        environment: &Environment,
    ) -> Result<(Self, String), String> {
        let mut command = this_program();
        command.args(program);
        Self::try_start_command(command, arguments, environment)
    }

    /// Starts a program and waits until it is ready. Also returns what it printed.
    fn try_start_command(
        mut command: Command,
        arguments: &[&str],
        environment: &Environment,
    ) -> Result<(Self, String), String> {
        let mut errors = tempfile::tempfile().unwrap();
        let mut child = command
            .args(arguments)
            .envs(environment.iter().map(|(key, value)| (key, value)))
            .stdout(Stdio::piped())
            .stderr(errors.try_clone().unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if !line.contains("ready") {
            let (status, mut printed) = (child.wait().unwrap(), String::new());
            errors.rewind().and_then(|()| errors.read_to_string(&mut printed)).unwrap();
            return Err(format!("{arguments:?} did not become ready ({status}): {}", printed.trim()));
        }
        Ok((Self(child), line))
    }

    /// Sends a signal, given by its name without `SIG`.
    pub fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success(), "the signal was not delivered");
    }

    /// Whether the process has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Kills the process (SIGKILL) and waits for its end.
    pub fn kill(mut self) {
        self.end();
    }

    /// Kills the process (SIGKILL) and waits for its end.
    pub fn end(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Asks the process to stop (SIGTERM) and waits for its end. Returns whether its exit status is success.
    pub fn stop(mut self) -> bool {
        self.signal("TERM");
        self.0.wait().unwrap().success()
    }
}

impl Drop for TestProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a `quire` command that must succeed.
pub fn run_quire(arguments: &[&str], environment: &Environment) {
    let output = this_program()
        .arg("rehearse")
        .args(arguments)
        .envs(environment.iter().map(|(key, value)| (key, value)))
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Starts a producer of runs, and a thread that collects the ids of accepted runs.
pub fn start_producer(arguments: &[&str]) -> (TestProcess, std::thread::JoinHandle<Vec<RunId>>) {
    let mut child = this_program()
        .arg("produce")
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let collector = std::thread::spawn(move || {
        output.lines().map_while(Result::ok).filter_map(|line| line.parse().ok()).collect()
    });
    (TestProcess(child), collector)
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

//! Processes to torment: this very program, in its rehearsal form.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use quire_domain::RunId;

/// A process that is killed when it is let go of.
pub struct Victim(pub Child);

/// Settings as the environment gives them.
pub type Environment = Vec<(&'static str, String)>;

impl Victim {
    /// Starts `quire` with rehearsed steps and waits until it says it is ready.
    pub fn quire(arguments: &[&str], environment: &Environment) -> Self {
        let mut child = this_program()
            .arg("rehearse")
            .args(arguments)
            .envs(environment.iter().map(|(key, value)| (key, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("ready"), "{arguments:?} did not become ready: {line:?}");
        Self(child)
    }

    /// Sends a signal, by its short name.
    pub fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success(), "the process was there to be signalled");
    }

    /// Kills without warning and waits for the end.
    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Asks it to end and waits until it has; whether it ended well.
    pub fn stop(mut self) -> bool {
        self.signal("TERM");
        self.0.wait().unwrap().success()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command that must succeed.
pub fn quire(arguments: &[&str], environment: &Environment) {
    let output = this_program()
        .arg("rehearse")
        .args(arguments)
        .envs(environment.iter().map(|(key, value)| (key, value)))
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A feeder, and a thread that collects what it says was accepted.
pub fn feeder(arguments: &[&str]) -> (Victim, std::thread::JoinHandle<Vec<RunId>>) {
    let mut child = this_program()
        .arg("feed")
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let collecting = std::thread::spawn(move || {
        output.lines().map_while(Result::ok).filter_map(|line| line.parse().ok()).collect()
    });
    (Victim(child), collecting)
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

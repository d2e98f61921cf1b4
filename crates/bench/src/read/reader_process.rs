//! A child process that reads files on request and measures its time: Quire or `PyMuPDF`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use quire_domain::reading::Rect;
use serde::{Deserialize, Serialize};

use super::cores;

/// A task for a reader process. A request is one line: the task and the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Read a file and return the time.
    Time,
    /// Read a file and return its words.
    Words,
    /// Render the first page of a file (Quire only).
    Image,
    /// Read files in parallel, one per parser (Quire only).
    Parallel,
}

impl Task {
    const ALL: [Self; 4] = [Self::Time, Self::Words, Self::Image, Self::Parallel];

    /// The name of the task in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Words => "words",
            Self::Image => "image",
            Self::Parallel => "parallel",
        }
    }

    /// The task with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|task| task.as_str() == name)
    }
}

/// A word in a response: left, top, right, bottom, text.
pub type PlacedWord = (f32, f32, f32, f32, String);

/// The box of a word.
pub fn rect(word: &PlacedWord) -> Rect {
    Rect { x0: word.0, y0: word.1, x1: word.2, y1: word.3 }
}

/// The response of a reader process, as one line of JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReaderResponse {
    /// The time from the path to the words, in seconds.
    pub seconds: f64,
    /// The words of each page, if requested.
    pub pages: Vec<Vec<PlacedWord>>,
    /// The error, if the task failed.
    pub error: Option<String>,
}

/// The first message of a reader process, when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// The name and version of the reader.
    pub name: String,
}

/// A running reader process. Dropping it kills the process.
pub struct ReaderProcess {
    /// The name and version of the reader.
    pub name: String,
    process: Child,
    requests: ChildStdin,
    responses: BufReader<ChildStdout>,
}

/// The environment variable with the path of a Python that has `PyMuPDF`, set by `cargo xtask bench read`.
const PYTHON: &str = "QUIRE_BENCH_PYTHON";

impl ReaderProcess {
    /// Starts `PyMuPDF` on one core.
    pub fn pymupdf() -> Self {
        let python = xtask_variable(PYTHON);
        let mut command = cores::limited_to(1, python);
        // Isolated from the environment and the packages of the user.
        command.args(["-I", "-c", include_str!("pymupdf.py")]);
        Self::start(command)
    }

    /// Starts Quire with one parser, on one core.
    pub fn quire_on_one_core() -> Self {
        Self::quire(1)
    }

    /// Starts Quire with two parsers, on two cores.
    pub fn quire_on_two_cores() -> Self {
        Self::quire(2)
    }

    fn quire(cores: usize) -> Self {
        let mut command = cores::limited_to(cores, std::env::current_exe().unwrap());
        command.args(["read-files", "--parsers"]).arg(cores.to_string());
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let requests = process.stdin.take().unwrap();
        let responses = BufReader::new(process.stdout.take().unwrap());
        let mut reader = Self { name: String::new(), process, requests, responses };
        let greeting: Greeting = reader.receive();
        reader.name = greeting.name;
        reader
    }

    /// Sends a task and waits for the response.
    pub fn send(&mut self, task: Task, paths: &[&Path]) -> ReaderResponse {
        let paths: Vec<&str> = paths.iter().map(|path| path.to_str().expect("a path in UTF-8")).collect();
        writeln!(self.requests, "{}\t{}", task.as_str(), paths.join("\t")).unwrap();
        self.requests.flush().unwrap();
        self.receive()
    }

    /// The time of a task that must succeed, in seconds.
    pub fn seconds(&mut self, task: Task, paths: &[&Path]) -> f64 {
        let response = self.send(task, paths);
        assert_eq!(response.error, None, "{} on {paths:?}", self.name);
        response.seconds
    }

    /// Its resident memory, without its children.
    pub fn resident_mb(&self) -> f64 {
        super::memory::resident_mb(self.process.id())
    }

    fn receive<T: for<'a> Deserialize<'a>>(&mut self) -> T {
        let mut line = String::new();
        self.responses.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{} sent {line:?}: {error}", self.name))
    }
}

impl Drop for ReaderProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An environment variable that xtask sets.
pub fn xtask_variable(variable: &str) -> std::ffi::OsString {
    std::env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} is not set. Run `cargo xtask bench read`."))
}

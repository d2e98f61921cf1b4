//! A process that reads files when told to, and says how long it took.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use quire_domain::reading::Rect;
use serde::{Deserialize, Serialize};

use super::cores;

/// What a contender is asked to do, one word at the head of the line, and then paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Read a file and say how long it took.
    Time,
    /// Read a file and say what stands in it.
    Words,
    /// Draw the first page of a file; Quire alone.
    Image,
    /// Read files, as many at a time as there are parsers; Quire alone.
    Together,
}

impl Task {
    const ALL: [Self; 4] = [Self::Time, Self::Words, Self::Image, Self::Together];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Words => "words",
            Self::Image => "image",
            Self::Together => "together",
        }
    }

    /// The task of that word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|task| task.as_str() == word)
    }
}

/// A word as it travels between processes: left, top, right, bottom, text.
pub type PlacedWord = (f32, f32, f32, f32, String);

/// The rectangle of a word.
pub fn rect(word: &PlacedWord) -> Rect {
    Rect { x0: word.0, y0: word.1, x1: word.2, y1: word.3 }
}

/// What a contender answers, one line of JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// How long it took, from the path to the words.
    pub seconds: f64,
    /// The words of each page, if they were asked for.
    pub pages: Vec<Vec<PlacedWord>>,
    /// Why it could not be done.
    pub error: Option<String>,
}

/// What a contender says of itself when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// What it is, with its version.
    pub name: String,
}

/// A running contender, ended when it is let go of.
pub struct Contender {
    /// What it says it is.
    pub name: String,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Where `cargo xtask bench read` tells which Python has `PyMuPDF`.
const PYTHON: &str = "QUIRE_BENCH_PYTHON";

impl Contender {
    /// `PyMuPDF` on one core.
    pub fn pymupdf() -> Self {
        let python = from_xtask(PYTHON);
        let mut command = cores::held_to(1, python);
        // Isolated from the variables and the packages of whoever runs the bench.
        command.args(["-I", "-c", include_str!("pymupdf.py")]);
        Self::start(command)
    }

    /// Quire with one parser, both on one core.
    pub fn quire_on_one_core() -> Self {
        Self::quire(1)
    }

    /// Quire with two parsers, on two cores.
    pub fn quire_on_two_cores() -> Self {
        Self::quire(2)
    }

    fn quire(cores: usize) -> Self {
        let mut command = cores::held_to(cores, std::env::current_exe().unwrap());
        command.args(["read-files", "--parsers"]).arg(cores.to_string());
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let requests = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut contender = Self { name: String::new(), process, requests, answers };
        let greeting: Greeting = contender.hear();
        contender.name = greeting.name;
        contender
    }

    /// Has one task done.
    pub fn ask(&mut self, task: Task, paths: &[&Path]) -> Answer {
        let paths: Vec<&str> = paths.iter().map(|path| path.to_str().expect("a path in UTF-8")).collect();
        writeln!(self.requests, "{}\t{}", task.as_str(), paths.join("\t")).unwrap();
        self.requests.flush().unwrap();
        self.hear()
    }

    /// How long a task took that must succeed.
    pub fn seconds(&mut self, task: Task, paths: &[&Path]) -> f64 {
        let answer = self.ask(task, paths);
        assert_eq!(answer.error, None, "{} on {paths:?}", self.name);
        answer.seconds
    }

    /// The memory that is resident, without that of its children.
    pub fn resident_mb(&self) -> f64 {
        super::memory::resident_mb(self.process.id())
    }

    fn hear<T: for<'a> Deserialize<'a>>(&mut self) -> T {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{} said {line:?}: {error}", self.name))
    }
}

impl Drop for Contender {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A variable that xtask sets.
pub fn from_xtask(variable: &str) -> std::ffi::OsString {
    std::env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} is not set; run this as `cargo xtask bench read`"))
}

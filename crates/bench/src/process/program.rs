//! The real program at work on the folder.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::usage::{Meter, Usage};

/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The program that people run, built beside this one.
pub fn quire() -> PathBuf {
    let program = std::env::current_exe().unwrap().with_file_name("quire");
    assert!(program.is_file(), "{} is missing; `cargo xtask bench process` builds it", program.display());
    program
}

/// The program while it works.
pub struct Run {
    process: Child,
    results: PathBuf,
    meter: Meter,
}

impl Run {
    /// Begins to process the folder `in`, with a state of its own for each place of results.
    pub fn start(home: &Path, place: &str, arguments: &[&str]) -> Self {
        let state = format!("state-{place}");
        let mut command = Command::new(quire());
        command.current_dir(home).args(["process", "in", "--quiet", "--out", place]);
        if !arguments.contains(&"--state") {
            command.args(["--state", &state]);
        }
        let process = command.args(arguments).stdin(Stdio::null()).spawn().unwrap();
        let meter = Meter::start(process.id());
        Self { process, results: home.join(place), meter }
    }

    /// What it took to the end.
    pub fn finish(mut self) -> Usage {
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                // A few of the mixed files have hardly any text, and are refused for that.
                assert!(matches!(status.code(), Some(0 | 1)), "{status}");
                return self.meter.stop();
            }
            self.meter.look();
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Kills it once there are so many results; answers how many there were.
    pub fn kill_after(mut self, results: usize) -> usize {
        loop {
            let done = std::fs::read(&self.results).map_or(0, |text| lines(&text));
            if done >= results {
                self.process.kill().unwrap();
                self.process.wait().unwrap();
                return done;
            }
            assert!(self.process.try_wait().unwrap().is_none(), "it ended before it was killed");
            std::thread::sleep(LOOK_EVERY / 4);
        }
    }
}

fn lines(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}

/// The files that have a result, in its order; all but those without text were understood.
pub fn names(results: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(results).unwrap();
    let name = |line: &str| {
        let result: serde_json::Value = serde_json::from_str(line).unwrap();
        // A few of the mixed files have hardly any text; nothing else may fail.
        let is_done = result["status"] == "COMPLETED" || result["error_code"] == "EXTRACTION_FAILED";
        assert!(is_done, "{result}");
        result["file"].as_str().unwrap().to_owned()
    };
    text.lines().map(name).collect()
}

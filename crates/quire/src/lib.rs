//! The `quire` program as a library, so that drills and benchmarks drive the very code that people run, with steps
//! of their own.

mod cli;
pub mod config;
mod hosting;
mod listening;
mod scrape;
mod shutdown;
pub mod telemetry;
mod trouble;
pub mod wire;

use std::collections::HashMap;
use std::ffi::OsString;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use quire_domain::{Pipeline, StepName};
use quire_ports::{Step, Store};

pub use config::Config;
pub use trouble::Trouble;

/// The work of each step of one pipeline.
pub type Steps = HashMap<StepName, Arc<dyn Step>>;

/// The steps that an engine executes, once they are ready. A pipeline without any is not claimed by it.
pub type StepsToCome = Pin<Box<dyn Future<Output = Result<Vec<(Pipeline, Steps)>, Trouble>> + Send>>;

/// Makes the steps that an engine executes on that store.
pub type StepFactory = fn(Config, Store) -> StepsToCome;

/// Does what the command line of this process says.
pub fn run(steps: StepFactory) -> ExitCode {
    if let Some(ended) = wire::reading::as_child() {
        return ended;
    }
    run_with(std::env::args_os(), steps)
}

/// Does what this command line says; its first word is the name of the program.
pub fn run_with(command_line: impl IntoIterator<Item = OsString>, steps: StepFactory) -> ExitCode {
    match cli::execute(command_line, steps) {
        Ok(code) => code,
        Err(trouble) => {
            trouble.tell();
            ExitCode::FAILURE
        }
    }
}

//! The `quire` program as a library, so that drills and benchmarks run the same code as users, with their own steps.

mod cli;
pub mod config;
mod error;
mod listen;
mod owner_only;
mod scrape;
mod scratch_folder;
mod service;
mod shutdown;
pub mod telemetry;
pub mod wire;

use std::collections::HashMap;
use std::ffi::OsString;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use quire_application::lanes::LanePermits;
use quire_domain::{Pipeline, StepName};
use quire_ports::{Step, Store};

pub use config::Config;
pub use error::CommandError;

/// The steps of one pipeline.
pub type Steps = HashMap<StepName, Arc<dyn Step>>;

/// Resolves to the steps of each pipeline. The engine does not claim runs of a pipeline without steps.
pub type StepsFuture = Pin<Box<dyn Future<Output = Result<Vec<(Pipeline, Steps)>, CommandError>> + Send>>;

/// Creates the steps that an engine runs on a store. They share the permits for calls in lanes.
pub type StepFactory = fn(Config, Store, Arc<LanePermits>) -> StepsFuture;

/// Runs the command line of this process.
pub fn run(steps: StepFactory) -> ExitCode {
    if let Some(exit_code) = wire::reader::run_as_child() {
        return exit_code;
    }
    telemetry::log_only_the_place_of_panics();
    run_with(std::env::args_os(), steps)
}

/// Runs this command line. Its first word is the name of the program.
pub fn run_with(command_line: impl IntoIterator<Item = OsString>, steps: StepFactory) -> ExitCode {
    match cli::execute(command_line, steps) {
        Ok(code) => code,
        Err(error) => {
            error.print();
            ExitCode::FAILURE
        }
    }
}

//! Runs `quire` with simulated steps. Drills kill, stop and restart these processes.

use std::collections::HashMap;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use quire_domain::{Failure, Pipeline, StepName};
use quire_testkit::steps;
use rand::RngExt;

/// The environment variable with the longest time of a simulated step, in milliseconds.
pub const STEP_MS: &str = "QUIRE_REHEARSAL_STEP_MS";
const DEFAULT_STEP_MS: u64 = 20;
/// The environment variable with the subject whose document ends the process that reads it.
pub const POISON_SUBJECT: &str = "QUIRE_REHEARSAL_POISON_SUBJECT";
/// The environment variable that keeps steps from failing at random.
pub const NO_FAILURES: &str = "QUIRE_REHEARSAL_NO_FAILURES";
/// One in this many attempts fails and is retried.
const FAILS_ONE_IN: u32 = 50;

/// Runs `quire` with these arguments. Its steps take a random time, fail sometimes and write an artifact.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    let command_line = std::iter::once(OsString::from("quire")).chain(arguments);
    quire::run_with(command_line, |_, _, _| {
        let longest = std::env::var(STEP_MS).ok().and_then(|ms| ms.parse().ok()).unwrap_or(DEFAULT_STEP_MS);
        let poison = std::env::var(POISON_SUBJECT).ok();
        let may_fail = std::env::var_os(NO_FAILURES).is_none();
        let work = steps::step(move |context| {
            let is_poison = poison.as_deref() == Some(context.run.subject.to_string().as_str());
            async move {
                let (pause, fails) = {
                    let mut rng = rand::rng();
                    (rng.random_range(0..=longest), may_fail && rng.random_ratio(1, FAILS_ONE_IN))
                };
                tokio::time::sleep(Duration::from_millis(pause)).await;
                if is_poison {
                    // As the kernel ends a process that uses up the memory of its machine.
                    std::process::abort();
                }
                if fails {
                    return Err(Failure::transient("REHEARSED", "a simulated failure"));
                }
                Ok(steps::artifact(context.step.as_str(), "{}"))
            }
        });
        let steps: HashMap<_, _> =
            [StepName::Extraction, StepName::Interpretation].map(|step| (step, work.clone())).into();
        Box::pin(async move { Ok(vec![(Pipeline::Document, steps)]) })
    })
}

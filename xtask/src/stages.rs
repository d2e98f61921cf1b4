//! A run in stages: each has a heading and a duration, a failed one does not hide the result of the next, and the run
//! ends with a table of them all.

use std::time::{Duration, Instant};

use crate::Result;

#[derive(Default)]
pub struct Stages {
    done: Vec<Stage>,
}

struct Stage {
    name: &'static str,
    passed: bool,
    took: Duration,
}

impl Stages {
    /// Runs a stage; a failure is kept for the end of the run.
    pub fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Result<()>) {
        if let Err(message) = self.require(name, stage) {
            eprintln!("xtask: {message}");
        }
    }

    /// Runs a stage that the following ones need.
    pub fn require<T>(&mut self, name: &'static str, stage: impl FnOnce() -> Result<T>) -> Result<T> {
        println!("\n==> {name}");
        let started = Instant::now();
        let outcome = stage();
        let stage = Stage { name, passed: outcome.is_ok(), took: started.elapsed() };
        println!("<== {}", stage.line());
        self.done.push(stage);
        outcome
    }

    /// Prints the table, and fails when a stage has.
    pub fn finish(self) -> Result<()> {
        println!();
        for stage in &self.done {
            println!("    {}", stage.line());
        }
        let failed: Vec<&str> =
            self.done.iter().filter(|stage| !stage.passed).map(|stage| stage.name).collect();
        if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
    }
}

impl Stage {
    fn line(&self) -> String {
        let outcome = if self.passed { "ok" } else { "FAILED" };
        format!("{:<28} {outcome:<6} {:>7.1} s", self.name, self.took.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::Stages;

    #[test]
    fn a_failed_stage_fails_the_run_but_not_the_stages_after_it() {
        let mut stages = Stages::default();
        let mut second_ran = false;
        stages.run("first", || Err("broken".into()));
        stages.run("second", || {
            second_ran = true;
            Ok(())
        });
        assert!(second_ran);
        assert_eq!(stages.finish(), Err("failed: first".into()));
    }
}

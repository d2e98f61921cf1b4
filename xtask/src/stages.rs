//! A command in stages. Each stage has a heading and a duration, the stages after a failed one still run, and a table
//! of all stages ends the output.

use std::time::{Duration, Instant};

use crate::Result;

#[derive(Default)]
pub struct Stages {
    done: Vec<Stage>,
}

struct Stage {
    name: &'static str,
    passed: bool,
    duration: Duration,
}

impl Stages {
    /// Runs a stage. A failure is reported again at the end.
    pub fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Result<()>) {
        if let Err(message) = self.require(name, stage) {
            eprintln!("xtask: {message}");
        }
    }

    /// Runs a stage that later stages need; its failure is returned.
    pub fn require<T>(&mut self, name: &'static str, stage: impl FnOnce() -> Result<T>) -> Result<T> {
        println!("\n==> {name}");
        let started = Instant::now();
        let outcome = stage();
        let stage = Stage { name, passed: outcome.is_ok(), duration: started.elapsed() };
        println!("<== {}", stage.line());
        self.done.push(stage);
        outcome
    }

    /// Prints the table. Fails if a stage has failed.
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
        format!("{:<28} {outcome:<6} {:>7.1} s", self.name, self.duration.as_secs_f64())
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

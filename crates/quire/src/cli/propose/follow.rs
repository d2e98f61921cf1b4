//! Prints the steps of a run as they change.

use std::time::Duration;

use quire_application::proposal::StepView;
use quire_domain::{RunId, StepStatus};

use crate::cli::output;

/// Between two looks at the run. A model takes seconds.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// Prints each change of a step once, to standard error.
pub(super) struct StepPrinter {
    is_quiet: bool,
    printed: Vec<String>,
}

impl StepPrinter {
    pub(super) fn new(is_quiet: bool) -> Self {
        Self { is_quiet, printed: Vec::new() }
    }

    pub(super) fn begin(&self, run: RunId, is_own: bool) {
        let executor = if is_own { "this command" } else { "a running server or worker" };
        self.line(&format!("Run {run} is queued; {executor} executes it."));
    }

    /// Prints what is new about these steps.
    pub(super) fn print(&mut self, steps: &[StepView]) {
        for line in steps.iter().filter_map(|step| sentence(step, steps.len())) {
            if !self.printed.contains(&line) {
                self.line(&line);
                self.printed.push(line);
            }
        }
    }

    fn line(&self, text: &str) {
        if !self.is_quiet {
            eprintln!("{text}");
        }
    }
}

/// What a step does or did. None if it has not started.
fn sentence(step: &StepView, count: usize) -> Option<String> {
    let what = match step.status {
        StepStatus::Pending => return None,
        StepStatus::Running => "running".to_owned(),
        StepStatus::Succeeded => match step.started_at.zip(step.completed_at) {
            Some((start, end)) => format!("completed in {}", output::duration(end.duration_since(start))),
            None => "completed".to_owned(),
        },
        StepStatus::Failed => {
            format!("failed: {}", step.error_message.as_deref().unwrap_or("no message"))
        }
    };
    Some(format!("{}/{count} {}: {what}", step.step.order() + 1, step.step))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use quire_domain::StepName;

    use super::*;

    fn view(status: StepStatus) -> StepView {
        StepView {
            step: StepName::ReviewCritic,
            status,
            started_at: Some(Timestamp::from_second(5).unwrap()),
            completed_at: Some(Timestamp::from_second(7).unwrap()),
            error_code: Some("X".to_owned()),
            error_message: Some("no".to_owned()),
        }
    }

    #[test]
    fn each_change_of_a_step_is_printed_once() {
        let mut printer = StepPrinter::new(true);
        for status in [StepStatus::Pending, StepStatus::Running, StepStatus::Running, StepStatus::Failed] {
            printer.print(&[view(status)]);
        }
        printer.print(&[view(StepStatus::Succeeded)]);
        assert_eq!(
            printer.printed,
            [
                "3/1 review_critic: running",
                "3/1 review_critic: failed: no",
                "3/1 review_critic: completed in 2s"
            ]
        );
    }
}

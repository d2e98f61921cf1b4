//! How a run goes through the steps of its pipeline.
//!
//! The steps are in groups. The steps of a group run side by side, and the next group begins when all of them have
//! succeeded. Most groups have one step; the five reviews of a proposal are one group.

use jiff::SignedDuration;

use crate::event::StepStatus;
use crate::pipeline::{Pipeline, StepName};

/// One try at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepAttempt {
    /// The step.
    pub step: StepName,
    /// The number of the attempt, from 1.
    pub number: u32,
}

impl StepAttempt {
    /// The first try at a step.
    pub fn first(step: StepName) -> Self {
        Self { step, number: 1 }
    }

    /// The next try at the same step.
    #[must_use]
    pub fn next(self) -> Self {
        Self { number: self.number + 1, ..self }
    }
}

/// How far a run has come with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedStep {
    /// The step.
    pub step: StepName,
    /// Its status.
    pub status: StepStatus,
    /// Its latest attempt, or the next one while it is pending.
    pub attempt: u32,
}

/// How this installation executes a pipeline: its steps, and the time limit of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelinePlan {
    /// The pipeline itself.
    pub pipeline: Pipeline,
    /// The steps of every run, in order.
    pub steps: Vec<StepName>,
    /// How long a worker may keep a run RUNNING.
    pub limit: SignedDuration,
}

impl PipelinePlan {
    /// The groups of steps, in order.
    pub fn groups(&self) -> impl Iterator<Item = &[StepName]> {
        self.steps.chunk_by(|one, next| one.may_run_beside(*next))
    }

    /// The attempts with which a claimed run starts or goes on: at each unfinished step of the first group that has one.
    /// `reached` has the steps that the run has reached. None if all steps have succeeded.
    pub fn next_attempts(&self, reached: &[ReachedStep]) -> Vec<StepAttempt> {
        let unfinished = |group: &[StepName]| -> Vec<StepAttempt> {
            group.iter().filter_map(|step| next_attempt(*step, reached)).collect()
        };
        self.groups().map(unfinished).find(|attempts| !attempts.is_empty()).unwrap_or_default()
    }

    /// The first attempts at the group that follows the group of this step. None after the last group.
    pub fn attempts_after(&self, step: StepName) -> Vec<StepAttempt> {
        let next = self.groups().skip_while(|group| !group.contains(&step)).nth(1);
        next.unwrap_or_default().iter().copied().map(StepAttempt::first).collect()
    }
}

/// The next attempt at a step, unless it has succeeded. After a failed attempt the next number follows. A step that was put
/// off keeps its number, and one that was reset begins again: the reset has set the number to 1.
fn next_attempt(step: StepName, reached: &[ReachedStep]) -> Option<StepAttempt> {
    let Some(reached) = reached.iter().find(|reached| reached.step == step) else {
        return Some(StepAttempt::first(step));
    };
    let latest = StepAttempt { step, number: reached.attempt };
    match reached.status {
        StepStatus::Succeeded => None,
        StepStatus::Failed => Some(latest.next()),
        StepStatus::Pending | StepStatus::Running => Some(latest),
    }
}

#[cfg(test)]
mod tests {
    use StepStatus as S;

    use super::*;

    fn plan(pipeline: Pipeline) -> PipelinePlan {
        let steps = pipeline.steps().to_vec();
        PipelinePlan { pipeline, steps, limit: SignedDuration::from_secs(120) }
    }

    /// The next attempts of a run that has reached these steps, by step and number.
    fn next(plan: &PipelinePlan, reached: &[(StepName, StepStatus, u32)]) -> Vec<(StepName, u32)> {
        let reached = reached.iter().map(|(step, status, attempt)| ReachedStep {
            step: *step,
            status: *status,
            attempt: *attempt,
        });
        let next = plan.next_attempts(&reached.collect::<Vec<_>>()).into_iter();
        next.map(|StepAttempt { step, number }| (step, number)).collect()
    }

    #[test]
    fn a_plan_goes_on_at_the_first_step_that_has_not_succeeded_with_its_next_attempt() {
        let plan = PipelinePlan {
            steps: vec![StepName::Extraction, StepName::Interpretation],
            ..plan(Pipeline::Document)
        };
        let (first, second) = (StepName::Extraction, StepName::Interpretation);
        assert_eq!(next(&plan, &[]), [(first, 1)]);
        assert_eq!(next(&plan, &[(first, S::Succeeded, 3)]), [(second, 1)]);
        assert_eq!(next(&plan, &[(first, S::Succeeded, 1), (second, S::Succeeded, 1)]), []);
        assert_eq!(
            next(&plan, &[(first, S::Failed, 1)]),
            [(first, 2)],
            "the next one after a failed attempt"
        );
        assert_eq!(next(&plan, &[(first, S::Pending, 2)]), [(first, 2)], "the same one after it was put off");
        assert_eq!(plan.attempts_after(first), [StepAttempt::first(second)]);
        assert_eq!(plan.attempts_after(second), []);
    }

    #[test]
    fn the_five_reviews_are_one_group_and_each_unfinished_one_goes_on() {
        let plan = plan(Pipeline::Proposal);
        let sizes: Vec<_> = plan.groups().map(<[_]>::len).collect();
        assert_eq!(sizes, [1, 5, 1]);
        let expanded = (StepName::Expand, S::Succeeded, 1);
        let reviews = StepName::Expand.pipeline().steps()[1..6].to_vec();
        let first: Vec<_> = reviews.iter().map(|review| (*review, 1)).collect();
        assert_eq!(next(&plan, &[expanded]), first);
        let reached = [
            expanded,
            (StepName::ReviewArchitect, S::Succeeded, 2),
            (StepName::ReviewCritic, S::Failed, 1),
            (StepName::ReviewOptimist, S::Succeeded, 1),
            (StepName::ReviewSecurity, S::Pending, 3),
        ];
        assert_eq!(
            next(&plan, &reached),
            [(StepName::ReviewCritic, 2), (StepName::ReviewSecurity, 3), (StepName::ReviewUserAdvocate, 1)]
        );
        let after: Vec<_> =
            plan.attempts_after(StepName::ReviewCritic).iter().map(|next| next.step).collect();
        assert_eq!(after, [StepName::AggregateDecision]);
        assert_eq!(plan.attempts_after(StepName::Expand).len(), 5);
    }
}

//! The steps of a group while a worker executes them: what follows when one of them succeeds or fails.
//!
//! A step that fails does not stop the others: what they make is stored and need not be made again. A step that is to be
//! tried again starts as soon as its pause is over, while others are running. When none is running, the run waits for the
//! rest, or fails with the first step that has given up.

use jiff::Timestamp;

use super::failure::{Failure, FailureRecord};
use crate::lane::LaneName;
use crate::pipeline::StepName;
use crate::plan::StepAttempt;

/// The steps of a group, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct StepGroup {
    members: Vec<Member>,
    /// The first step that has given up, and its failure.
    cause: Option<(StepName, Failure)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Member {
    /// Its latest attempt, or the next one if it is to be tried again.
    attempt: StepAttempt,
    status: MemberStatus,
}

#[derive(Clone, Debug, PartialEq)]
enum MemberStatus {
    Running,
    Succeeded,
    /// The next attempt follows at this time.
    Retried {
        at: Timestamp,
    },
    /// The same attempt is made once more, after a wait in the queue.
    Postponed {
        until: Timestamp,
        lane: Option<LaneName>,
        failure: Option<FailureRecord>,
    },
    GaveUp,
}

/// What the run has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupState {
    /// Let the steps work that are running.
    Running,
    /// Go on with the next group.
    Succeeded,
    /// Wait; no step is running.
    Waiting(GroupWait),
    /// Fail because of this step; no step is running.
    Failed {
        /// The step.
        step: StepName,
        /// Its failure.
        failure: Failure,
    },
}

/// What the steps that are left wait for.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupWait {
    /// The time at which all of them may go on.
    pub until: Timestamp,
    /// The first of them.
    pub next: StepAttempt,
    /// Whether one of them may only go on after a wait in the queue.
    pub is_postponed: bool,
    /// The lane in which they wait.
    pub lane: Option<LaneName>,
    /// What a provider answered that asked to wait.
    pub failure: Option<FailureRecord>,
}

impl StepGroup {
    /// A group whose attempts have started.
    pub fn started(attempts: &[StepAttempt]) -> Self {
        let running = |attempt: &StepAttempt| Member { attempt: *attempt, status: MemberStatus::Running };
        Self { members: attempts.iter().map(running).collect(), cause: None }
    }

    /// A step has succeeded.
    pub fn succeed(&mut self, step: StepName) {
        self.set(step, |member| member.status = MemberStatus::Succeeded);
    }

    /// A step has failed and is tried again at that time.
    pub fn retry(&mut self, step: StepName, at: Timestamp) {
        self.set(step, |member| {
            *member = Member { attempt: member.attempt.next(), status: MemberStatus::Retried { at } };
        });
    }

    /// A step could not do its work yet; its attempt does not count.
    pub fn postpone(
        &mut self,
        step: StepName,
        until: Timestamp,
        lane: Option<LaneName>,
        failure: Option<FailureRecord>,
    ) {
        self.set(step, |member| member.status = MemberStatus::Postponed { until, lane, failure });
    }

    /// A step has failed for the last time.
    pub fn give_up(&mut self, step: StepName, failure: Failure) {
        self.cause.get_or_insert((step, failure));
        self.set(step, |member| member.status = MemberStatus::GaveUp);
    }

    fn set(&mut self, step: StepName, change: impl FnOnce(&mut Member)) {
        if let Some(member) = self.members.iter_mut().find(|member| member.attempt.step == step) {
            change(member);
        }
    }

    /// The first step that has not succeeded.
    pub fn first_unfinished(&self) -> Option<StepName> {
        let unfinished = self.members.iter().find(|member| member.status != MemberStatus::Succeeded);
        unfinished.map(|member| member.attempt.step)
    }

    /// When the next step may be tried again by this worker. None if a step has given up: the run fails, and what would
    /// be tried in vain is left to a retry of the run.
    pub fn next_due(&self) -> Option<Timestamp> {
        if self.has_given_up() {
            return None;
        }
        self.members.iter().filter_map(Member::retried_at).min()
    }

    /// Starts the attempts that are due.
    pub fn start_due(&mut self, now: Timestamp) -> Vec<StepAttempt> {
        if self.next_due().is_none() {
            return Vec::new();
        }
        let due = self.members.iter_mut().filter(|member| member.retried_at().is_some_and(|at| at <= now));
        due.map(|member| {
            member.status = MemberStatus::Running;
            member.attempt
        })
        .collect()
    }

    /// Whether a step has failed for the last time. No further attempt is made at the others.
    pub fn has_given_up(&self) -> bool {
        self.cause.is_some()
    }

    /// What the run has to do now.
    pub fn state(&self) -> GroupState {
        if self.members.iter().any(|member| member.status == MemberStatus::Running) {
            return GroupState::Running;
        }
        if let Some((step, failure)) = &self.cause {
            return GroupState::Failed { step: *step, failure: failure.clone() };
        }
        let mut waits = self.members.iter().filter_map(Member::wait);
        let Some(first) = waits.next() else { return GroupState::Succeeded };
        GroupState::Waiting(waits.fold(first, |all, next| GroupWait {
            until: all.until.max(next.until),
            next: all.next,
            is_postponed: all.is_postponed || next.is_postponed,
            lane: all.lane.or(next.lane),
            failure: all.failure.or(next.failure),
        }))
    }
}

impl Member {
    fn retried_at(&self) -> Option<Timestamp> {
        match self.status {
            MemberStatus::Retried { at } => Some(at),
            _ => None,
        }
    }

    fn wait(&self) -> Option<GroupWait> {
        let next = self.attempt;
        match &self.status {
            MemberStatus::Retried { at } => {
                Some(GroupWait { until: *at, next, is_postponed: false, lane: None, failure: None })
            }
            MemberStatus::Postponed { until, lane, failure } => Some(GroupWait {
                until: *until,
                next,
                is_postponed: true,
                lane: lane.clone(),
                failure: failure.clone(),
            }),
            MemberStatus::Running | MemberStatus::Succeeded | MemberStatus::GaveUp => None,
        }
    }
}

#[cfg(test)]
mod tests;

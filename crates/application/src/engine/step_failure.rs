//! What follows a failed attempt at a step: the next attempt, a wait in the queue, or the end of the run.
//!
//! A run that waits holds no slot. It goes back to the queue with the number of its next attempt, and any worker may go on
//! with it when its time has come.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{AfterFailure, Event, EventType, Failure, GroupWait, RunChange, Wait};
use quire_ports::Breakpoint;

use super::execute::{Execution, StartedAttempt, artifact};
use super::group::{GroupProgress, GroupWork};
use super::persist::{StepResults, WriteOutcome};
use crate::steps::StepErrorCode;

impl Execution<'_> {
    /// Records the failure of an attempt with its diagnosis, and what follows.
    pub(super) async fn failed(
        &mut self,
        work: &mut GroupWork,
        attempt: StartedAttempt,
        mut failure: Failure,
    ) -> GroupProgress {
        if failure.error_code == StepErrorCode::StorageUnavailable.as_str()
            && !self.engine.is_ready(self.run.pipeline, attempt.step).await
        {
            // The storage is gone for every run. This one did nothing wrong and waits in the queue until it is back.
            self.let_go(attempt, Vec::new(), StepResults::default(), RunChange::HandBack).await;
            return GroupProgress::Over;
        }
        let now = self.engine.store.clock.now();
        let record = failure.record(Some(attempt.step), self.run.correlation_id.as_deref());
        let diagnosis = failure.diagnosis.take();
        let diagnosis = diagnosis.map(|text| artifact(Failure::DIAGNOSIS.to_owned(), text.into(), now));
        let results = StepResults { artifacts: Vec::from_iter(diagnosis), ..StepResults::default() };
        let group = &mut work.group;
        let events = match self.after_failure(attempt, &failure, group.has_given_up(), now) {
            AfterFailure::GiveUp => {
                group.give_up(attempt.step, failure);
                vec![self.step_ended(EventType::StepFailed, attempt, now, Some(record))]
            }
            AfterFailure::Retry { delay } => {
                group.retry(attempt.step, now.saturating_add(delay).unwrap_or(Timestamp::MAX));
                let failed = self.step_ended(EventType::StepFailed, attempt, now, Some(record));
                let retried = Event {
                    event_type: EventType::StepRetried,
                    delay_ms: u64::try_from(delay.as_millis()).ok(),
                    ..failed.clone()
                };
                vec![failed, retried]
            }
            AfterFailure::Postpone { until } => {
                // A busy lane is no error, and the attempt has not begun.
                let error = Some(record).filter(|_| !failure.is_waiting());
                let ended = self.step_ended(EventType::StepPostponed, attempt, now, error.clone());
                let postponed = Event { lane: failure.lane.clone(), ..ended };
                group.postpone(attempt.step, until, failure.lane, error);
                vec![postponed]
            }
        };
        self.write(work, attempt, events, results).await
    }

    /// What follows the failure of an attempt. After another step of the group has given up, no attempt is repeated.
    fn after_failure(
        &self,
        attempt: StartedAttempt,
        failure: &Failure,
        has_given_up: bool,
        now: Timestamp,
    ) -> AfterFailure {
        match self.setup.policy.backoff.after(attempt.number, failure.kind, now, &mut rand::rng()) {
            AfterFailure::Retry { .. } if has_given_up => AfterFailure::GiveUp,
            after => after,
        }
    }

    /// Whether the pause before the next attempts is short enough to keep the slot.
    pub(super) fn passes_in_slot(&self, wait: &GroupWait) -> bool {
        let pause = wait.until.duration_since(self.engine.store.clock.now());
        let pause = Duration::try_from(pause).unwrap_or_default();
        !wait.is_postponed && pause <= self.engine.settings.longest_slot_pause
    }

    /// Sends the run back to the queue to wait. The slot is free afterwards.
    pub(super) async fn send_to_wait(
        &mut self,
        attempt: StartedAttempt,
        events: Vec<Event>,
        results: StepResults,
        wait: GroupWait,
    ) {
        let GroupWait { until, next, lane, failure, .. } = wait;
        let time_used = self.engine.awake.elapsed().saturating_sub(self.began);
        let time_used = SignedDuration::try_from(time_used).unwrap_or(SignedDuration::MAX);
        let change = RunChange::Wait(Wait { until, next, lane: lane.clone(), failure, time_used });
        match self.engine.write_transition(&self.lease, &self.run, events, results, change).await {
            WriteOutcome::Stored => {
                self.engine.due.add(until, self.engine.store.clock.now());
                if let Some(lane) = lane {
                    self.engine.lanes.wake_if_free(&lane).await;
                }
            }
            WriteOutcome::RunLost => {}
            WriteOutcome::Unstorable(failure) => {
                self.fail_unstorable(attempt, std::iter::empty(), failure).await;
            }
        }
        // The run waits for any worker, so an error here changes nothing.
        let _ = self.engine.breakpoints.reached(Breakpoint::AfterWait, Some(self.run.id)).await;
    }
}

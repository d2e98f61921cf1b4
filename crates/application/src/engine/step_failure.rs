//! What follows a failed attempt at a step: the next attempt, a wait in the queue, or the end of the run.
//!
//! A run that waits holds no slot. It goes back to the queue with the number of its next attempt, and any worker may go on
//! with it when its time has come.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{AfterFailure, Event, EventType, Failure, FailureKind, RunChange, StepAttempt, Wait};
use quire_ports::Breakpoint;

use super::execute::{Attempt, Execution, Stop, artifact};
use super::persist::{StepResults, WriteOutcome};
use crate::steps::StepErrorCode;

impl Execution<'_> {
    /// Records the failure of an attempt with its diagnosis. Returns the next attempt, if this worker makes it at once.
    pub(super) async fn failed(
        &mut self,
        attempt: Attempt,
        mut failure: Failure,
    ) -> Result<Option<Attempt>, Stop> {
        if failure.error_code == StepErrorCode::StorageUnavailable.as_str()
            && !self.engine.is_ready(self.run.pipeline, attempt.step).await
        {
            // The storage is gone for every run. This one did nothing wrong and waits in the queue until it is back.
            self.end(attempt, Vec::new(), StepResults::default(), RunChange::HandBack).await;
            return Ok(None);
        }
        let now = self.engine.store.clock.now();
        let record = failure.record(Some(attempt.step), self.run.correlation_id.as_deref());
        let diagnosis = failure.diagnosis.take();
        let diagnosis = diagnosis.map(|text| artifact(Failure::DIAGNOSIS.to_owned(), text.into(), now));
        let results = StepResults { artifacts: Vec::from_iter(diagnosis), ..StepResults::default() };
        let next = self.setup.policy.backoff.after(attempt.number, failure.kind, now, &mut rand::rng());
        match next {
            AfterFailure::GiveUp => {
                let failed = self.step_ended(EventType::StepFailed, attempt, now, Some(record));
                let change =
                    RunChange::Fail { step: attempt.step, failure, requeue: self.setup.policy.requeue };
                self.end(attempt, vec![failed], results, change).await;
                Ok(None)
            }
            AfterFailure::Retry { delay } => {
                let failed = self.step_ended(EventType::StepFailed, attempt, now, Some(record));
                let retried = Event {
                    event_type: EventType::StepRetried,
                    delay_ms: u64::try_from(delay.as_millis()).ok(),
                    ..failed.clone()
                };
                self.retry(attempt, delay, vec![failed, retried], results).await
            }
            AfterFailure::Postpone { until } => {
                // A busy lane is no error, and the attempt has not begun.
                let is_busy = matches!(failure.kind, FailureKind::LaneBusy { .. });
                let error = Some(record).filter(|_| !is_busy);
                let lane = failure.lane;
                let ended = self.step_ended(EventType::StepPostponed, attempt, now, error.clone());
                let postponed = Event { lane: lane.clone(), ..ended };
                let wait =
                    Wait { lane: lane.clone(), failure: error, ..self.wait_until(until, attempt.identity()) };
                self.wait(attempt, vec![postponed], results, wait).await;
                if let Some(lane) = lane {
                    self.engine.lanes.look_again(&lane).await;
                }
                Ok(None)
            }
        }
    }

    /// Makes the next attempt after a short pause, or sends the run to wait for it.
    async fn retry(
        &mut self,
        attempt: Attempt,
        delay: SignedDuration,
        events: Vec<Event>,
        results: StepResults,
    ) -> Result<Option<Attempt>, Stop> {
        let clock = self.engine.store.clock.clone();
        let pause = Duration::try_from(delay).unwrap_or_default();
        if pause > self.engine.settings.longest_slot_pause {
            let until = clock.now().saturating_add(delay).unwrap_or(Timestamp::MAX);
            let next = StepAttempt { step: attempt.step, number: attempt.number + 1 };
            let wait = self.wait_until(until, next);
            self.wait(attempt, events, results, wait).await;
            return Ok(None);
        }
        if !self.advance(attempt, events, results).await {
            return Ok(None);
        }
        self.wait_for(clock.sleep(pause)).await?;
        let next = Attempt { number: attempt.number + 1, started_at: clock.now(), ..attempt };
        Ok(self.advance(next, vec![self.step_started(next)], StepResults::default()).await.then_some(next))
    }

    fn wait_until(&self, until: Timestamp, next: StepAttempt) -> Wait {
        let held = self.engine.awake.elapsed().saturating_sub(self.began);
        let held = SignedDuration::try_from(held).unwrap_or(SignedDuration::MAX);
        Wait { until, next, lane: None, failure: None, held }
    }

    /// Sends the run back to the queue to wait. The slot is free afterwards.
    async fn wait(&mut self, attempt: Attempt, events: Vec<Event>, results: StepResults, wait: Wait) {
        let until = wait.until;
        match self.engine.end_run(&self.lease, &self.run, events, results, RunChange::Wait(wait)).await {
            WriteOutcome::Stored => self.engine.due.add(until, self.engine.store.clock.now()),
            WriteOutcome::RunLost => {}
            WriteOutcome::Unstorable(failure) => self.fail_unstorable(attempt, failure).await,
        }
        // The run waits for any worker, so an error here changes nothing.
        let _ = self.engine.probe.reached(Breakpoint::AfterWait, Some(self.run.id)).await;
    }
}

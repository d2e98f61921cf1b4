//! Locks a request while a step works on it.

use std::sync::Arc;
use std::time::Duration;

use quire_domain::link::background_correlation_id;
use quire_domain::{Event, EventType, Failure, FailureKind, FailureType};
use quire_ports::{
    Clock, LockGuard, LockOutcome, LockRequest, LockSource, RequestLocks, RunQueue, StepContext,
};

use crate::steps::StepErrorCode;

/// Locks requests. A lock only saves work: the fence of the run decides whose result is stored.
#[derive(Clone)]
pub struct LinkLocks {
    /// The locks.
    pub locks: Arc<dyn RequestLocks>,
    /// Whether a step that finds its request locked returns to the queue at once. Otherwise it waits for the lock in its
    /// slot.
    pub skip_on_held: bool,
    /// The history, in which a held lock is recorded.
    pub queue: Arc<dyn RunQueue>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// The longest pause between two looks at a lock.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl LinkLocks {
    /// Does the work while the request is locked. The lock is released in any case, also if this future is dropped.
    pub(super) async fn with_lock<T>(
        &self,
        context: &StepContext,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let guard = self.acquire(context).await?;
        let outcome = tokio::select! {
            biased;
            outcome = work => outcome,
            // Another worker was given the run. What this one would store will be refused.
            () = guard.lost() => Err(self.postponed(Duration::ZERO)),
        };
        guard.release().await;
        outcome
    }

    async fn acquire(&self, context: &StepContext) -> Result<Box<dyn LockGuard>, Failure> {
        let run = &context.run;
        let request = LockRequest {
            id: run.id,
            fence: run.fence,
            correlation_id: run.correlation_id.clone().unwrap_or_else(|| background_correlation_id(run.id)),
        };
        let mut is_first = true;
        loop {
            match self.locks.acquire(&request).await {
                LockOutcome::Acquired(guard) => {
                    tracing::info!(
                        event = "bg_lock_acquired",
                        request_id = %run.id,
                        correlation_id = request.correlation_id,
                        stage = context.step.as_str(),
                        source = guard.source().as_str(),
                        "request locked"
                    );
                    return Ok(guard);
                }
                LockOutcome::Taken { source, retry_after } => {
                    if is_first {
                        self.report_taken(context, &request, source).await;
                    }
                    if self.skip_on_held {
                        return Err(self.postponed(retry_after));
                    }
                    is_first = false;
                    tokio::time::sleep(retry_after.min(LONGEST_PAUSE)).await;
                }
                LockOutcome::Failed { reason } => {
                    let message = format!(
                        "the request cannot be locked because Redis does not work ({reason}); start it, or set \
                         background.redis_lock_required = false"
                    );
                    return Err(Failure::transient(FailureType::LockFailed.as_str(), message)
                        .with_failure_type(FailureType::LockFailed));
                }
            }
        }
    }

    async fn report_taken(&self, context: &StepContext, request: &LockRequest, source: LockSource) {
        tracing::info!(
            event = "bg_lock_held_skip",
            request_id = %request.id,
            correlation_id = request.correlation_id,
            stage = context.step.as_str(),
            source = source.as_str(),
            "lock_held: another worker is at this request"
        );
        metrics::counter!("quire_lock_skips_total", "source" => source.as_str()).increment(1);
        let held = Event {
            step: Some(context.step),
            attempt: Some(context.attempt),
            reason: Some(source.as_str().to_owned()),
            ..Event::of_run(EventType::LockHeld, &context.run, self.clock.now())
        };
        if let Err(error) = self.queue.record(&[held]).await {
            tracing::warn!(%error, request_id = %request.id, "the held lock could not be recorded");
        }
    }

    /// The step did nothing, and its attempt does not count.
    fn postponed(&self, retry_after: Duration) -> Failure {
        let now = self.clock.now();
        let until = now.checked_add(retry_after).unwrap_or(now);
        let message = "another worker is at this request; the run looks again later";
        Failure::new(FailureKind::Postponed { until }, StepErrorCode::LockHeld.as_str(), message)
    }
}

//! The claim loop claims runs. It reads the queue on every tick and when it is woken. After a claim that filled every slot,
//! it reads the queue as soon as a slot is free.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quire_domain::run::RunningStep;
use quire_domain::{Event, EventType, PipelinePlan, RunChange, StepAttempt, WorkerId};
use quire_ports::{Breakpoint, ClaimRequest, ClaimedRun, PortError};

use super::execute::execute;
use super::{EngineCore, WorkerLease};
use crate::event_telemetry;

/// How long after a claim without an answer its commit may still happen.
const LATE_COMMIT_WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// How much a claim got.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClaimResult {
    /// The slots are taken. The queue may hold more runs.
    SlotsTaken,
    /// Slots are left, because the queue had no more runs.
    SlotsLeft,
}

pub(super) async fn keep_claiming(engine: Arc<EngineCore>) {
    let wakeup = engine.store.queue.wakeup();
    let mut claims = ClaimLoop { engine: &engine, contended: false, late_commit_until: None };
    while !engine.draining.is_cancelled() {
        let result = claims.claim().await;
        if result == Some(ClaimResult::SlotsTaken) {
            tokio::select! {
                () = engine.slots.wait() => {}
                () = engine.draining.cancelled() => {}
            }
        } else {
            tokio::select! {
                () = wakeup.notified() => {}
                () = engine.store.clock.sleep(engine.settings.tick) => {}
                () = engine.draining.cancelled() => {}
            }
        }
    }
}

struct ClaimLoop<'e> {
    engine: &'e Arc<EngineCore>,
    /// There was contention and its event is not recorded yet: the store was busy.
    contended: bool,
    /// A claim got no answer. Until this moment the store may assign runs to this worker that it does not know of.
    late_commit_until: Option<Timestamp>,
}

impl ClaimLoop<'_> {
    async fn claim(&mut self) -> Option<ClaimResult> {
        let result = match self.hand_back_unknown().await {
            Ok(()) => self.engine.claim_once().await,
            Err(error) => Err(error),
        };
        match result {
            Ok(result) => {
                if self.contended {
                    self.contended = !self.engine.record_contention().await;
                }
                Some(result)
            }
            Err(error) => {
                self.engine.claim_failed(&error);
                self.contended |= error.is_contention();
                self.late_commit_until = self.engine.store.clock.now().checked_add(LATE_COMMIT_WINDOW).ok();
                None
            }
        }
    }

    /// After a claim without an answer, gives back the runs that it may have claimed.
    async fn hand_back_unknown(&mut self) -> Result<(), PortError> {
        let Some(until) = self.late_commit_until else { return Ok(()) };
        let now = self.engine.store.clock.now();
        let (worker, known) = (self.engine.lease().worker, self.engine.owned_runs.ids());
        for transition in self.engine.store.recovery.hand_back_unknown(worker, &known, now).await? {
            event_telemetry::log_and_count_transition(&transition);
        }
        if now > until {
            self.late_commit_until = None;
        }
        Ok(())
    }
}

impl EngineCore {
    /// Claims runs for the free slots and starts them.
    async fn claim_once(self: &Arc<Self>) -> Result<ClaimResult, PortError> {
        self.breakpoints.reached(Breakpoint::BeforeClaim, None).await?;
        let limit = self.slots.free().min(self.settings.claim_limit);
        if limit == 0 {
            return Ok(ClaimResult::SlotsTaken);
        }
        let plans = self.ready_plans().await;
        if plans.is_empty() {
            return Ok(ClaimResult::SlotsLeft);
        }
        let lease = self.lease();
        let at = self.store.clock.now();
        let claimed = self.claim_in_scope(lease.worker, at, limit, &plans).await?;
        let got_all = claimed.len() == limit;
        self.breakpoints.reached(Breakpoint::AfterClaim, None).await?;
        for claimed in claimed {
            let slot = if claimed.run.must_run_alone() { self.slots.take_all() } else { self.slots.take() };
            let Some(slot) = slot else {
                // Only this loop takes slots, so this should not happen.
                self.hand_back(&lease, &claimed).await;
                continue;
            };
            event_telemetry::run_started(&claimed, lease.worker);
            self.minute_counters.count_started(&claimed.run, at);
            let owned = self.own(&claimed.run, &lease.lost);
            let lease = lease.clone();
            self.runs.spawn(async move { execute(&owned, lease, claimed, slot).await });
        }
        // A run that must run alone fills all slots.
        let is_full = got_all || self.slots.free() == 0;
        Ok(if is_full { ClaimResult::SlotsTaken } else { ClaimResult::SlotsLeft })
    }

    /// Claims runs of the pipelines of this engine's scope, then runs that wait in the lanes of its scope.
    async fn claim_in_scope(
        &self,
        worker: WorkerId,
        at: Timestamp,
        limit: usize,
        plans: &[PipelinePlan],
    ) -> Result<Vec<ClaimedRun>, PortError> {
        let scope = &self.settings.scope;
        let is_idle = self.owned_runs.ids().is_empty();
        let whole: Vec<PipelinePlan> =
            plans.iter().filter(|plan| scope.claims(plan.pipeline)).cloned().collect();
        let claim = ClaimRequest { worker, at, limit, is_idle, plans: &whole, lanes: None };
        let mut claimed = if whole.is_empty() { Vec::new() } else { self.store.queue.claim(claim).await? };
        if scope.lanes.is_empty() || claimed.iter().any(|claimed| claimed.run.must_run_alone()) {
            return Ok(claimed);
        }
        let (lanes, permits) = self.lanes.free_permits(&scope.lanes).await;
        let limit = permits.min(limit - claimed.len());
        if limit > 0 {
            let is_idle = is_idle && claimed.is_empty();
            let claim = ClaimRequest { limit, is_idle, plans, lanes: Some(&lanes), ..claim };
            claimed.extend(self.store.queue.claim(claim).await?);
        }
        Ok(claimed)
    }

    /// Sends a claimed run back to the queue before any work on it. No attempt is counted.
    pub(super) async fn hand_back(&self, lease: &WorkerLease, claimed: &ClaimedRun) {
        let started_at = claimed.run.state.started_at();
        let running = |StepAttempt { step, number }: &StepAttempt| RunningStep {
            step: *step,
            attempt: *number,
            started_at,
        };
        let running: Vec<RunningStep> = claimed.started_steps.iter().map(running).collect();
        self.stop_run(lease, &claimed.run, &running, RunChange::HandBack).await;
    }

    fn claim_failed(&self, error: &PortError) {
        if error.is_contention() {
            event_telemetry::log(&Event::new(EventType::SchedulerContention, self.store.clock.now()), None);
            metrics::counter!("quire_scheduler_contention_total").increment(1);
        } else {
            tracing::error!(%error, "claim failed, will retry on the next tick");
            metrics::counter!("quire_store_errors_total", "doing" => "claim").increment(1);
        }
    }

    /// Records contention after it is over. Returns whether the event was stored.
    async fn record_contention(&self) -> bool {
        let event = Event::new(EventType::SchedulerContention, self.store.clock.now());
        self.store.queue.record(&[event]).await.is_ok()
    }
}

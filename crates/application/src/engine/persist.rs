//! Writing about a run until it is written: a store that is locked, slow, full or gone is waited for, as long as
//! the run is ours.

use std::time::Duration;

use quire_domain::run::apply;
use quire_domain::run::{last_event, late_write_refused};
use quire_domain::{Change, Event, Failure, Run, Transition};
use quire_ports::{Advance, AdvanceOutcome, Artifact, FirstVersion, PortError};

use super::{Inner, WorkerLease, report};
use crate::steps::StepErrorCode;

/// Pauses between two tries, while the store is not available.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What an attempt at a step leaves behind.
#[derive(Default)]
pub(super) struct Produced {
    pub(super) artifacts: Vec<Artifact>,
    pub(super) interpretation: Option<FirstVersion>,
}

/// What became of a write.
pub(super) enum Persisted {
    /// It is stored.
    Stored,
    /// The run is no longer ours, and nothing was stored.
    Gone,
    /// The store will never take it.
    Impossible(Failure),
}

impl Inner {
    /// Ends a run, or sends it back to the queue.
    pub(super) async fn settle(
        &self,
        life: &WorkerLease,
        run: &Run,
        events: Vec<Event>,
        produced: Produced,
        change: Change,
    ) -> Persisted {
        match self.decide(run, change) {
            Some(end) => self.persist(life, run, events, produced, Some(end)).await,
            None => Persisted::Gone,
        }
    }

    fn decide(&self, run: &Run, change: Change) -> Option<Transition> {
        apply(run, change, self.store.clock.now())
            .inspect_err(|refusal| tracing::error!(run_id = %run.id, %refusal, "a run could not be settled"))
            .ok()
    }

    /// Writes, and goes on trying while the store is not available.
    pub(super) async fn persist(
        &self,
        life: &WorkerLease,
        run: &Run,
        events: Vec<Event>,
        produced: Produced,
        end: Option<Transition>,
    ) -> Persisted {
        let at = self.store.clock.now();
        let Produced { artifacts, interpretation } = produced;
        let mut advance =
            Advance { run: run.clone(), at, events, artifacts, interpretation, end, repeated: false };
        let mut pause = FIRST_PAUSE;
        loop {
            match self.store.queue.advance(advance.clone()).await {
                Ok(AdvanceOutcome::Accepted) => {
                    self.tell(&advance);
                    return Persisted::Stored;
                }
                Ok(AdvanceOutcome::Refused) => {
                    let last = last_event(&advance.events, advance.end.as_ref());
                    let refused = late_write_refused(&advance.run, last, advance.at);
                    report::log(&refused, run.correlation_id.as_deref());
                    report::refused(run.pipeline);
                    self.tally.count(&refused);
                    return Persisted::Gone;
                }
                Err(error) if error.is_passing() => {
                    tracing::warn!(run_id = %run.id, %error, "a result could not be stored yet; trying again");
                    metrics::counter!("quire_store_errors_total", "doing" => "advance").increment(1);
                }
                Err(error) => return Persisted::Impossible(refused_by_store(&error)),
            }
            advance.repeated = true;
            tokio::select! {
                () = life.lost.cancelled() => return Persisted::Gone,
                // The process ends: recovery settles the run.
                () = self.halted.cancelled() => return Persisted::Gone,
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
    }

    fn tell(&self, advance: &Advance) {
        let correlation_id = advance.run.correlation_id.as_deref();
        for event in &advance.events {
            self.tally.count(event);
            report::event(event, correlation_id);
        }
        if let Some(end) = &advance.end {
            self.tally.count_transition(end);
            report::transition(end);
        }
    }
}

fn refused_by_store(error: &PortError) -> Failure {
    tracing::error!(%error, "the store refuses a result for good");
    let message = "what the step produced cannot be stored; please report this";
    Failure::permanent(StepErrorCode::ResultNotStorable.as_str(), message)
}

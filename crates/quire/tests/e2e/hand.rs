//! A test that plays the worker, through the store itself.

use quire_domain::run::apply;
use quire_domain::{Change, Failure, RequeuePolicy, Run, RunId, WorkerId};
use quire_ports::{Advance, AdvanceOutcome, ClaimRequest, Lease, Store, Worker};
use quire_testkit::fixture::all_plans;

/// A worker, while no server works on the same. On SQLite a server that starts ends the lease of the last one, so that
/// after it a new one is needed.
pub struct Hand<'s> {
    store: &'s Store,
    worker: Worker,
}

impl<'s> Hand<'s> {
    pub async fn of(store: &'s Store) -> Self {
        let now = store.clock.now();
        let until = now + jiff::SignedDuration::from_mins(5);
        let worker = Worker {
            id: WorkerId::new(),
            name: "the test".to_owned(),
            slots: 1,
            started_at: now,
            seen_at: now,
            lease: Some(Lease::Until(until)),
        };
        store.workers.register(&worker).await.unwrap();
        Self { store, worker }
    }

    /// Takes the next run and starts it.
    pub async fn start(&self) -> Run {
        let (at, plans) = (self.store.clock.now(), all_plans());
        let claim = ClaimRequest { worker: self.worker.id, at, limit: 1, plans: &plans };
        self.store.queue.claim(claim).await.unwrap().remove(0).run
    }

    pub async fn end(&self, run: Run, change: Change) -> RunId {
        let at = self.store.clock.now();
        let (id, end) = (run.id, Some(apply(&run, change, at).unwrap()));
        let advance = Advance {
            run,
            at,
            events: Vec::new(),
            artifacts: Vec::new(),
            interpretation: None,
            end,
            repeated: false,
        };
        assert_eq!(self.store.queue.advance(advance).await.unwrap(), AdvanceOutcome::Accepted);
        id
    }

    /// Takes the next run and fails it in its first step, for good.
    pub async fn fail(&self) -> RunId {
        let run = self.start().await;
        let failure = Failure::permanent("PAGE_GONE", "the page is no longer there");
        let step = run.pipeline.steps()[0];
        self.end(run, Change::Fail { step, failure, requeue: RequeuePolicy::Never }).await
    }
}

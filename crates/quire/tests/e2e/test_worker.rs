//! A worker whose runs the test starts and ends itself, through the store.

use quire_domain::run::apply;
use quire_domain::{ClaimScope, Failure, RequeuePolicy, Run, RunChange, RunId, WorkerId};
use quire_ports::{ClaimRequest, Lease, RunWrite, RunWriteOutcome, Store, Worker};
use quire_testkit::fixture::all_plans;

/// A registered worker. Use it while no server runs: on SQLite, a starting server ends the lease of the last worker.
pub struct TestWorker<'s> {
    store: &'s Store,
    worker: Worker,
}

impl<'s> TestWorker<'s> {
    pub async fn register(store: &'s Store) -> Self {
        let now = store.clock.now();
        let until = now + jiff::SignedDuration::from_mins(5);
        let worker = Worker {
            id: WorkerId::new(),
            name: "the test".to_owned(),
            slots: 1,
            started_at: now,
            seen_at: now,
            lease: Some(Lease::Until(until)),
            program: None,
            scope: ClaimScope::default(),
        };
        store.workers.register(&worker).await.unwrap();
        Self { store, worker }
    }

    /// Ends the worker's lease.
    pub async fn resign(&self) {
        self.store.workers.resign(self.worker.id, self.store.clock.now()).await.unwrap();
    }

    /// Claims the next run.
    pub async fn claim(&self) -> Run {
        let (at, plans) = (self.store.clock.now(), all_plans());
        let claim =
            ClaimRequest { worker: self.worker.id, at, limit: 1, is_idle: true, plans: &plans, lanes: None };
        self.store.queue.claim(claim).await.unwrap().remove(0).run
    }

    /// Ends a claimed run with this change.
    pub async fn finish(&self, run: Run, change: RunChange) -> RunId {
        let at = self.store.clock.now();
        let (id, end) = (run.id, Some(apply(&run, change, at).unwrap()));
        let write = RunWrite {
            run,
            at,
            events: Vec::new(),
            artifacts: Vec::new(),
            interpretation: None,
            proposal: Vec::new(),
            summary: None,
            text: None,
            transition: end,
            repeated: false,
        };
        assert_eq!(self.store.queue.write(write).await.unwrap(), RunWriteOutcome::Accepted(Vec::new()));
        id
    }

    /// Claims the next run and fails it permanently in its first step.
    pub async fn fail_next(&self) -> RunId {
        let run = self.claim().await;
        let failure = Failure::permanent("PAGE_GONE", "the page is no longer there");
        let step = run.pipeline.steps()[0];
        self.finish(run, RunChange::Fail { step, failure, requeue: RequeuePolicy::Never }).await
    }
}

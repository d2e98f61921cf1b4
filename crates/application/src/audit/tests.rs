use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{DocumentId, EventId, NewRun, RequeuePolicy, Run, Transition};
use quire_ports::{
    Claim, ClaimRequest, ClaimedRun, EventFilter, PortError, PortResult, RunQueue, RunWrite, RunWriteOutcome,
};
use quire_sqlite::testing::store_fixture;
use tokio::sync::{Notify, watch};

use super::*;

fn access(event_type: EventType, subject: Option<SubjectId>) -> Access {
    Access { actor: "alma".to_owned(), event_type, subject, run: None, failure: None }
}

#[tokio::test]
async fn every_recorded_access_is_in_the_history_when_the_writer_has_finished() {
    let fixture = store_fixture().await;
    let (audit, writer) = AccessAudit::start(fixture.store.clone());
    let subject = SubjectId::from(DocumentId::new());
    for _ in 0..600 {
        audit.record(access(EventType::DocumentMetadataViewed, Some(subject)));
    }
    writer.finish().await;
    let filter = EventFilter { run: None, subject: Some(subject) };
    let events = fixture.store.run_reader.events(EventId(0), filter, 1000).await.unwrap();
    assert_eq!(events.len(), 600);
    assert!(events.iter().all(|recorded| recorded.event.actor.as_deref() == Some("alma")));
    audit.record(access(EventType::DocumentListViewed, None));
    assert_eq!(audit.lost.load(Ordering::Relaxed), 1, "the writer has stopped, and nobody waits for it");
}

#[tokio::test]
async fn accesses_without_room_in_the_queue_are_counted_and_nobody_waits() {
    let fixture = store_fixture().await;
    let (waiting, _received) = mpsc::channel(2);
    let audit = AccessAudit { waiting, lost: Arc::default(), clock: fixture.store.clock.clone() };
    for _ in 0..5 {
        audit.record(access(EventType::DocumentListViewed, None));
    }
    assert_eq!(audit.lost.load(Ordering::Relaxed), 3);
}

/// A queue that refuses events the first few times.
struct FailingQueue {
    queue: Arc<dyn RunQueue>,
    times: AtomicU64,
}

#[async_trait]
impl RunQueue for FailingQueue {
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run> {
        self.queue.enqueue(new, at).await
    }

    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>> {
        self.queue.claim(claim).await
    }

    async fn write(&self, write: RunWrite) -> PortResult<RunWriteOutcome> {
        self.queue.write(write).await
    }

    async fn release_due(&self, at: Timestamp, limit: usize) -> PortResult<usize> {
        self.queue.release_due(at, limit).await
    }

    async fn retry(
        &self,
        run: RunId,
        requeue: RequeuePolicy,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        self.queue.retry(run, requeue, actor, at).await
    }

    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        self.queue.withdraw(run, actor, at).await
    }

    async fn cancel(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        self.queue.cancel(run, actor, at).await
    }

    fn cancellations(&self) -> watch::Receiver<u64> {
        self.queue.cancellations()
    }

    async fn outdated(&self, claims: &[Claim]) -> PortResult<Vec<Claim>> {
        self.queue.outdated(claims).await
    }

    async fn record(&self, events: &[Event]) -> PortResult<()> {
        if self.times.load(Ordering::SeqCst) > 0 {
            self.times.fetch_sub(1, Ordering::SeqCst);
            let (service, reason) = ("database", "it is down".to_owned());
            return Err(PortError::Unavailable { service, reason, contention: false });
        }
        self.queue.record(events).await
    }

    fn wakeup(&self) -> Arc<Notify> {
        self.queue.wakeup()
    }
}

#[tokio::test]
async fn no_access_is_lost_while_the_database_is_down_for_a_while() {
    let fixture = store_fixture().await;
    let failing = Arc::new(FailingQueue { queue: fixture.store.queue.clone(), times: AtomicU64::new(3) });
    let (audit, writer) = AccessAudit::start(Store { queue: failing.clone(), ..fixture.store.clone() });
    audit.record(access(EventType::DocumentListViewed, None));
    let looking = async {
        while fixture
            .store
            .run_reader
            .events(EventId(0), EventFilter::default(), 10)
            .await
            .unwrap()
            .is_empty()
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), looking).await.unwrap();
    assert_eq!((failing.times.load(Ordering::SeqCst), audit.lost.load(Ordering::Relaxed)), (0, 0));
    writer.finish().await;
    assert_eq!(
        fixture.store.run_reader.events(EventId(0), EventFilter::default(), 10).await.unwrap().len(),
        1
    );
}

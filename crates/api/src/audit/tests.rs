use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{DocumentId, EventId, NewRun, RequeuePolicy, Run, Transition};
use quire_ports::{
    Advance, AdvanceOutcome, ClaimRequest, ClaimedRun, EventFilter, PortError, PortResult, RunQueue,
};
use quire_sqlite::testing::store_fixture;
use tokio::sync::Notify;

use super::*;

fn alma() -> Caller {
    Caller("alma".to_owned())
}

#[tokio::test]
async fn what_was_told_is_in_the_history_when_the_writer_has_finished() {
    let bed = store_fixture().await;
    let (audit, writer) = Audit::start(bed.store.clone());
    let subject = SubjectId::from(DocumentId::new());
    for _ in 0..600 {
        audit.tell(alma(), EventType::DocumentMetadataViewed, Some(subject), None);
    }
    writer.finish().await;
    let filter = EventFilter { run: None, subject: Some(subject) };
    let events = bed.store.history.events(EventId(0), filter, 1000).await.unwrap();
    assert_eq!(events.len(), 600);
    assert!(events.iter().all(|recorded| recorded.event.actor.as_deref() == Some("alma")));
    audit.tell(alma(), EventType::DocumentListViewed, None, None);
    assert_eq!(audit.lost.load(Ordering::Relaxed), 1, "nobody writes any more, and nobody waits");
}

#[tokio::test]
async fn what_there_is_no_room_for_is_counted_and_nobody_waits() {
    let bed = store_fixture().await;
    let (waiting, _received) = mpsc::channel(2);
    let audit = Audit { waiting, lost: Arc::default(), clock: bed.store.clock.clone() };
    for _ in 0..5 {
        audit.tell(alma(), EventType::DocumentListViewed, None, None);
    }
    assert_eq!(audit.lost.load(Ordering::Relaxed), 3);
}

#[test]
fn a_path_names_a_document_or_a_run() {
    let id = Uuid::now_v7();
    assert_eq!(whose(&format!("/documents/{id}/download")), (Some(SubjectId(id)), None));
    assert_eq!(whose(&format!("/app/documents/{id}/work")), (Some(SubjectId(id)), None));
    assert_eq!(whose(&format!("/runs/{id}/artifacts/raw-text")), (None, Some(RunId(id))));
    for nobodys in ["/documents", "/documents/export", "/documents/x", "/", ""] {
        assert_eq!(whose(nobodys), (None, None), "{nobodys}");
    }
}

/// A queue that takes no events the first few times.
struct Away {
    queue: Arc<dyn RunQueue>,
    times: AtomicU64,
}

#[async_trait]
impl RunQueue for Away {
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run> {
        self.queue.enqueue(new, at).await
    }

    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>> {
        self.queue.claim(claim).await
    }

    async fn advance(&self, advance: Advance) -> PortResult<AdvanceOutcome> {
        self.queue.advance(advance).await
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

    async fn record(&self, events: &[Event]) -> PortResult<()> {
        if self.times.load(Ordering::SeqCst) > 0 {
            self.times.fetch_sub(1, Ordering::SeqCst);
            let (service, reason) = ("database", "it is away".to_owned());
            return Err(PortError::Unavailable { service, reason, contention: false });
        }
        self.queue.record(events).await
    }

    fn wakeup(&self) -> Arc<Notify> {
        self.queue.wakeup()
    }
}

#[tokio::test]
async fn a_database_that_is_away_for_a_while_loses_nothing() {
    let bed = store_fixture().await;
    let away = Arc::new(Away { queue: bed.store.queue.clone(), times: AtomicU64::new(3) });
    let (audit, writer) = Audit::start(Store { queue: away.clone(), ..bed.store.clone() });
    audit.tell(alma(), EventType::DocumentListViewed, None, None);
    let looking = async {
        while bed.store.history.events(EventId(0), EventFilter::default(), 10).await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), looking).await.unwrap();
    assert_eq!((away.times.load(Ordering::SeqCst), audit.lost.load(Ordering::Relaxed)), (0, 0));
    writer.finish().await;
    assert_eq!(bed.store.history.events(EventId(0), EventFilter::default(), 10).await.unwrap().len(), 1);
}

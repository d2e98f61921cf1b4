//! Runs that a person cancels.

use jiff::SignedDuration;
use quire_domain::{
    DocumentId, EventType, FailureType, Pipeline, Priority, RequeuePolicy, StepAttempt, StepName, StepStatus,
    SubjectId,
};
use quire_ports::{EventFilter, PortError, RunWriteOutcome};

use super::writes::step_write;
use crate::fixture::{StoreFixture, at, document, document_run, new_run};

/// The worker's claim is outdated at once, and what it writes is refused.
pub async fn a_cancelled_run_ends_at_once_and_its_worker_loses_it(fixture: &StoreFixture) {
    let queue = &fixture.store.queue;
    let document = document(DocumentId::new());
    let new = document_run(document.id.into());
    fixture.add_document(&document, Some(&new), at(0)).await;
    let next = fixture.reprocess(document.id, at(1)).await;
    let refused = |answer: Result<_, PortError>| match answer {
        Err(PortError::Conflict(why)) => why,
        other => panic!("{other:?}"),
    };
    let why = refused(queue.cancel(new.id, "alma", at(1)).await);
    assert!(why.contains("QUEUED") && why.contains("withdraw"), "{why}");

    let worker = fixture.worker(at(1)).await;
    let run = fixture.claim_one(worker, at(2)).await.run;
    let claim = (run.id, run.fence);
    assert_eq!(queue.outdated(&[claim]).await.unwrap(), []);
    let mut cancellations = queue.cancellations();
    cancellations.mark_unchanged();
    let cancelled = queue.cancel(run.id, "alma", at(5)).await.unwrap();
    assert!(cancellations.has_changed().unwrap());
    assert_eq!(queue.outdated(&[claim]).await.unwrap(), [claim]);

    let stored = fixture.run(run.id).await;
    assert_eq!(stored, cancelled.run);
    assert_eq!(stored.state.reason().unwrap().failure_type, FailureType::Cancelled);
    assert_eq!((stored.state.completed_at(), stored.failed_attempts), (Some(at(5)), 1));
    let step = &fixture.steps(run.id).await[0];
    assert_eq!((step.status, step.error_code.as_deref()), (StepStatus::Failed, Some("CANCELLED")));
    let events = fixture.events_of(EventFilter { run: Some(run.id), subject: None }).await;
    let last: Vec<_> = events.iter().rev().take(2).map(|one| one.event.clone()).collect();
    assert_eq!((last[1].event_type, last[0].event_type), (EventType::StepFailed, EventType::RunCancelled));
    assert_eq!((last[0].actor.as_deref(), last[0].worker), (Some("alma"), Some(worker)));
    let attempts = fixture.attempts(run.id).await;
    assert_eq!(attempts.iter().map(|one| one.outcome).collect::<Vec<_>>(), [EventType::RunCancelled]);
    let jobs = fixture.store.run_reader.jobs(document.id.into()).await.unwrap();
    assert!(jobs[0].status == "FAILED" && jobs[0].error_log.contains("CANCELLED"), "{:?}", jobs[0]);

    let late = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(6));
    assert_eq!(queue.write(late).await.unwrap(), RunWriteOutcome::Refused);
    assert_eq!(fixture.run(run.id).await, stored);
    assert!(refused(queue.cancel(run.id, "alma", at(6)).await).contains("FAILED"));
    assert_eq!(fixture.claim_one(worker, at(7)).await.run.id, next, "the next run of the subject starts");
}

/// Proves R135 for a cancelled run: the step that has succeeded is not done again.
pub async fn a_cancelled_run_that_is_retried_resumes_at_its_first_unfinished_step(fixture: &StoreFixture) {
    let queue = &fixture.store.queue;
    let new = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
    queue.enqueue(&new, at(0)).await.unwrap();
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::LinkExtraction, at(2));
    let started = step_write(&run, &[EventType::StepStarted], StepName::LinkSummarization, at(2));
    write.events.extend(started.events);
    fixture.write(write).await;
    queue.cancel(run.id, "alma", at(3)).await.unwrap();
    let at_once = RequeuePolicy::Manual { max_retries: 5, base_delay: SignedDuration::ZERO };
    queue.retry(run.id, at_once, "alma", at(4)).await.unwrap();
    let resumed = fixture.claim_one(worker, at(5)).await;
    assert_eq!(resumed.started_steps, [StepAttempt::first(StepName::LinkSummarization)]);
    assert_eq!(queue.outdated(&[(run.id, run.fence)]).await.unwrap(), [(run.id, run.fence)]);
    assert_eq!(queue.outdated(&[(run.id, resumed.run.fence)]).await.unwrap(), []);
}

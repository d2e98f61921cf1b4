//! What is kept, and how it reads.

use jiff::SignedDuration;
use quire_domain::{
    Change, Document, DocumentId, Event, EventId, EventType, Failure, Pipeline, Priority, RequeuePolicy,
    StepName, StepStatus, SubjectId,
};
use quire_ports::{
    AdvanceOutcome, EventFilter, MinuteMetrics, NewDocument, PortError, RunFilter, StepFailures,
};

use super::claiming::complete;
use super::fencing::{end, raw_text, step_write};
use crate::fixture::{StoreFixture, at, document, document_run, new_run};

/// Proves R043, R044.
pub async fn step_records_are_appended_and_the_projection_follows(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let failure = Failure::transient("UNREADABLE", "try again").record(Some(StepName::Extraction), None);
    let mut failed =
        step_write(&run, &[EventType::StepFailed, EventType::StepRetried], StepName::Extraction, at(2));
    for event in &mut failed.events {
        event.failure = Some(failure.clone());
    }
    fixture.store.queue.advance(failed).await.unwrap();
    let mut second = step_write(&run, &[EventType::StepStarted], StepName::Extraction, at(3));
    second.events[0].attempt = Some(2);
    fixture.store.queue.advance(second).await.unwrap();
    let mut done = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(4));
    done.events[0].attempt = Some(2);
    done.events[0].started_at = Some(at(3));
    fixture.store.queue.advance(done).await.unwrap();

    let records = fixture.store.history.step_records(id).await.unwrap();
    let told: Vec<_> =
        records.iter().map(|r| (r.step.as_str(), r.status, r.attempt, r.started_at, r.ended_at)).collect();
    assert_eq!(
        told,
        [
            ("EXTRACTION", StepStatus::Running, 1, Some(at(1)), None),
            ("EXTRACTION", StepStatus::Failed, 1, Some(at(1)), Some(at(2))),
            ("EXTRACTION", StepStatus::Running, 2, Some(at(3)), None),
            ("EXTRACTION", StepStatus::Succeeded, 2, Some(at(3)), Some(at(4))),
        ]
    );
    assert_eq!(records[1].error_code.as_deref(), Some("UNREADABLE"));
    assert_eq!(records[1].details, Some(failure));
    let steps = fixture.store.history.steps(id).await.unwrap();
    assert_eq!(steps.len(), 1, "the projection has one row however many records there are");
    assert_eq!((steps[0].status, steps[0].attempt), (StepStatus::Succeeded, 2));
}

/// Proves R139, R140.
pub async fn the_projection_keeps_stamps_and_clears_errors(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut failed = step_write(&run, &[EventType::StepFailed], StepName::Extraction, at(2));
    // Told without a start of its own: the stored one stays.
    failed.events[0].started_at = None;
    failed.events[0].failure =
        Some(Failure::transient("UNREADABLE", "try again").record(Some(StepName::Extraction), None));
    fixture.store.queue.advance(failed).await.unwrap();
    let step = fixture.store.history.steps(id).await.unwrap().remove(0);
    assert_eq!((step.started_at, step.completed_at), (Some(at(1)), Some(at(2))));
    assert_eq!(step.error_message.as_deref(), Some("try again"));

    let restarted = step_write(&run, &[EventType::StepStarted], StepName::Extraction, at(3));
    fixture.store.queue.advance(restarted).await.unwrap();
    let steps = fixture.store.history.steps(id).await.unwrap();
    assert_eq!(steps.len(), 1);
    let step = &steps[0];
    assert_eq!((step.started_at, step.completed_at), (Some(at(3)), Some(at(2))));
    assert_eq!((step.error_message.as_deref(), step.error_code.as_deref()), (None, None));
}

/// Proves R016.
pub async fn a_reprocess_leaves_earlier_runs_and_artifacts_alone(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    write.artifacts.push(raw_text());
    fixture.store.queue.advance(write).await.unwrap();
    complete(fixture, first).await;
    let before = (
        fixture.store.history.run(first).await.unwrap(),
        fixture.store.history.artifacts(first).await.unwrap(),
        fixture.store.history.step_records(first).await.unwrap(),
    );
    let second = fixture.enqueue(subject, at(7)).await;
    assert_ne!(first, second);
    fixture.claim_one(worker, at(8)).await;
    end(fixture, second, Change::TimeOut, at(9)).await;
    let after = (
        fixture.store.history.run(first).await.unwrap(),
        fixture.store.history.artifacts(first).await.unwrap(),
        fixture.store.history.step_records(first).await.unwrap(),
    );
    assert_eq!(before, after);
    let filter = RunFilter { subject: Some(subject), limit: 10, ..RunFilter::default() };
    let listed: Vec<_> =
        fixture.store.history.runs(&filter).await.unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(listed, [second, first]);
}

/// Proves R171, R165.
pub async fn the_job_view_shows_the_same_runs_in_its_own_words(fixture: &StoreFixture) {
    let worker = fixture.worker(at(0)).await;
    let subjects: Vec<_> = (0..4).map(|_| SubjectId::new()).collect();
    for subject in &subjects {
        fixture.enqueue(*subject, at(0)).await;
    }
    let link = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&link, at(0)).await.unwrap();
    let claimed = fixture.claim(worker, at(1), 3).await;
    end(fixture, claimed[0].run.id, Change::Complete, at(2)).await;
    end(fixture, claimed[1].run.id, Change::TimeOut, at(2)).await;
    let expected = [
        (&claimed[0], "COMPLETED", Some(at(2))),
        (&claimed[1], "FAILED", Some(at(2))),
        (&claimed[2], "PROCESSING", None),
    ];
    for (claimed, status, completed_at) in expected {
        let job = fixture.store.history.jobs(claimed.run.subject).await.unwrap().remove(0);
        assert_eq!((job.status.as_str(), job.completed_at), (status, completed_at));
        assert_eq!(job.started_at, Some(at(1)));
    }
    let waiting = subjects.iter().find(|id| !claimed.iter().any(|c| c.run.subject == **id)).unwrap();
    let pending = fixture.store.history.jobs(*waiting).await.unwrap().remove(0);
    assert_eq!((pending.status.as_str(), pending.started_at), ("PENDING", None));
    assert_eq!(pending.error_log, "[]");
    assert_eq!(fixture.store.history.jobs(link.subject).await.unwrap(), []);
}

/// Proves R161.
pub async fn the_monitoring_questions_have_answers(fixture: &StoreFixture) {
    for (priority, second) in [(Priority::Normal, 1), (Priority::High, 2), (Priority::Normal, 3)] {
        let new = new_run(Pipeline::Document, SubjectId::new(), priority);
        fixture.store.queue.enqueue(&new, at(second)).await.unwrap();
    }
    let link = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&link, at(4)).await.unwrap();
    let depth = fixture.store.history.queue_depth().await.unwrap();
    let told: Vec<_> = depth.iter().map(|d| (d.pipeline, d.priority, d.queued, d.oldest_queued_at)).collect();
    assert_eq!(
        told,
        [
            (Pipeline::Document, Priority::High, 1, Some(at(2))),
            (Pipeline::Document, Priority::Normal, 2, Some(at(1))),
            (Pipeline::Link, Priority::Normal, 1, Some(at(4))),
        ]
    );
    let worker = fixture.worker(at(5)).await;
    for (step, times) in [(StepName::Interpretation, 1), (StepName::Extraction, 2)] {
        for _ in 0..times {
            let plan = [crate::fixture::document_plan()];
            let claim = quire_ports::ClaimRequest { worker, at: at(6), limit: 1, plans: &plan };
            let run = fixture.store.queue.claim(claim).await.unwrap().remove(0).run;
            let mut write = step_write(&run, &[EventType::StepFailed], step, at(7));
            let failure = Failure::permanent("X", "x");
            write.events[0].failure = Some(failure.record(Some(step), None));
            write.end = quire_domain::run::apply(
                &run,
                Change::Fail { step, failure, requeue: RequeuePolicy::Never },
                at(7),
            )
            .ok();
            assert_eq!(fixture.store.queue.advance(write).await.unwrap(), AdvanceOutcome::Accepted);
        }
    }
    let failures = fixture.store.history.failures().await.unwrap();
    let failed = |step, count| StepFailures { step, error_code: Some("X".to_owned()), count };
    assert_eq!(failures, [failed(StepName::Extraction, 2), failed(StepName::Interpretation, 1)]);
}

/// Proves R161 for the mean duration, which is read from here.
pub async fn figures_add_up_by_the_minute(fixture: &StoreFixture) {
    let minute =
        |n: i64| at(0) - SignedDuration::from_secs(at(0).as_second() % 60) + SignedDuration::from_mins(n);
    let mut figures = MinuteMetrics::empty(minute(0), Pipeline::Document);
    (figures.completed, figures.duration_ms, figures.queued) = (2, 300, 7);
    fixture.store.metrics.add(std::slice::from_ref(&figures)).await.unwrap();
    let next = MinuteMetrics::empty(minute(1), Pipeline::Link);
    (figures.completed, figures.duration_ms, figures.queued) = (1, 100, 5);
    fixture.store.metrics.add(&[figures.clone(), next.clone()]).await.unwrap();
    let (from, to) = (minute(0), minute(2));
    let read = fixture.store.metrics.between(from, to).await.unwrap();
    (figures.completed, figures.duration_ms, figures.queued) = (3, 400, 5);
    assert_eq!(read, [figures, next]);
    assert_eq!(fixture.store.metrics.between(minute(1), to).await.unwrap().len(), 1);
}

/// A reader that goes on from its last id sees every event exactly once.
pub async fn events_can_be_paged_without_gaps(fixture: &StoreFixture) {
    let mut runs = Vec::new();
    for second in 0..10 {
        runs.push(fixture.enqueue(SubjectId::new(), at(second)).await);
    }
    let mut seen = Vec::new();
    let mut after = EventId(0);
    loop {
        let page = fixture.store.history.events(after, EventFilter::default(), 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.id;
        seen.extend(page.iter().filter_map(|recorded| recorded.event.run));
    }
    assert_eq!(seen, runs);
    let filter = EventFilter { run: Some(runs[3]), subject: None };
    assert_eq!(fixture.store.history.events(EventId(0), filter, 10).await.unwrap().len(), 1);
    let bare = Event::new(EventType::SchedulerContention, at(20));
    let seen = Event { actor: Some("alma".to_owned()), ..Event::new(EventType::DocumentListViewed, at(21)) };
    fixture.store.queue.record(&[bare.clone(), seen.clone()]).await.unwrap();
    fixture.store.queue.record(&[]).await.unwrap();
    let last = fixture.store.history.events(after, EventFilter::default(), 3).await.unwrap();
    assert_eq!(last.into_iter().map(|last| last.event).collect::<Vec<_>>(), [bare, seen]);
}

/// The newest event is the last one that paging leads to, also after a purge has taken others.
pub async fn the_newest_event_is_known(fixture: &StoreFixture) {
    assert_eq!(fixture.store.history.newest_event().await.unwrap(), EventId(0));
    let subject = SubjectId::new();
    let run = fixture.enqueue(subject, at(0)).await;
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    complete(fixture, run).await;
    let newest = fixture.store.history.newest_event().await.unwrap();
    let events = fixture.store.history.events(EventId(0), EventFilter::default(), 100).await.unwrap();
    assert_eq!(events.last().unwrap().id, newest);
    fixture.store.documents.purge(subject, at(7)).await.unwrap();
    assert!(
        fixture.store.history.newest_event().await.unwrap() > newest,
        "nobody's place is ahead of the history"
    );
}

/// Proves R044 in the database: nobody edits the past.
pub async fn the_history_cannot_be_rewritten(fixture: &StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    write.artifacts.push(raw_text());
    fixture.store.queue.advance(write).await.unwrap();
    for statement in [
        "UPDATE events SET event_type = 'RUN_FAILED'",
        "DELETE FROM events",
        "UPDATE artifacts SET payload = 'x'",
        "DELETE FROM artifacts",
    ] {
        let done = fixture.sql.execute(statement).await;
        assert!(done.as_ref().is_err_and(|said| said.contains("append-only")), "{statement}: {done:?}");
    }
}

/// Proves R141 and the purge that the cascade serves.
pub async fn purging_a_subject_takes_everything_with_it_but_the_trace(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let kept = fixture.enqueue(SubjectId::new(), at(0)).await;
    let gone = fixture.enqueue(subject, at(1)).await;
    let worker = fixture.worker(at(1)).await;
    let claimed = fixture.claim(worker, at(2), 2).await;
    for one in &claimed {
        let mut write = step_write(&one.run, &[EventType::StepSucceeded], StepName::Extraction, at(3));
        write.artifacts.push(raw_text());
        fixture.store.queue.advance(write).await.unwrap();
    }
    assert!(matches!(fixture.store.documents.purge(subject, at(4)).await, Err(PortError::Conflict(_))));
    complete(fixture, gone).await;
    assert_eq!(fixture.store.documents.purge(subject, at(7)).await.unwrap(), 1);
    let id = fixture.sql.id(gone.0);
    for table in ["step_progress", "artifacts", "events"] {
        let left = fixture.sql.number(&format!("SELECT count(*) FROM {table} WHERE run_id = {id}")).await;
        assert_eq!(left, 0, "{table}");
    }
    assert!(matches!(fixture.store.history.run(gone).await, Err(PortError::NotFound(_))));
    assert!(!fixture.store.history.artifacts(kept).await.unwrap().is_empty());
    let events = fixture.store.history.events(EventId(0), EventFilter::default(), 100).await.unwrap();
    let last = &events.last().unwrap().event;
    assert_eq!((last.event_type, last.subject), (EventType::SubjectPurged, Some(subject)));
    assert!(matches!(fixture.store.documents.purge(subject, at(8)).await, Err(PortError::NotFound(_))));
}

/// One transaction for the document, its run and what is told of both.
pub async fn a_document_and_its_first_run_are_added_together_or_not_at_all(fixture: &StoreFixture) {
    let id = DocumentId::new();
    let document = Document { language_override: Some("es".to_owned()), ..document(id) };
    let run = document_run(id.into());
    fixture.store.documents.add(NewDocument::by("tester", &document, Some(&run)), at(0)).await.unwrap();
    assert_eq!(fixture.store.documents.find(id).await.unwrap(), document);
    assert_eq!(fixture.state(run.id).await, "QUEUED");
    let other = document_run(id.into());
    assert!(matches!(
        fixture.store.documents.add(NewDocument::by("tester", &document, Some(&other)), at(1)).await,
        Err(PortError::Conflict(_))
    ));
    assert!(matches!(fixture.store.history.run(other.id).await, Err(PortError::NotFound(_))));
    let events = fixture.store.history.events(EventId(0), EventFilter::default(), 10).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|recorded| recorded.event.event_type).collect();
    assert_eq!(kinds, [EventType::DocumentUploaded, EventType::RunCreated]);
}

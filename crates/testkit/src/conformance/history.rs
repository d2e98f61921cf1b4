//! The history: events, step records, artifacts, metrics and the job view.

use jiff::SignedDuration;
use quire_domain::{
    Document, DocumentId, Event, EventId, EventType, Failure, Pipeline, Priority, RequeuePolicy, RunChange,
    StepName, StepStatus, SubjectId,
};
use quire_ports::{
    EventFilter, MinuteMetrics, NewDocument, PortError, RunFilter, StepFailures, SubjectPresence,
};

use super::writes::{raw_text, step_write};
use crate::fixture::{StoreFixture, at, document, document_run, new_run};

/// Proves R043, R044.
pub async fn step_records_are_appended_and_step_progress_is_updated(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let failure = Failure::transient("UNREADABLE", "try again").record(Some(StepName::Extraction), None);
    let mut failed =
        step_write(&run, &[EventType::StepFailed, EventType::StepRetried], StepName::Extraction, at(2));
    for event in &mut failed.events {
        event.failure = Some(failure.clone());
    }
    fixture.write(failed).await;
    let mut second = step_write(&run, &[EventType::StepStarted], StepName::Extraction, at(3));
    second.events[0].attempt = Some(2);
    fixture.write(second).await;
    let mut done = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(4));
    done.events[0].attempt = Some(2);
    done.events[0].started_at = Some(at(3));
    fixture.write(done).await;

    let records = fixture.store.run_reader.step_records(id).await.unwrap();
    let listed: Vec<_> =
        records.iter().map(|r| (r.step.as_str(), r.status, r.attempt, r.started_at, r.ended_at)).collect();
    assert_eq!(
        listed,
        [
            ("EXTRACTION", StepStatus::Running, 1, Some(at(1)), None),
            ("EXTRACTION", StepStatus::Failed, 1, Some(at(1)), Some(at(2))),
            ("EXTRACTION", StepStatus::Running, 2, Some(at(3)), None),
            ("EXTRACTION", StepStatus::Succeeded, 2, Some(at(3)), Some(at(4))),
        ]
    );
    assert_eq!(records[1].error_code.as_deref(), Some("UNREADABLE"));
    assert_eq!(records[1].details, Some(failure));
    let steps = fixture.steps(id).await;
    assert_eq!(steps.len(), 1, "a step has one row of progress");
    assert_eq!((steps[0].status, steps[0].attempt), (StepStatus::Succeeded, 2));
}

/// Proves R139, R140.
pub async fn step_progress_keeps_timestamps_and_clears_errors(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut failed = step_write(&run, &[EventType::StepFailed], StepName::Extraction, at(2));
    // Without a start time in the event, the stored one stays.
    failed.events[0].started_at = None;
    failed.events[0].failure =
        Some(Failure::transient("UNREADABLE", "try again").record(Some(StepName::Extraction), None));
    fixture.write(failed).await;
    let step = fixture.steps(id).await.remove(0);
    assert_eq!((step.started_at, step.completed_at), (Some(at(1)), Some(at(2))));
    assert_eq!(step.error_message.as_deref(), Some("try again"));

    let restarted = step_write(&run, &[EventType::StepStarted], StepName::Extraction, at(3));
    fixture.write(restarted).await;
    let steps = fixture.steps(id).await;
    assert_eq!(steps.len(), 1);
    let step = &steps[0];
    assert_eq!((step.started_at, step.completed_at), (Some(at(3)), Some(at(2))));
    assert_eq!((step.error_message.as_deref(), step.error_code.as_deref()), (None, None));
}

/// Proves R016.
pub async fn reprocessing_leaves_earlier_runs_and_artifacts_unchanged(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    write.artifacts.push(raw_text());
    fixture.write(write).await;
    fixture.complete_run(first).await;
    let before = (
        fixture.run(first).await,
        fixture.store.run_reader.artifacts(first).await.unwrap(),
        fixture.store.run_reader.step_records(first).await.unwrap(),
    );
    let second = fixture.enqueue(subject, at(7)).await;
    assert_ne!(first, second);
    fixture.claim_one(worker, at(8)).await;
    fixture.change_run(second, RunChange::TimeOut { continued_by: None }, at(9)).await;
    let after = (
        fixture.run(first).await,
        fixture.store.run_reader.artifacts(first).await.unwrap(),
        fixture.store.run_reader.step_records(first).await.unwrap(),
    );
    assert_eq!(before, after);
    let filter = RunFilter { subject: Some(subject), limit: 10, ..RunFilter::default() };
    let listed: Vec<_> =
        fixture.store.run_reader.runs(&filter).await.unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(listed, [second, first]);
}

/// Proves R171, R165.
pub async fn the_job_view_shows_each_document_run_with_a_job_status(fixture: &StoreFixture) {
    let worker = fixture.worker(at(0)).await;
    let subjects: Vec<_> = (0..4).map(|_| SubjectId::new()).collect();
    for subject in &subjects {
        fixture.enqueue(*subject, at(0)).await;
    }
    let link = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&link, at(0)).await.unwrap();
    let claimed = fixture.claim(worker, at(1), 3).await;
    fixture.change_run(claimed[0].run.id, RunChange::Complete, at(2)).await;
    fixture.change_run(claimed[1].run.id, RunChange::TimeOut { continued_by: None }, at(2)).await;
    let expected = [
        (&claimed[0], "COMPLETED", Some(at(2))),
        (&claimed[1], "FAILED", Some(at(2))),
        (&claimed[2], "PROCESSING", None),
    ];
    for (claimed, status, completed_at) in expected {
        let job = fixture.store.run_reader.jobs(claimed.run.subject).await.unwrap().remove(0);
        assert_eq!((job.status.as_str(), job.completed_at), (status, completed_at));
        assert_eq!(job.started_at, Some(at(1)));
    }
    let waiting = subjects.iter().find(|id| !claimed.iter().any(|c| c.run.subject == **id)).unwrap();
    let pending = fixture.store.run_reader.jobs(*waiting).await.unwrap().remove(0);
    assert_eq!((pending.status.as_str(), pending.started_at), ("PENDING", None));
    assert_eq!(pending.error_log, "[]");
    assert_eq!(fixture.store.run_reader.jobs(link.subject).await.unwrap(), []);
}

/// Proves R161.
pub async fn queue_depth_and_step_failures_are_reported(fixture: &StoreFixture) {
    for (priority, second) in [(Priority::Normal, 1), (Priority::High, 2), (Priority::Normal, 3)] {
        let new = new_run(Pipeline::Document, SubjectId::new(), priority);
        fixture.store.queue.enqueue(&new, at(second)).await.unwrap();
    }
    let link = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&link, at(4)).await.unwrap();
    let depth = fixture.store.run_reader.queue_depth().await.unwrap();
    let listed: Vec<_> =
        depth.iter().map(|d| (d.pipeline, d.priority, d.queued, d.oldest_queued_at)).collect();
    assert_eq!(
        listed,
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
            let claim = quire_ports::ClaimRequest {
                worker,
                at: at(6),
                limit: 1,
                is_idle: true,
                plans: &plan,
                lanes: None,
            };
            let run = fixture.store.queue.claim(claim).await.unwrap().remove(0).run;
            let mut write = step_write(&run, &[EventType::StepFailed], step, at(7));
            let failure = Failure::permanent("X", "x");
            write.events[0].failure = Some(failure.record(Some(step), None));
            write.transition = quire_domain::run::apply(
                &run,
                RunChange::Fail { step, failure, requeue: RequeuePolicy::Never },
                at(7),
            )
            .ok();
            fixture.write(write).await;
        }
    }
    let failures = fixture.store.run_reader.failures().await.unwrap();
    let failed = |step, count| StepFailures { step, error_code: Some("X".to_owned()), count };
    assert_eq!(failures, [failed(StepName::Extraction, 2), failed(StepName::Interpretation, 1)]);
}

/// Proves R161 for the mean duration, which is computed from these metrics.
pub async fn metrics_are_summed_by_minute(fixture: &StoreFixture) {
    let minute =
        |n: i64| at(0) - SignedDuration::from_secs(at(0).as_second() % 60) + SignedDuration::from_mins(n);
    let mut metrics = MinuteMetrics::empty(minute(0), Pipeline::Document);
    (metrics.completed, metrics.duration_ms, metrics.queued) = (2, 300, 7);
    fixture.store.metrics.add(std::slice::from_ref(&metrics)).await.unwrap();
    let next = MinuteMetrics::empty(minute(1), Pipeline::Link);
    (metrics.completed, metrics.duration_ms, metrics.queued) = (1, 100, 5);
    fixture.store.metrics.add(&[metrics.clone(), next.clone()]).await.unwrap();
    let (from, to) = (minute(0), minute(2));
    let read = fixture.store.metrics.between(from, to).await.unwrap();
    (metrics.completed, metrics.duration_ms, metrics.queued) = (3, 400, 5);
    assert_eq!(read, [metrics, next]);
    assert_eq!(fixture.store.metrics.between(minute(1), to).await.unwrap().len(), 1);
}

/// A reader that continues from its last id sees every event exactly once.
pub async fn events_can_be_paged_without_gaps(fixture: &StoreFixture) {
    let mut runs = Vec::new();
    for second in 0..10 {
        runs.push(fixture.enqueue(SubjectId::new(), at(second)).await);
    }
    let mut seen = Vec::new();
    let mut after = EventId(0);
    loop {
        let page = fixture.store.run_reader.events(after, EventFilter::default(), 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.id;
        seen.extend(page.iter().filter_map(|recorded| recorded.event.run));
    }
    assert_eq!(seen, runs);
    let filter = EventFilter { run: Some(runs[3]), subject: None };
    assert_eq!(fixture.events_of(filter).await.len(), 1);
    let bare = Event::new(EventType::SchedulerContention, at(20));
    let viewed =
        Event { actor: Some("alma".to_owned()), ..Event::new(EventType::DocumentListViewed, at(21)) };
    fixture.store.queue.record(&[bare.clone(), viewed.clone()]).await.unwrap();
    fixture.store.queue.record(&[]).await.unwrap();
    let last = fixture.store.run_reader.events(after, EventFilter::default(), 3).await.unwrap();
    assert_eq!(last.into_iter().map(|last| last.event).collect::<Vec<_>>(), [bare, viewed]);
}

/// During an upgrade, a newer program may append events of types that this one does not know.
pub async fn events_of_an_unknown_type_are_left_out_of_every_page(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let run = fixture.enqueue(subject, at(0)).await;
    for _ in 0..3 {
        let newer = "INSERT INTO events (at, event_type, pipeline, subject_id, run_id) \
                     SELECT at, 'MADE_BY_A_NEWER_PROGRAM', pipeline, subject_id, run_id FROM events WHERE id = 1";
        assert_eq!(fixture.sql.execute(newer).await, Ok(1));
    }
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    let everything = fixture.sql.number("SELECT count(*) FROM events").await;
    let known = fixture.events().await;
    assert_eq!(i64::try_from(known.len()).unwrap() + 3, everything);
    let of_run = EventFilter { run: Some(run), ..EventFilter::default() };
    for filter in [EventFilter::default(), of_run] {
        let mut paged: Vec<EventId> = Vec::new();
        // A page of one: events that are left out must not end the list.
        while let [next] = &fixture
            .store
            .run_reader
            .events(paged.last().copied().unwrap_or(EventId(0)), filter, 1)
            .await
            .unwrap()[..]
        {
            paged.push(next.id);
        }
        let expected = known.iter().filter(|known| filter.run.is_none() || known.event.run == filter.run);
        assert_eq!(paged, expected.map(|known| known.id).collect::<Vec<_>>());
        assert!(paged.len() > 1, "events follow those that are left out");
    }
}

/// The newest event is the last one of the history, also after a purge has deleted events.
pub async fn the_newest_event_id_is_returned(fixture: &StoreFixture) {
    assert_eq!(fixture.store.run_reader.newest_event().await.unwrap(), EventId(0));
    let subject = SubjectId::new();
    let run = fixture.enqueue(subject, at(0)).await;
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    fixture.complete_run(run).await;
    let newest = fixture.store.run_reader.newest_event().await.unwrap();
    let events = fixture.events().await;
    assert_eq!(events.last().unwrap().id, newest);
    fixture.store.documents.purge(subject, at(7)).await.unwrap();
    assert!(
        fixture.store.run_reader.newest_event().await.unwrap() > newest,
        "no reader is ahead of the history"
    );
}

/// Proves R044 in the database.
pub async fn events_and_artifacts_cannot_be_changed(fixture: &StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    write.artifacts.push(raw_text());
    fixture.write(write).await;
    fixture
        .assert_refused(
            &[
                "UPDATE events SET event_type = 'RUN_FAILED'",
                "DELETE FROM events",
                "UPDATE artifacts SET payload = 'x'",
                "DELETE FROM artifacts",
            ],
            "append-only",
        )
        .await;
}

/// Proves R141, and that a purge deletes by cascade.
pub async fn purging_a_subject_deletes_its_rows_and_keeps_the_purge_event(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let kept = fixture.enqueue(SubjectId::new(), at(0)).await;
    let purged = fixture.enqueue(subject, at(1)).await;
    let worker = fixture.worker(at(1)).await;
    let claimed = fixture.claim(worker, at(2), 2).await;
    for one in &claimed {
        let mut write = step_write(&one.run, &[EventType::StepSucceeded], StepName::Extraction, at(3));
        write.artifacts.push(raw_text());
        fixture.write(write).await;
    }
    assert!(matches!(fixture.store.documents.purge(subject, at(4)).await, Err(PortError::Conflict(_))));
    fixture.complete_run(purged).await;
    assert_eq!(fixture.store.documents.purge(subject, at(7)).await.unwrap(), 1);
    let id = fixture.sql.id(purged.0);
    for table in ["step_progress", "artifacts", "events"] {
        let left = fixture.sql.number(&format!("SELECT count(*) FROM {table} WHERE run_id = {id}")).await;
        assert_eq!(left, 0, "{table}");
    }
    assert!(matches!(fixture.store.run_reader.run(purged).await, Err(PortError::NotFound(_))));
    assert!(!fixture.store.run_reader.artifacts(kept).await.unwrap().is_empty());
    let events = fixture.events().await;
    let last = &events.last().unwrap().event;
    assert_eq!((last.event_type, last.subject), (EventType::SubjectPurged, Some(subject)));
    assert!(matches!(fixture.store.documents.purge(subject, at(8)).await, Err(PortError::NotFound(_))));
}

/// The document, its run and their events are stored in one transaction.
pub async fn a_document_and_its_first_run_are_added_together_or_not_at_all(fixture: &StoreFixture) {
    let id = DocumentId::new();
    let document = Document { language_override: Some("es".to_owned()), ..document(id) };
    let run = document_run(id.into());
    fixture.add_document(&document, Some(&run), at(0)).await;
    assert_eq!(fixture.store.documents.find(id).await.unwrap(), document);
    assert_eq!(fixture.state(run.id).await, "QUEUED");
    let other = document_run(id.into());
    assert!(matches!(
        fixture.store.documents.add(NewDocument::uploaded_by("tester", &document, Some(&other)), at(1)).await,
        Err(PortError::Conflict(_))
    ));
    assert!(matches!(fixture.store.run_reader.run(other.id).await, Err(PortError::NotFound(_))));
    let events = fixture.events().await;
    let kinds: Vec<_> = events.iter().map(|recorded| recorded.event.event_type).collect();
    assert_eq!(kinds, [EventType::DocumentUploaded, EventType::RunCreated]);
}

/// A transaction that comes after the purge stores nothing: neither the document again nor a run of it.
pub async fn a_purged_subject_stays_purged(fixture: &StoreFixture) {
    let (purged, kept) = (document(DocumentId::new()), document(DocumentId::new()));
    for one in [&purged, &kept] {
        fixture.add_document(one, Some(&document_run(one.id.into())), at(0)).await;
    }
    let subjects = [purged.id.into(), kept.id.into(), SubjectId::new()];
    fixture.store.documents.purge(purged.id.into(), at(1)).await.unwrap();
    assert_eq!(
        fixture.store.documents.presence(&subjects).await.unwrap(),
        [SubjectPresence::Purged, SubjectPresence::Stored, SubjectPresence::Unknown]
    );
    let again = NewDocument::uploaded_by("tester", &purged, Some(&document_run(purged.id.into())));
    let refused = fixture.store.documents.add(again, at(2)).await;
    assert!(matches!(refused, Err(PortError::Conflict(_))), "{refused:?}");
    let refused = fixture.store.queue.enqueue(&document_run(purged.id.into()), at(2)).await;
    assert!(matches!(refused, Err(PortError::Conflict(_))), "{refused:?}");
    assert_eq!((fixture.count("documents").await, fixture.count("runs").await), (1, 1));
    assert_eq!(fixture.store.documents.presence(&subjects[..1]).await.unwrap(), [SubjectPresence::Purged]);
}

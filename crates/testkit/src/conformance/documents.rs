//! Reading documents: the list, one document, and its processing history.

use quire_domain::{
    Document, DocumentId, EventType, Pipeline, Priority, RunChange, RunId, StepName, SubjectId,
};
use quire_ports::{
    DocumentCursor, DocumentFilter, DocumentListQuery, DocumentOverview, EventFilter, PortError,
};

use super::writes::{raw_text, step_write};
use crate::fixture::{StoreFixture, at, document, document_run, new_run};

async fn add_at(fixture: &StoreFixture, second: i64) -> Document {
    let document = Document { created_at: at(second), ..document(DocumentId::new()) };
    fixture.add_document(&document, None, at(second)).await;
    document
}

async fn listed(
    fixture: &StoreFixture,
    after: Option<DocumentCursor>,
    skip: u32,
    limit: u32,
) -> Vec<DocumentOverview> {
    fixture
        .store
        .documents
        .list(DocumentListQuery { filter: DocumentFilter::All, after, skip, limit })
        .await
        .unwrap()
}

fn cursor(overview: &DocumentOverview) -> DocumentCursor {
    DocumentCursor { created_at: overview.document.created_at, id: overview.document.id }
}

/// Proves R063: by time, then by id. Paging by cursor and by offset gives the same list.
pub async fn documents_are_listed_newest_first_by_cursor_and_by_offset(fixture: &StoreFixture) {
    let mut documents = Vec::new();
    for second in [3, 1, 2, 2, 2, 0, 4] {
        documents.push(add_at(fixture, second).await);
    }
    documents.sort_by_key(|document| std::cmp::Reverse((document.created_at, document.id)));
    let all: Vec<Document> =
        listed(fixture, None, 0, 100).await.into_iter().map(|one| one.document).collect();
    assert_eq!(all, documents);

    let (mut by_cursor, mut by_offset, mut after) = (Vec::new(), Vec::new(), None);
    loop {
        let part = listed(fixture, after, 0, 2).await;
        let skip = u32::try_from(by_offset.len()).unwrap();
        by_offset.extend(listed(fixture, None, skip, 2).await.into_iter().map(|one| one.document));
        let Some(last) = part.last() else { break };
        after = Some(cursor(last));
        by_cursor.extend(part.into_iter().map(|one| one.document));
    }
    assert_eq!(by_cursor, documents);
    assert_eq!(by_offset, documents);
}

/// A count stops early, so that it is never slow.
pub async fn counting_documents_stops_at_the_limit(fixture: &StoreFixture) {
    assert_eq!(fixture.store.documents.count(DocumentFilter::All, 10).await.unwrap(), 0);
    for second in 0..3 {
        add_at(fixture, second).await;
    }
    assert_eq!(fixture.store.documents.count(DocumentFilter::All, 10).await.unwrap(), 3);
    assert_eq!(fixture.store.documents.count(DocumentFilter::All, 2).await.unwrap(), 2);
}

/// Proves R029, R064 and R065: the newest run of the document pipeline, even if an older one completed.
pub async fn a_document_overview_has_the_latest_run_and_its_text(fixture: &StoreFixture) {
    let document = add_at(fixture, 0).await;
    let subject = SubjectId::from(document.id);
    let overview = async || {
        let one = fixture.store.documents.overview(document.id).await.unwrap();
        assert_eq!(
            listed(fixture, None, 0, 10).await,
            std::slice::from_ref(&one),
            "the list shows the same overview"
        );
        one
    };
    let bare = overview().await;
    assert_eq!((&bare.document, bare.updated_at, bare.latest_run), (&document, at(0), None));
    assert_eq!((bare.reviewed_at, bare.reviewed_by, bare.text), (None, None, None));

    let first = fixture.enqueue(subject, at(1)).await;
    let worker = fixture.worker(at(1)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    let text = raw_text();
    write.artifacts.push(text.clone());
    fixture.write(write).await;
    fixture.complete_run(first).await;
    let after_first = overview().await;
    assert_eq!(after_first.latest_run, Some(fixture.run(first).await));
    assert_eq!(after_first.text, Some(text.payload));

    // Of two runs created at the same time, the one with the greater id is the latest. Runs of other pipelines do not
    // count.
    let mut second = [document_run(subject), document_run(subject)];
    second.sort_by_key(|run| run.id);
    for run in &second {
        fixture.store.queue.enqueue(run, at(7)).await.unwrap();
    }
    let link = new_run(Pipeline::Link, subject, Priority::Normal);
    fixture.store.queue.enqueue(&link, at(8)).await.unwrap();
    let after_second = overview().await;
    assert_eq!(after_second.latest_run.map(|run| run.id), Some(second[1].id));
    assert_eq!(after_second.text, None, "this run has no text yet");

    let missing = fixture.store.documents.overview(DocumentId::new()).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
}

/// Proves R026, R035, R038 and R067 in the store: the request and the run are recorded together, and nothing else changes.
pub async fn a_reprocess_request_is_recorded_with_its_run(fixture: &StoreFixture) {
    let document = add_at(fixture, 0).await;
    let reviewed =
        "UPDATE documents SET review_status = 'REVIEWED', reviewed_at = updated_at, reviewed_version = 1";
    fixture.sql.execute(reviewed).await.unwrap();
    let before = fixture.store.documents.overview(document.id).await.unwrap();
    let mut requested = Vec::new();
    for second in [1, 2] {
        let new = document_run(document.id.into());
        let run = fixture.request_run(&new, "local", at(second)).await.unwrap();
        assert_eq!((run.id, run.state.as_str(), run.created_at), (new.id, "QUEUED", at(second)));
        requested.push(new);
    }
    let after = fixture.store.documents.overview(document.id).await.unwrap();
    assert_eq!(DocumentOverview { latest_run: None, ..after }, before);
    let filter = EventFilter { run: None, subject: Some(document.id.into()) };
    let events: Vec<(EventType, Option<RunId>)> = fixture
        .events_of(filter)
        .await
        .into_iter()
        .map(|recorded| (recorded.event.event_type, recorded.event.run))
        .collect();
    let mut expected = vec![(EventType::DocumentUploaded, None)];
    for run in &requested {
        expected.push((EventType::ReprocessRequested, Some(run.id)));
        expected.push((EventType::RunCreated, Some(run.id)));
    }
    assert_eq!(events, expected);

    let missing = fixture.request_run(&document_run(SubjectId::new()), "local", at(3)).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    assert_eq!(fixture.count("runs").await, 2);
    assert_eq!(fixture.count("events").await, 5, "a refused request records nothing");
}

/// Proves R047 and R069: runs oldest first, each with its own step records in order.
pub async fn the_processing_history_has_the_newest_runs_with_their_steps(fixture: &StoreFixture) {
    let document = add_at(fixture, 0).await;
    let subject = SubjectId::from(document.id);
    let other = add_at(fixture, 0).await;
    let worker = fixture.worker(at(0)).await;
    let mut runs = Vec::new();
    for second in [1, 3] {
        let run = fixture.enqueue(subject, at(second)).await;
        let claimed = fixture.claim_one(worker, at(second)).await.run;
        let write = step_write(&claimed, &[EventType::StepSucceeded], StepName::Extraction, at(second + 1));
        fixture.write(write).await;
        fixture.change_run(run, RunChange::TimeOut { continued_by: None }, at(second + 1)).await;
        runs.push(run);
    }
    runs.push(fixture.enqueue(subject, at(6)).await);
    fixture.enqueue(other.id.into(), at(7)).await;

    let history = fixture.store.run_reader.processing(subject, 10).await.unwrap();
    assert_eq!(history.iter().map(|(run, _)| run.id).collect::<Vec<_>>(), runs);
    for (run, records) in &history {
        assert_eq!(*run, fixture.run(run.id).await);
        assert_eq!(*records, fixture.store.run_reader.step_records(run.id).await.unwrap());
    }
    assert_eq!(history.iter().map(|(_, records)| records.len()).collect::<Vec<_>>(), [2, 2, 0]);
    let newest = fixture.store.run_reader.processing(subject, 2).await.unwrap();
    assert_eq!(newest, history[1..]);
    assert_eq!(fixture.store.run_reader.processing(SubjectId::new(), 10).await.unwrap(), []);
}

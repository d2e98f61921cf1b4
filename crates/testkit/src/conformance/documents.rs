//! What can be asked about documents: the list, one of them, and what was done with it.

use quire_domain::{
    Change, Document, DocumentId, EventId, EventType, Pipeline, Priority, RunId, StepName, SubjectId,
};
use quire_ports::{
    DocumentCursor, DocumentFilter, DocumentListQuery, DocumentOverview, EventFilter, NewDocument, PortError,
};

use super::claiming::complete;
use super::fencing::{end, raw_text, step_write};
use crate::fixture::{StoreFixture, at, document, document_run, new_run};

async fn add(fixture: &StoreFixture, second: i64) -> Document {
    let document = Document { created_at: at(second), ..document(DocumentId::new()) };
    fixture.store.documents.add(NewDocument::by("tester", &document, None), at(second)).await.unwrap();
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
        .list(DocumentListQuery { of: DocumentFilter::All, after, skip, limit })
        .await
        .unwrap()
}

fn place(overview: &DocumentOverview) -> DocumentCursor {
    DocumentCursor { created_at: overview.document.created_at, id: overview.document.id }
}

/// Proves R063: by time, then by id, and the same by places as by numbers.
pub async fn documents_are_listed_newest_first_and_each_place_leads_on(fixture: &StoreFixture) {
    let mut documents = Vec::new();
    for second in [3, 1, 2, 2, 2, 0, 4] {
        documents.push(add(fixture, second).await);
    }
    documents.sort_by_key(|document| std::cmp::Reverse((document.created_at, document.id)));
    let all: Vec<Document> =
        listed(fixture, None, 0, 100).await.into_iter().map(|seen| seen.document).collect();
    assert_eq!(all, documents);

    let (mut by_place, mut by_number, mut after) = (Vec::new(), Vec::new(), None);
    loop {
        let part = listed(fixture, after, 0, 2).await;
        let skip = u32::try_from(by_number.len()).unwrap();
        by_number.extend(listed(fixture, None, skip, 2).await.into_iter().map(|seen| seen.document));
        let Some(last) = part.last() else { break };
        after = Some(place(last));
        by_place.extend(part.into_iter().map(|seen| seen.document));
    }
    assert_eq!(by_place, documents);
    assert_eq!(by_number, documents);
}

/// A count that nobody waits for.
pub async fn counting_documents_ends_where_it_is_told(fixture: &StoreFixture) {
    assert_eq!(fixture.store.documents.count(DocumentFilter::All, 10).await.unwrap(), 0);
    for second in 0..3 {
        add(fixture, second).await;
    }
    assert_eq!(fixture.store.documents.count(DocumentFilter::All, 10).await.unwrap(), 3);
    assert_eq!(fixture.store.documents.count(DocumentFilter::All, 2).await.unwrap(), 2);
}

/// Proves R029, R064 and R065: the newest run of the document pipeline, even when an older one completed.
pub async fn a_document_is_shown_with_its_latest_run_and_that_runs_text(fixture: &StoreFixture) {
    let document = add(fixture, 0).await;
    let subject = SubjectId::from(document.id);
    let seen = async || {
        let one = fixture.store.documents.overview(document.id).await.unwrap();
        assert_eq!(listed(fixture, None, 0, 10).await, std::slice::from_ref(&one), "the list shows the same");
        one
    };
    let bare = seen().await;
    assert_eq!((&bare.document, bare.updated_at, bare.latest_run), (&document, at(0), None));
    assert_eq!((bare.reviewed_at, bare.reviewed_by, bare.text), (None, None, None));

    let first = fixture.enqueue(subject, at(1)).await;
    let worker = fixture.worker(at(1)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    let text = raw_text();
    write.artifacts.push(text.clone());
    fixture.store.queue.advance(write).await.unwrap();
    complete(fixture, first).await;
    let after_first = seen().await;
    assert_eq!(after_first.latest_run, Some(fixture.store.history.run(first).await.unwrap()));
    assert_eq!(after_first.text, Some(text.payload));

    // Of two runs created at the same moment the greater id is the later one; other pipelines have no say.
    let mut second = [document_run(subject), document_run(subject)];
    second.sort_by_key(|run| run.id);
    for run in &second {
        fixture.store.queue.enqueue(run, at(7)).await.unwrap();
    }
    let link = new_run(Pipeline::Link, subject, Priority::Normal);
    fixture.store.queue.enqueue(&link, at(8)).await.unwrap();
    let after_second = seen().await;
    assert_eq!(after_second.latest_run.map(|run| run.id), Some(second[1].id));
    assert_eq!(after_second.text, None, "it has not read anything yet");

    let missing = fixture.store.documents.overview(DocumentId::new()).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
}

/// Proves R026, R035, R038 and R067 in the store: the wish and the run together, and nothing else changed.
pub async fn asking_for_another_run_is_told_with_the_run_and_changes_nothing_else(fixture: &StoreFixture) {
    let document = add(fixture, 0).await;
    let reviewed = "UPDATE documents SET review_status = 'REVIEWED', reviewed_at = updated_at";
    fixture.sql.execute(reviewed).await.unwrap();
    let before = fixture.store.documents.overview(document.id).await.unwrap();
    let mut asked = Vec::new();
    for second in [1, 2] {
        let new = document_run(document.id.into());
        let run = fixture.reprocess(&new, "local", at(second)).await.unwrap();
        assert_eq!((run.id, run.state.as_str(), run.created_at), (new.id, "QUEUED", at(second)));
        asked.push(new);
    }
    let after = fixture.store.documents.overview(document.id).await.unwrap();
    assert_eq!(DocumentOverview { latest_run: None, ..after }, before);
    let filter = EventFilter { run: None, subject: Some(document.id.into()) };
    let told: Vec<(EventType, Option<RunId>)> = fixture
        .store
        .history
        .events(EventId(0), filter, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|recorded| (recorded.event.event_type, recorded.event.run))
        .collect();
    let mut expected = vec![(EventType::DocumentUploaded, None)];
    for run in &asked {
        expected.push((EventType::ReprocessRequested, Some(run.id)));
        expected.push((EventType::RunCreated, Some(run.id)));
    }
    assert_eq!(told, expected);

    let nobody = fixture.reprocess(&document_run(SubjectId::new()), "local", at(3)).await;
    assert!(matches!(nobody, Err(PortError::NotFound(_))), "{nobody:?}");
    assert_eq!(fixture.sql.number("SELECT count(*) FROM runs").await, 2);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM events").await, 5, "what did not happen is not told");
}

/// Proves R047 and R069: runs oldest first, each with the records of its own steps and in their order.
pub async fn the_history_of_a_document_has_its_newest_runs_with_their_steps(fixture: &StoreFixture) {
    let document = add(fixture, 0).await;
    let subject = SubjectId::from(document.id);
    let elsewhere = add(fixture, 0).await;
    let worker = fixture.worker(at(0)).await;
    let mut runs = Vec::new();
    for second in [1, 3] {
        let run = fixture.enqueue(subject, at(second)).await;
        let claimed = fixture.claim_one(worker, at(second)).await.run;
        let write = step_write(&claimed, &[EventType::StepSucceeded], StepName::Extraction, at(second + 1));
        fixture.store.queue.advance(write).await.unwrap();
        end(fixture, run, Change::TimeOut, at(second + 1)).await;
        runs.push(run);
    }
    runs.push(fixture.enqueue(subject, at(6)).await);
    fixture.enqueue(elsewhere.id.into(), at(7)).await;

    let history = fixture.store.history.processing(subject, 10).await.unwrap();
    assert_eq!(history.iter().map(|(run, _)| run.id).collect::<Vec<_>>(), runs);
    for (run, records) in &history {
        assert_eq!(*run, fixture.store.history.run(run.id).await.unwrap());
        assert_eq!(*records, fixture.store.history.step_records(run.id).await.unwrap());
    }
    assert_eq!(history.iter().map(|(_, records)| records.len()).collect::<Vec<_>>(), [2, 2, 0]);
    let newest = fixture.store.history.processing(subject, 2).await.unwrap();
    assert_eq!(newest, history[1..]);
    assert_eq!(fixture.store.history.processing(SubjectId::new(), 10).await.unwrap(), []);
}

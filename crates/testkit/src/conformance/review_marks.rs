//! Review marks: which version was reviewed, and what ends a review.

use quire_domain::{DocumentId, EventType, ReviewStatus, RunChange, RunId, SignedVersion};
use quire_ports::{EventFilter, MarkBlocked, PortError};

use super::interpretations::{add_field, default_fields, edit, mark_request, reopen_request};
use crate::fixture::{StoreFixture, at, document};

/// Proves R032, R033, R034: marking and reopening are idempotent, and an edit reopens a document.
pub async fn marking_reviewed_is_idempotent_and_an_edit_reopens_the_document(fixture: &StoreFixture) {
    use EventType::{InterpretationEdited, MarkReviewed, ReviewReopened};
    let (document, run, _) = fixture.interpreted_document().await;
    let mark = |document, actor, second| async move {
        let request = fixture.review_request(document, ReviewStatus::Reviewed, actor, at(second)).await;
        fixture.store.reviews.set_review_status(&request).await
    };
    let reopen = |document, second| async move {
        let request = reopen_request(document, "ana", at(second));
        fixture.store.reviews.set_review_status(&request).await
    };
    let marked = mark(document, "ana", 20).await.unwrap().unwrap();
    assert_eq!(marked.signed, Some(SignedVersion { run, number: 1 }));
    assert_eq!(
        (marked.status, marked.reviewed_at, marked.recorded.is_some()),
        (ReviewStatus::Reviewed, Some(at(20)), true)
    );
    let again = mark(document, "bob", 21).await.unwrap().unwrap();
    assert_eq!(
        (again.reviewed_at, again.reviewed_by.as_deref(), again.recorded.is_some()),
        (Some(at(20)), Some("ana"), false)
    );
    let with = format!("SELECT count(*) FROM documents WHERE reviewed_run_id = {}", fixture.sql.id(run.0));
    assert_eq!(fixture.sql.number(&with).await, 1);

    let base = fixture.active_version(run).await;
    let saved =
        fixture.store.reviews.save(&edit(&base, &[add_field("breed", "x")], at(22))).await.unwrap().unwrap();
    assert_eq!(saved.events.len(), 2, "edited and reopened");
    let review = fixture.store.reviews.review(document).await.unwrap();
    assert_eq!((review.document.review_status, review.reviewed_at), (ReviewStatus::InReview, None));

    mark(document, "ana", 23).await.unwrap().unwrap();
    let open = reopen(document, 24).await.unwrap().unwrap();
    assert_eq!(open.signed, None);
    assert_eq!(
        (open.status, open.reviewed_at, open.reviewed_by, open.recorded.is_some()),
        (ReviewStatus::InReview, None, None, true)
    );
    assert!(reopen(document, 25).await.unwrap().unwrap().recorded.is_none());
    let filter = EventFilter { run: None, subject: Some(document.into()) };
    let events = fixture.events_of(filter).await;
    let recorded: Vec<_> = events
        .iter()
        .map(|one| one.event.event_type)
        .filter(|kind| {
            matches!(
                kind,
                EventType::MarkReviewed | EventType::ReviewReopened | EventType::InterpretationEdited
            )
        })
        .collect();
    assert_eq!(recorded, [MarkReviewed, InterpretationEdited, ReviewReopened, MarkReviewed, ReviewReopened]);
    for missing in [mark(DocumentId::new(), "ana", 26).await, reopen(DocumentId::new(), 26).await] {
        assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    }
}

/// Proves R032: only the version that is active in the latest completed run can be signed, and a refusal changes
/// nothing.
pub async fn only_the_active_version_can_be_marked_as_reviewed(fixture: &StoreFixture) {
    let mark = |document, run, number, second| async move {
        let request = mark_request(document, SignedVersion { run, number }, "ana", at(second));
        fixture.store.reviews.set_review_status(&request).await.unwrap()
    };
    let fresh = document(DocumentId::new());
    fixture.add_document(&fresh, None, at(0)).await;
    assert_eq!(mark(fresh.id, RunId::new(), 1, 1).await, Err(MarkBlocked::NoCompletedRun));

    let (document, run, _) = fixture.interpreted_document().await;
    fixture.edit_active_version(run, &[add_field("breed", "x")], at(9)).await;
    let active = SignedVersion { run, number: 2 };
    for (other, number) in [(run, 1), (run, 3), (RunId::new(), 2)] {
        assert_eq!(mark(document, other, number, 10).await, Err(MarkBlocked::Stale(active)));
    }
    let status = || async { fixture.store.reviews.review(document).await.unwrap() };
    assert_eq!(status().await.document.review_status, ReviewStatus::InReview);
    assert_eq!(mark(document, run, 2, 11).await.unwrap().reviewed_at, Some(at(11)));
    assert_eq!(mark(document, run, 2, 12).await.unwrap().reviewed_at, Some(at(11)), "the same version again");
    assert_eq!(mark(document, run, 1, 13).await, Err(MarkBlocked::Stale(active)), "another version");
    assert_eq!(status().await.reviewed_at, Some(at(11)));
    assert_reviewed_documents_are_signed(fixture).await;
}

/// Proves R035: a request to reprocess and a run that fails leave a review alone. The completion of a newer run ends
/// it, once and with an event that says why.
pub async fn a_newer_run_that_completes_ends_the_review(fixture: &StoreFixture) {
    let (document, _, _) = fixture.interpreted_document().await;
    let request = fixture.review_request(document, ReviewStatus::Reviewed, "ana", at(20)).await;
    fixture.store.reviews.set_review_status(&request).await.unwrap().unwrap();
    let review = || async { fixture.store.reviews.review(document).await.unwrap() };
    let failing = fixture.enqueue(document.into(), at(21)).await;
    assert_eq!(review().await.document.review_status, ReviewStatus::Reviewed, "it is only requested");
    let worker = fixture.worker(at(22)).await;
    fixture.claim_one(worker, at(22)).await;
    fixture.change_run(failing, RunChange::TimeOut { continued_by: None }, at(200)).await;
    assert_eq!(review().await.document.review_status, ReviewStatus::Reviewed, "the run found nothing");

    let second = fixture.enqueue(document.into(), at(201)).await;
    fixture.complete_next_run(second, Some(default_fields()), 201).await;
    let ended = review().await;
    assert_eq!(
        (ended.document.review_status, ended.reviewed_at, ended.reviewed_by),
        (ReviewStatus::InReview, None, None)
    );
    let third = fixture.enqueue(document.into(), at(300)).await;
    fixture.complete_next_run(third, None, 300).await;
    let filter = EventFilter { run: None, subject: Some(document.into()) };
    let events = fixture.events_of(filter).await;
    let reopened: Vec<_> = events
        .iter()
        .filter(|one| one.event.event_type == EventType::ReviewReopened)
        .map(|one| (one.event.run, one.event.reason.as_deref(), one.event.actor.as_deref()))
        .collect();
    assert_eq!(reopened, [(Some(second), Some("REPROCESSED"), None)]);
    let blocked = fixture.store.reviews.set_review_status(&request).await.unwrap();
    assert_eq!(blocked, Err(MarkBlocked::Missing), "the latest run has no interpretation");
}

/// Proves R035 for the log: the owner of a run learns that its completion has ended a review, and only then.
pub async fn a_completion_tells_whether_it_ended_a_review(fixture: &StoreFixture) {
    let (document, _, _) = fixture.interpreted_document().await;
    let request = fixture.review_request(document, ReviewStatus::Reviewed, "ana", at(20)).await;
    fixture.store.reviews.set_review_status(&request).await.unwrap().unwrap();
    for (second, ended) in [(30, Some("REPROCESSED")), (40, None)] {
        let run = fixture.enqueue(document.into(), at(second)).await;
        let worker = fixture.worker(at(second)).await;
        fixture.claim_one(worker, at(second)).await;
        let added = fixture.change_run(run, RunChange::Complete, at(second + 1)).await;
        let reasons: Vec<_> = added.iter().map(|event| (event.run, event.reason.as_deref())).collect();
        assert_eq!(reasons, Vec::from_iter(ended.map(|reason| (Some(run), Some(reason)))));
        assert!(added.iter().all(|event| event.event_type == EventType::ReviewReopened), "{added:?}");
    }
}

/// A mark from before marks named their version stays if it is of the latest completed run. The migration removes the
/// others and records that.
pub async fn marks_that_a_newer_run_has_ended_are_removed_by_the_migration(fixture: &StoreFixture) {
    let (kept, ..) = fixture.interpreted_document().await;
    let request = fixture.review_request(kept, ReviewStatus::Reviewed, "ana", at(20)).await;
    let signed = fixture.store.reviews.set_review_status(&request).await.unwrap().unwrap().signed;
    let (ended, first, _) = fixture.interpreted_document().await;
    let second = fixture.enqueue(ended.into(), at(21)).await;
    fixture.complete_next_run(second, Some(default_fields()), 21).await;

    let migrations = &fixture.store.migrations;
    let versions = migrations.status().await.unwrap();
    let added = versions.iter().find(|one| one.name.ends_with("_signed_version")).unwrap().version;
    migrations.down(added - 1).await.unwrap();
    let (document, run) = (fixture.sql.id(ended.0), fixture.sql.id(first.0));
    let marked = format!(
        "UPDATE documents SET review_status = 'REVIEWED', reviewed_at = updated_at, reviewed_by = 'ana', \
         reviewed_run_id = {run} WHERE id = {document}"
    );
    fixture.sql.execute(&marked).await.unwrap();
    migrations.up(None).await.unwrap();

    let again = fixture.store.reviews.set_review_status(&request).await.unwrap().unwrap();
    assert_eq!((again.signed, again.reviewed_at, again.recorded), (signed, Some(at(20)), None));
    let review = fixture.store.reviews.review(ended).await.unwrap();
    assert_eq!((review.document.review_status, review.reviewed_by), (ReviewStatus::InReview, None));
    let events = fixture.events_of(EventFilter { run: None, subject: Some(ended.into()) }).await;
    let last = &events.last().unwrap().event;
    assert_eq!((last.event_type, last.reason.as_deref()), (EventType::ReviewReopened, Some("REPROCESSED")));
    assert_reviewed_documents_are_signed(fixture).await;
}

/// Checks that every REVIEWED document names the active version of its latest completed run.
pub(super) async fn assert_reviewed_documents_are_signed(fixture: &StoreFixture) {
    let unsigned = "SELECT count(*) FROM documents d \
         WHERE review_status = 'REVIEWED' AND NOT EXISTS ( \
             SELECT 1 FROM interpretation_versions v \
             WHERE v.run_id = d.reviewed_run_id AND v.version_number = d.reviewed_version \
               AND CAST(v.is_active AS INTEGER) = 1 \
               AND v.run_id = (SELECT id FROM runs \
                               WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED' \
                               ORDER BY completed_at DESC, created_at DESC, id DESC LIMIT 1))";
    assert_eq!(fixture.sql.number(unsigned).await, 0, "REVIEWED without the signature of the active version");
}

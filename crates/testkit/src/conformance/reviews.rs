//! Reviews: versions of interpretations and their edits.

use quire_domain::{DocumentId, EditBase, EventType, RunChange, RunId};
use quire_ports::{EditBlocked, EventFilter, NewInterpretationVersion, PortError};
use quire_understanding::edit::EditOperation;

use super::interpretations::{add_field, default_fields, edit, made_by, set_value};
use crate::fixture::{StoreFixture, at, document};

/// Proves R088, R093: the interpretation of a step is stored as version 1, unchanged.
pub async fn the_first_version_is_stored_with_the_success_of_its_step(fixture: &StoreFixture) {
    let (document, run, first) = fixture.interpreted_document().await;
    let review = fixture.store.reviews.review(document).await.unwrap();
    assert_eq!(review.latest_completed_run.as_ref().map(|run| run.id), Some(run));
    assert!(review.text.is_some());
    let version = review.active.unwrap();
    assert_eq!((version.id, version.number, version.created_by.as_deref()), (first.id, 1, None));
    assert_eq!(version.data, first.data);
    assert_eq!(version.made_by, Some(made_by()));
    assert_eq!(fixture.store.reviews.versions(run).await.unwrap()[0].made_by, Some(made_by()));
    assert_eq!(fixture.active_version(run).await, version);
    let listed = fixture.store.reviews.active_versions(&[DocumentId::new(), document]).await.unwrap();
    assert_eq!(listed, [(document, version)]);
}

/// Proves R070: newer runs that failed, wait or run do not hide the completed one.
pub async fn a_review_shows_the_latest_completed_run(fixture: &StoreFixture) {
    let missing = fixture.store.reviews.review(DocumentId::new()).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    let fresh = document(DocumentId::new());
    fixture.add_document(&fresh, None, at(0)).await;
    let none = fixture.store.reviews.review(fresh.id).await.unwrap();
    assert!(none.latest_completed_run.is_none() && none.active.is_none());

    let (document, first, _) = fixture.interpreted_document().await;
    let failed = fixture.enqueue(document.into(), at(4)).await;
    let worker = fixture.worker(at(5)).await;
    let run = fixture.claim_one(worker, at(5)).await.run;
    assert_eq!(run.id, failed);
    let latest =
        || async { fixture.store.reviews.review(document).await.unwrap().latest_completed_run.unwrap().id };
    assert_eq!(latest().await, first, "while another run is running");
    fixture.change_run(failed, RunChange::TimeOut { continued_by: None }, at(200)).await;
    assert_eq!(latest().await, first, "after another run timed out");
    let second = fixture.enqueue(document.into(), at(201)).await;
    assert_eq!(latest().await, first, "while another run is queued");
    fixture.complete_next_run(second, None, 0).await;
    let review = fixture.store.reviews.review(document).await.unwrap();
    assert_eq!(review.latest_completed_run.unwrap().id, second);
    assert!(review.active.is_none(), "this run has no interpretation");
    assert!(fixture.store.reviews.active_versions(&[document]).await.unwrap().is_empty());
}

/// Proves R089, R124: each edit is a version with its changes, and one version is active.
pub async fn an_edit_adds_a_version_and_makes_it_the_only_active_one(fixture: &StoreFixture) {
    let (document, run, _) = fixture.interpreted_document().await;
    let mut base = fixture.active_version(run).await;
    let rename = set_value(&base.data.fields[0], "Lola");
    let batches = [vec![rename, add_field("species", "felino")], vec![add_field("breed", "siamés")]];
    for (batch, number) in batches.iter().zip(2u32..) {
        let new = edit(&base, batch, at(i64::from(number) + 10));
        let saved = fixture.store.reviews.save(&new).await.unwrap().unwrap();
        assert_eq!((saved.number, saved.events.len()), (number, 1), "edited, not reopened");
        base = fixture.active_version(run).await;
        assert_eq!((base.number, &base.data), (number, &new.data));
        assert_eq!(base.created_by.as_deref(), Some("ana"));
        let versions = fixture.store.reviews.versions(run).await.unwrap();
        let flags: Vec<_> = versions.iter().map(|version| (version.number, version.is_active)).collect();
        assert_eq!(flags, (1..=number).map(|n| (n, n == number)).collect::<Vec<_>>());
        assert_eq!(versions.last().unwrap().changes, new.changes);
        assert_eq!(versions.last().unwrap().made_by, None, "a person made it");
        assert_eq!(versions[0].made_by, Some(made_by()), "the first version is unchanged");
    }
    let id = fixture.sql.id(run.0);
    let count = format!("SELECT count(*) FROM interpretation_versions WHERE run_id = {id} AND is_active");
    assert_eq!(fixture.sql.number(&count).await, 1);
    assert_eq!(fixture.count("field_changes").await, 3);
    let filter = EventFilter { run: Some(run), subject: None };
    let events = fixture.events_of(filter).await;
    let edits: Vec<_> = events
        .iter()
        .filter(|one| one.event.event_type == EventType::InterpretationEdited)
        .map(|one| (one.event.subject, one.event.actor.clone()))
        .collect();
    assert_eq!(edits, vec![(Some(document.into()), Some("ana".to_owned())); 2]);
    let updated_at = fixture.store.documents.overview(document).await.unwrap().updated_at;
    assert_eq!(updated_at, at(13), "the document has changed");
}

/// Proves R120, R121 and the other reasons for a refusal.
pub async fn a_refused_edit_returns_its_reason_and_changes_nothing(fixture: &StoreFixture) {
    let (document, run, _) = fixture.interpreted_document().await;
    let base = fixture.active_version(run).await;
    let unknown_run =
        NewInterpretationVersion { run: RunId::new(), ..edit(&base, &[add_field("species", "x")], at(9)) };
    let missing = fixture.store.reviews.save(&unknown_run).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    let refused = |new: NewInterpretationVersion| async move {
        fixture.store.reviews.save(&new).await.unwrap().unwrap_err()
    };
    let unseen = EditBase { version: 2, latest_run_only: false };
    let stale = NewInterpretationVersion { base: unseen, ..edit(&base, &[add_field("species", "x")], at(9)) };
    assert_eq!(refused(stale).await, EditBlocked::Stale);

    let waiting = fixture.enqueue(document.into(), at(10)).await;
    assert_eq!(
        refused(NewInterpretationVersion {
            run: waiting,
            ..edit(&base, &[add_field("species", "x")], at(11))
        })
        .await,
        EditBlocked::NotCompleted
    );
    let good = edit(&base, &[add_field("species", "x")], at(11));
    assert!(fixture.store.reviews.save(&good).await.unwrap().is_ok(), "a queued run does not block edits");
    let base = fixture.active_version(run).await;
    let worker = fixture.worker(at(12)).await;
    fixture.claim_one(worker, at(12)).await;
    assert!(fixture.store.reviews.edit_state(run).await.unwrap().has_running_run);
    assert_eq!(refused(edit(&base, &[add_field("breed", "x")], at(13))).await, EditBlocked::RunRunning);
    fixture.change_run(waiting, RunChange::Complete, at(14)).await;
    assert_eq!(
        refused(NewInterpretationVersion { run: waiting, ..edit(&base, &[add_field("breed", "x")], at(15)) })
            .await,
        EditBlocked::Missing
    );
    let latest_only = EditBase { version: base.number, latest_run_only: true };
    let of_older_run = edit(&base, &[add_field("breed", "x")], at(16));
    assert_eq!(
        refused(NewInterpretationVersion { base: latest_only, ..of_older_run }).await,
        EditBlocked::Stale,
        "a newer run has completed"
    );
    assert_eq!(fixture.active_version(run).await, base);
    assert_eq!(fixture.count("interpretation_versions").await, 2);
}

/// Proves R120: of concurrent edits of the same version one is stored.
pub async fn only_one_of_several_concurrent_edits_is_stored(fixture: &StoreFixture) {
    let (_, run, _) = fixture.interpreted_document().await;
    let base = fixture.active_version(run).await;
    let edits = (0..8).map(|n| edit(&base, &[add_field("breed", &format!("x{n}"))], at(9)));
    let tasks: Vec<_> = edits
        .map(|new| {
            let reviews = fixture.store.reviews.clone();
            tokio::spawn(async move { reviews.save(&new).await.unwrap() })
        })
        .collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| !matches!(outcome, Err(why) if *why != EditBlocked::Stale)));
    assert_eq!(fixture.active_version(run).await.number, 2);
    assert_eq!(fixture.count("field_changes").await, 1);
}

/// Proves R126: an edit that adds or removes a key flags its version, and a correction does not.
pub async fn a_structural_edit_flags_its_version_and_a_correction_does_not(fixture: &StoreFixture) {
    let (_, run, _) = fixture.interpreted_document().await;
    let name = fixture.active_version(run).await.data.fields[0].clone();
    let remove = EditOperation::Delete { field: name.field_id };
    let edits =
        [set_value(&name, "Lola"), add_field("species", "felino"), add_field("blood_group", "A"), remove];
    for (edit, second) in edits.into_iter().zip(9..) {
        fixture.edit_active_version(run, &[edit], at(second)).await;
    }
    let id = fixture.sql.id(run.0);
    for (version, is_flagged) in [(1, 0), (2, 0), (3, 0), (4, 1), (5, 1)] {
        let flag = format!(
            "SELECT count(*) FROM interpretation_versions WHERE run_id = {id} AND version_number = {version} \
             AND CAST(pending_review AS INTEGER) = 1"
        );
        assert_eq!(fixture.sql.number(&flag).await, is_flagged, "version {version}");
    }
}

/// Proves R089 in the database: versions and their changes are append-only and one is active.
pub async fn versions_and_changes_are_append_only(fixture: &StoreFixture) {
    let (document, run, _) = fixture.interpreted_document().await;
    fixture.edit_active_version(run, &[add_field("blood_group", "A")], at(9)).await;
    fixture
        .assert_refused(
            &[
                "UPDATE interpretation_versions SET data = '{}'",
                "UPDATE interpretation_versions SET is_active = (version_number = 1)",
                "UPDATE interpretation_versions SET made_by = NULL",
                "UPDATE interpretation_versions SET is_active = false, model_tokens = 7 WHERE is_active",
                "DELETE FROM interpretation_versions",
                "UPDATE field_changes SET new_value = '1'",
                "DELETE FROM field_changes",
                "UPDATE structural_edits SET evidence = NULL",
                "DELETE FROM structural_edits",
            ],
            "append-only",
        )
        .await;
    fixture.store.documents.purge(document.into(), at(10)).await.unwrap();
    for table in ["interpretation_versions", "field_changes", "structural_edits"] {
        let left = fixture.sql.number(&format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(left, 0, "{table} is deleted with its document");
    }
}

/// A version is found by its number, as the active one, or as the active version of the run before.
pub async fn versions_are_found_by_number_and_by_the_following_run(fixture: &StoreFixture) {
    let (document, first, _) = fixture.interpreted_document().await;
    let reviews = &fixture.store.reviews;
    let base = fixture.active_version(first).await;
    reviews.save(&edit(&base, &[add_field("breed", "x")], at(5))).await.unwrap().unwrap();
    let edited = fixture.active_version(first).await;
    assert_eq!(reviews.version(first, None).await.unwrap(), Some(edited.clone()));
    assert_eq!(reviews.version(first, Some(2)).await.unwrap(), Some(edited.clone()));
    assert_eq!(reviews.version(first, Some(1)).await.unwrap(), Some(base));
    for (run, number) in [(first, Some(3)), (first, Some(0)), (RunId::new(), None), (RunId::new(), Some(1))] {
        assert_eq!(reviews.version(run, number).await.unwrap(), None, "{number:?}");
    }
    assert_eq!(reviews.version_of_run_before(first).await.unwrap(), None);
    // A run without an interpretation is skipped.
    for (second, fields) in [(10, None), (20, Some(default_fields()))] {
        let run = fixture.enqueue(document.into(), at(second)).await;
        fixture.complete_next_run(run, fields, second).await;
        assert_eq!(reviews.version_of_run_before(run).await.unwrap(), Some(edited.clone()));
    }
    assert_eq!(reviews.version_of_run_before(first).await.unwrap(), None);
}

//! Versions of what was understood, and the people who check it.

use std::sync::Arc;

use quire_domain::review::{interpretation_edited, review_marked};
use quire_domain::{
    Change, DocumentId, EventId, EventType, InterpretationId, ReviewStatus, Run, RunId, StepName,
};
use quire_ports::{
    AdvanceOutcome, EditBlocked, EventFilter, FirstVersion, InterpretationVersion, NewDocument,
    NewInterpretationVersion, PortError, ReviewMarkRequest,
};
use quire_understanding::edit::{EditOperation, apply_edits};
use quire_understanding::{
    Field, Interpretation, InterpreterKind, MadeBy, NEUTRAL_CONFIDENCE, Origin, Schema, Value, ValueType,
};

use super::fencing::{end_write, raw_text, step_write};
use crate::fixture::{StoreFixture, at, document, document_run};

/// The surroundings of every document here.
pub(super) const CONTEXT: &str = "ctx_v1:of-tests";

pub(super) fn usual() -> Vec<Field> {
    vec![field("pet_name", "Luna"), field("notes", "nada \u{1f43e} \"x\"")]
}

fn field(key: &str, value: &str) -> Field {
    Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66)
}

/// A version that a model made, with everything that is recorded of it.
fn made_by() -> MadeBy {
    MadeBy {
        interpreter: InterpreterKind::Model,
        model: Some("some-model \u{1f43e}".to_owned()),
        prompt_version: Some("1".to_owned()),
        tokens_in: 900,
        tokens_out: 100,
        cost: Some(0.125),
        fallback_reason: None,
        milliseconds: 42,
    }
}

fn understood(run: &Run, fields: Vec<Field>) -> FirstVersion {
    let data = Interpretation {
        schema_version: Interpretation::V0.to_owned(),
        document_id: DocumentId(run.subject.0),
        processing_run_id: run.id,
        created_at: at(3),
        context_key: Some(CONTEXT.to_owned()),
        policy_version: Some("v1".to_owned()),
        fields,
    };
    FirstVersion { id: InterpretationId::new(), data, made_by: Some(made_by()) }
}

/// A document whose run has read and understood it.
pub async fn interpreted_document(fixture: &StoreFixture) -> (DocumentId, RunId, FirstVersion) {
    understood_as(fixture, usual()).await
}

/// A document in which its run has found that.
pub(super) async fn understood_as(
    fixture: &StoreFixture,
    fields: Vec<Field>,
) -> (DocumentId, RunId, FirstVersion) {
    let document = document(DocumentId::new());
    let new = document_run(document.id.into());
    fixture.store.documents.add(NewDocument::by("local", &document, Some(&new)), at(0)).await.unwrap();
    let first = finish(fixture, new.id, Some(fields)).await;
    (document.id, new.id, first)
}

/// Brings the next run to its end, understood or not.
pub(super) async fn finish(fixture: &StoreFixture, id: RunId, fields: Option<Vec<Field>>) -> FirstVersion {
    finish_at(fixture, id, fields, 0).await
}

/// The same, so many seconds later.
async fn finish_at(
    fixture: &StoreFixture,
    id: RunId,
    fields: Option<Vec<Field>>,
    later: i64,
) -> FirstVersion {
    let at = |second| at(second + later);
    let worker = fixture.worker(at(1)).await;
    let run = fixture.claim_one(worker, at(2)).await.run;
    assert_eq!(run.id, id);
    let understands = fields.is_some();
    let first = understood(&run, fields.unwrap_or_default());
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Interpretation, at(3));
    write.artifacts.push(raw_text());
    write.interpretation = understands.then(|| first.clone());
    write.end = end_write(&run, Change::Complete, at(3)).end;
    assert_eq!(fixture.store.queue.advance(write).await.unwrap(), AdvanceOutcome::Accepted);
    first
}

/// An edit of `base`, made from that version's fields.
pub(super) fn edit(
    run: RunId,
    base: &InterpretationVersion,
    batch: &[EditOperation],
    second: i64,
) -> NewInterpretationVersion {
    let edited =
        apply_edits(&base.data.fields, &Schema::built_in_default(), NEUTRAL_CONFIDENCE, batch).unwrap();
    NewInterpretationVersion {
        id: InterpretationId::new(),
        run,
        base: base.number,
        data: Interpretation { created_at: at(second), fields: edited.fields, ..base.data.clone() },
        changes: edited.changes,
        structure: edited.structure,
        actor: "ana".to_owned(),
        at: at(second),
        policy: Arc::default(),
        edited: interpretation_edited(base.data.document_id, run, "ana", at(second)),
        reopened: review_marked(base.data.document_id, ReviewStatus::InReview, "ana", at(second)),
    }
}

/// Ana or somebody else says that a document is checked, or not after all.
pub(super) fn marking(document: DocumentId, to: ReviewStatus, actor: &str, second: i64) -> ReviewMarkRequest {
    ReviewMarkRequest {
        document,
        to,
        actor: actor.to_owned(),
        at: at(second),
        policy: Arc::default(),
        event: review_marked(document, to, actor, at(second)),
    }
}

pub(super) fn add(key: &str, value: &str) -> EditOperation {
    let value = Value::Text(value.to_owned());
    EditOperation::Add { key: key.to_owned(), value, value_type: None, visit_id: None }
}

pub(super) async fn active(fixture: &StoreFixture, run: RunId) -> InterpretationVersion {
    fixture.store.reviews.editable(run).await.unwrap().active.unwrap()
}

/// Proves R088, R093: what a step understood is version 1, exactly as it was given.
pub async fn the_first_version_comes_with_the_success_of_its_step(fixture: &StoreFixture) {
    let (document, run, first) = interpreted_document(fixture).await;
    let review = fixture.store.reviews.review(document).await.unwrap();
    assert_eq!(review.overview.latest_run.as_ref().map(|run| run.id), Some(run));
    assert!(review.overview.text.is_some());
    let version = review.active.unwrap();
    assert_eq!((version.id, version.number, version.created_by.as_deref()), (first.id, 1, None));
    assert_eq!(version.data, first.data);
    assert_eq!(version.made_by, Some(made_by()));
    assert_eq!(fixture.store.reviews.versions(run).await.unwrap()[0].made_by, Some(made_by()));
    assert_eq!(active(fixture, run).await, version);
    let listed = fixture.store.reviews.active_versions(&[DocumentId::new(), document]).await.unwrap();
    assert_eq!(listed, [(document, version)]);
}

/// What models have taken is counted from a moment on, over all runs; what people do takes nothing.
pub async fn the_tokens_of_models_are_summed_from_a_moment_on(fixture: &StoreFixture) {
    assert_eq!(fixture.store.reviews.tokens_since(at(0)).await.unwrap(), 0);
    let (_, run, _) = interpreted_document(fixture).await;
    let base = active(fixture, run).await;
    fixture.store.reviews.save(&edit(run, &base, &[add("species", "felino")], 9)).await.unwrap().unwrap();
    interpreted_document(fixture).await;
    let since = async |second| fixture.store.reviews.tokens_since(at(second)).await.unwrap();
    assert_eq!((since(0).await, since(3).await, since(4).await), (2000, 2000, 0));
}

/// Proves R070: newer runs that failed, wait or work do not hide what was understood.
pub async fn a_review_is_of_the_latest_run_that_completed(fixture: &StoreFixture) {
    let nobody = fixture.store.reviews.review(DocumentId::new()).await;
    assert!(matches!(nobody, Err(PortError::NotFound(_))), "{nobody:?}");
    let fresh = document(DocumentId::new());
    fixture.store.documents.add(NewDocument::by("local", &fresh, None), at(0)).await.unwrap();
    let none = fixture.store.reviews.review(fresh.id).await.unwrap();
    assert!(none.overview.latest_run.is_none() && none.active.is_none());

    let (document, first, _) = interpreted_document(fixture).await;
    let failed = fixture.enqueue(document.into(), at(4)).await;
    let worker = fixture.worker(at(5)).await;
    let run = fixture.claim_one(worker, at(5)).await.run;
    assert_eq!(run.id, failed);
    let latest =
        || async { fixture.store.reviews.review(document).await.unwrap().overview.latest_run.unwrap().id };
    assert_eq!(latest().await, first, "while another works");
    super::fencing::end(fixture, failed, Change::TimeOut, at(200)).await;
    assert_eq!(latest().await, first, "after another ended badly");
    let second = fixture.enqueue(document.into(), at(201)).await;
    assert_eq!(latest().await, first, "while another waits");
    finish(fixture, second, None).await;
    let review = fixture.store.reviews.review(document).await.unwrap();
    assert_eq!(review.overview.latest_run.unwrap().id, second);
    assert!(review.active.is_none(), "it has understood nothing");
    assert!(fixture.store.reviews.active_versions(&[document]).await.unwrap().is_empty());
}

/// Proves R089, R124: each edit is a version with its log, and one is active.
pub async fn an_edit_adds_a_version_and_leaves_one_active(fixture: &StoreFixture) {
    let (document, run, _) = interpreted_document(fixture).await;
    let mut base = active(fixture, run).await;
    let rename = EditOperation::Update {
        field: base.data.fields[0].field_id,
        value: Some(Value::Text("Lola".to_owned())),
        value_type: None,
        visit_id: None,
    };
    let batches = [vec![rename, add("species", "felino")], vec![add("breed", "siamés")]];
    for (batch, number) in batches.iter().zip(2u32..) {
        let new = edit(run, &base, batch, i64::from(number) + 10);
        let saved = fixture.store.reviews.save(&new).await.unwrap().unwrap();
        assert_eq!((saved.number, saved.events), (number, vec![new.edited.clone()]));
        base = active(fixture, run).await;
        assert_eq!((base.number, &base.data), (number, &new.data));
        assert_eq!(base.created_by.as_deref(), Some("ana"));
        let versions = fixture.store.reviews.versions(run).await.unwrap();
        let flags: Vec<_> = versions.iter().map(|version| (version.number, version.is_active)).collect();
        assert_eq!(flags, (1..=number).map(|n| (n, n == number)).collect::<Vec<_>>());
        assert_eq!(versions.last().unwrap().changes, new.changes);
        assert_eq!(versions.last().unwrap().made_by, None, "a person made it");
        assert_eq!(versions[0].made_by, Some(made_by()), "the first stays what it was");
    }
    let id = fixture.sql.id(run.0);
    let count = format!("SELECT count(*) FROM interpretation_versions WHERE run_id = {id} AND is_active");
    assert_eq!(fixture.sql.number(&count).await, 1);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM field_changes").await, 3);
    let filter = EventFilter { run: Some(run), subject: None };
    let events = fixture.store.history.events(EventId(0), filter, 100).await.unwrap();
    let edits: Vec<_> = events
        .iter()
        .filter(|told| told.event.event_type == EventType::InterpretationEdited)
        .map(|told| (told.event.subject, told.event.actor.clone()))
        .collect();
    assert_eq!(edits, vec![(Some(document.into()), Some("ana".to_owned())); 2]);
    let moved = fixture.store.documents.overview(document).await.unwrap().updated_at;
    assert_eq!(moved, at(13), "the document has changed");
}

/// Proves R120, R121 and their neighbours: each refusal has its reason and changes nothing.
pub async fn an_edit_that_cannot_be_made_says_why_and_changes_nothing(fixture: &StoreFixture) {
    let (document, run, _) = interpreted_document(fixture).await;
    let base = active(fixture, run).await;
    let stranger = edit(RunId::new(), &base, &[add("species", "x")], 9);
    let missing = fixture.store.reviews.save(&stranger).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    let refused = |new: NewInterpretationVersion| async move {
        fixture.store.reviews.save(&new).await.unwrap().unwrap_err()
    };
    let stale = NewInterpretationVersion { base: 2, ..edit(run, &base, &[add("species", "x")], 9) };
    assert_eq!(refused(stale).await, EditBlocked::Stale);

    let waiting = fixture.enqueue(document.into(), at(10)).await;
    assert_eq!(refused(edit(waiting, &base, &[add("species", "x")], 11)).await, EditBlocked::NotCompleted);
    let good = edit(run, &base, &[add("species", "x")], 11);
    assert!(fixture.store.reviews.save(&good).await.unwrap().is_ok(), "a run that waits is in nobody's way");
    let base = active(fixture, run).await;
    let worker = fixture.worker(at(12)).await;
    fixture.claim_one(worker, at(12)).await;
    assert!(fixture.store.reviews.editable(run).await.unwrap().is_busy);
    assert_eq!(refused(edit(run, &base, &[add("breed", "x")], 13)).await, EditBlocked::ActiveRun);
    super::fencing::end(fixture, waiting, Change::Complete, at(14)).await;
    assert_eq!(refused(edit(waiting, &base, &[add("breed", "x")], 15)).await, EditBlocked::Missing);
    assert_eq!(active(fixture, run).await, base);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM interpretation_versions").await, 2);
}

/// Proves R120: of edits of the same version at the same time one is stored.
pub async fn of_edits_at_the_same_time_one_is_stored(fixture: &StoreFixture) {
    let (_, run, _) = interpreted_document(fixture).await;
    let base = active(fixture, run).await;
    let edits = (0..8).map(|n| edit(run, &base, &[add("breed", &format!("x{n}"))], 9));
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
    assert_eq!(active(fixture, run).await.number, 2);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM field_changes").await, 1);
}

/// Proves R032, R033, R034: marking and reopening are idempotent, and an edit reopens.
pub async fn a_document_is_marked_once_and_an_edit_reopens_it(fixture: &StoreFixture) {
    use EventType::{InterpretationEdited, MarkReviewed, ReviewReopened};
    let (document, run, _) = interpreted_document(fixture).await;
    let mark = |document, actor, second| {
        let wish = marking(document, ReviewStatus::Reviewed, actor, second);
        async move { fixture.store.reviews.mark(&wish).await }
    };
    let reopen = |document, second| {
        let wish = marking(document, ReviewStatus::InReview, "ana", second);
        async move { fixture.store.reviews.mark(&wish).await }
    };
    let marked = mark(document, "ana", 20).await.unwrap();
    assert_eq!(
        (marked.status, marked.reviewed_at, marked.recorded.is_some()),
        (ReviewStatus::Reviewed, Some(at(20)), true)
    );
    let again = mark(document, "bob", 21).await.unwrap();
    assert_eq!(
        (again.reviewed_at, again.reviewed_by.as_deref(), again.recorded.is_some()),
        (Some(at(20)), Some("ana"), false)
    );
    let with = format!("SELECT count(*) FROM documents WHERE reviewed_run_id = {}", fixture.sql.id(run.0));
    assert_eq!(fixture.sql.number(&with).await, 1);

    let base = active(fixture, run).await;
    let reopening = edit(run, &base, &[add("breed", "x")], 22);
    let saved = fixture.store.reviews.save(&reopening).await.unwrap().unwrap();
    assert_eq!(saved.events, [reopening.edited, reopening.reopened]);
    let review = fixture.store.reviews.review(document).await.unwrap().overview;
    assert_eq!((review.document.review_status, review.reviewed_at), (ReviewStatus::InReview, None));

    mark(document, "ana", 23).await.unwrap();
    let open = reopen(document, 24).await.unwrap();
    assert_eq!(
        (open.status, open.reviewed_at, open.reviewed_by, open.recorded.is_some()),
        (ReviewStatus::InReview, None, None, true)
    );
    assert!(!reopen(document, 25).await.unwrap().recorded.is_some());
    let filter = EventFilter { run: None, subject: Some(document.into()) };
    let events = fixture.store.history.events(EventId(0), filter, 100).await.unwrap();
    let told: Vec<_> = events
        .iter()
        .map(|told| told.event.event_type)
        .filter(|kind| {
            matches!(
                kind,
                EventType::MarkReviewed | EventType::ReviewReopened | EventType::InterpretationEdited
            )
        })
        .collect();
    assert_eq!(told, [MarkReviewed, InterpretationEdited, ReviewReopened, MarkReviewed, ReviewReopened]);
    for nobody in [mark(DocumentId::new(), "ana", 26).await, reopen(DocumentId::new(), 26).await] {
        assert!(matches!(nobody, Err(PortError::NotFound(_))), "{nobody:?}");
    }
}

/// Proves R089 in the database: versions and their changes are append-only and one is active.
pub async fn versions_cannot_be_rewritten(fixture: &StoreFixture) {
    let (document, run, _) = interpreted_document(fixture).await;
    let base = active(fixture, run).await;
    fixture.store.reviews.save(&edit(run, &base, &[add("blood_group", "A")], 9)).await.unwrap().unwrap();
    for statement in [
        "UPDATE interpretation_versions SET data = '{}'",
        "UPDATE interpretation_versions SET is_active = (version_number = 1)",
        "UPDATE interpretation_versions SET made_by = NULL",
        "UPDATE interpretation_versions SET is_active = false, model_tokens = 7 WHERE is_active",
        "DELETE FROM interpretation_versions",
        "UPDATE field_changes SET new_value = '1'",
        "DELETE FROM field_changes",
        "UPDATE structural_edits SET evidence = NULL",
        "DELETE FROM structural_edits",
    ] {
        let done = fixture.sql.execute(statement).await;
        assert!(done.as_ref().is_err_and(|said| said.contains("append-only")), "{statement}: {done:?}");
    }
    fixture.store.documents.purge(document.into(), at(10)).await.unwrap();
    for table in ["interpretation_versions", "field_changes", "structural_edits"] {
        let left = fixture.sql.number(&format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(left, 0, "{table} goes with its document");
    }
}

/// A version is found by its number or as the active one, and so is what the run before understood.
pub async fn versions_are_found_by_number_and_by_the_run_that_came_after(fixture: &StoreFixture) {
    let (document, first, _) = interpreted_document(fixture).await;
    let reviews = &fixture.store.reviews;
    let base = active(fixture, first).await;
    reviews.save(&edit(first, &base, &[add("breed", "x")], 5)).await.unwrap().unwrap();
    let edited = active(fixture, first).await;
    assert_eq!(reviews.version(first, None).await.unwrap(), Some(edited.clone()));
    assert_eq!(reviews.version(first, Some(2)).await.unwrap(), Some(edited.clone()));
    assert_eq!(reviews.version(first, Some(1)).await.unwrap(), Some(base));
    for (run, number) in [(first, Some(3)), (first, Some(0)), (RunId::new(), None), (RunId::new(), Some(1))] {
        assert_eq!(reviews.version(run, number).await.unwrap(), None, "{number:?}");
    }
    assert_eq!(reviews.version_of_run_before(first).await.unwrap(), None);
    // A run in between that understood nothing is passed over.
    for (second, fields) in [(10, None), (20, Some(usual()))] {
        let run = fixture.enqueue(document.into(), at(second)).await;
        finish_at(fixture, run, fields, second).await;
        assert_eq!(reviews.version_of_run_before(run).await.unwrap(), Some(edited.clone()));
    }
    assert_eq!(reviews.version_of_run_before(first).await.unwrap(), None);
}

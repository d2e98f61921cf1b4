//! Documents with an interpretation, and the requests that review them.

use std::sync::Arc;

use jiff::Timestamp;
use quire_domain::review::{interpretation_edited, marked_reviewed, review_reopened};
use quire_domain::{
    DocumentId, EditBase, EventType, InterpretationId, ReviewEnd, ReviewStatus, Run, RunChange, RunId,
    SchemaRef, SignedVersion, StepName,
};
use quire_ports::{
    FirstVersion, InterpretationVersion, NewInterpretationVersion, ReviewChange, ReviewMarkRequest,
};
use quire_understanding::edit::{EditOperation, RestorableFields, apply_edits};
use quire_understanding::{
    Field, Interpretation, InterpreterKind, MadeBy, NEUTRAL_CONFIDENCE, Origin, Schema, SchemaFit, Value,
    ValueType,
};

use super::writes::{raw_text, step_write, transition_write};
use crate::fixture::{StoreFixture, at, document, document_run};

/// The calibration context of every document here.
pub(super) const CONTEXT: &str = "ctx_v1:of-tests";

/// The fields of [`StoreFixture::interpreted_document`].
pub(super) fn default_fields() -> Vec<Field> {
    vec![field("pet_name", "Luna"), field("notes", "nada \u{1f43e} \"x\"")]
}

fn field(key: &str, value: &str) -> Field {
    Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66)
}

/// A model as the author of a version, with every member set.
pub(super) fn made_by() -> MadeBy {
    MadeBy {
        interpreter: InterpreterKind::Model,
        model: Some("some-model \u{1f43e}".to_owned()),
        prompt_version: Some("1".to_owned()),
        tokens_in: 900,
        tokens_out: 100,
        cost: Some(0.125),
        fallback_reason: None,
        milliseconds: 42,
        schema_fits: vec![SchemaFit { schema: "invoice".to_owned(), fit: 0.75 }],
    }
}

/// The first version of a run's interpretation.
pub(super) fn first_version(run: &Run, fields: Vec<Field>, at: Timestamp) -> FirstVersion {
    let data = Interpretation {
        schema_version: Interpretation::V0.to_owned(),
        document_id: DocumentId(run.subject.0),
        processing_run_id: run.id,
        created_at: at,
        context_key: Some(CONTEXT.to_owned()),
        policy_version: Some("v1".to_owned()),
        fields,
    };
    FirstVersion { id: InterpretationId::new(), data, made_by: Some(made_by()), schema: None }
}

/// An edit of the version `base` by Ana.
pub(super) fn edit(
    base: &InterpretationVersion,
    batch: &[EditOperation],
    at: Timestamp,
) -> NewInterpretationVersion {
    let edited = apply_edits(
        &base.data.fields,
        RestorableFields::default(),
        &Schema::built_in_default(),
        NEUTRAL_CONFIDENCE,
        batch,
    )
    .unwrap();
    NewInterpretationVersion {
        id: InterpretationId::new(),
        run: base.data.processing_run_id,
        base: EditBase { version: base.number, latest_run_only: false },
        data: Interpretation { created_at: at, fields: edited.fields, ..base.data.clone() },
        changes: edited.changes,
        structural_edits: edited.structural_edits,
        actor: "ana".to_owned(),
        at,
        policy: Arc::default(),
        edited: interpretation_edited(base.data.document_id, base.data.processing_run_id, "ana", at),
        reopened: review_reopened(base.data.document_id, ReviewEnd::Edited, "ana", at),
    }
}

/// An operation that adds a field.
pub(super) fn add_field(key: &str, value: &str) -> EditOperation {
    let value = Value::Text(value.to_owned());
    EditOperation::Add { key: key.to_owned(), value, value_type: None, visit_id: None }
}

/// An operation that changes the value of a field.
pub(super) fn set_value(field: &Field, value: &str) -> EditOperation {
    let value = Some(Value::Text(value.to_owned()));
    EditOperation::Update { field: field.field_id, value, value_type: None, visit_id: None }
}

/// A request to mark a document as reviewed, as it stands in this version.
pub(super) fn mark_request(
    document: DocumentId,
    signed: SignedVersion,
    actor: &str,
    at: Timestamp,
) -> ReviewMarkRequest {
    let event = marked_reviewed(document, signed, actor, at);
    let (change, actor) = (ReviewChange::Mark(signed), actor.to_owned());
    ReviewMarkRequest { document, change, actor, at, policy: Arc::default(), event }
}

/// A request to reopen the review of a document.
pub(super) fn reopen_request(document: DocumentId, actor: &str, at: Timestamp) -> ReviewMarkRequest {
    let event = review_reopened(document, ReviewEnd::Reopened, actor, at);
    let (change, actor) = (ReviewChange::Reopen, actor.to_owned());
    ReviewMarkRequest { document, change, actor, at, policy: Arc::default(), event }
}

impl StoreFixture {
    /// Adds a document whose run has completed with an interpretation.
    pub async fn interpreted_document(&self) -> (DocumentId, RunId, FirstVersion) {
        self.document_with_fields(default_fields()).await
    }

    /// Adds a document whose run has completed with an interpretation of these fields.
    pub(super) async fn document_with_fields(&self, fields: Vec<Field>) -> (DocumentId, RunId, FirstVersion) {
        let document = document(DocumentId::new());
        let new = document_run(document.id.into());
        self.add_document(&document, Some(&new), at(0)).await;
        let first = self.complete_next_run(new.id, Some(fields), 0).await;
        (document.id, new.id, first)
    }

    /// Claims the next run, which must be `run`, and completes it, `later` seconds after the usual time. The run has an
    /// interpretation if there are `fields`.
    pub(super) async fn complete_next_run(
        &self,
        run: RunId,
        fields: Option<Vec<Field>>,
        later: i64,
    ) -> FirstVersion {
        self.complete_with(run, fields, None, later).await
    }

    /// Like [`StoreFixture::complete_next_run`], with an interpretation without fields that has chosen this schema.
    pub(super) async fn complete_choosing_run(&self, run: RunId, schema: Option<SchemaRef>, later: i64) {
        self.complete_with(run, Some(Vec::new()), schema, later).await;
    }

    async fn complete_with(
        &self,
        run: RunId,
        fields: Option<Vec<Field>>,
        schema: Option<SchemaRef>,
        later: i64,
    ) -> FirstVersion {
        let at = |second| at(second + later);
        let worker = self.worker(at(1)).await;
        let claimed = self.claim_one(worker, at(2)).await.run;
        assert_eq!(claimed.id, run);
        let has_interpretation = fields.is_some();
        let first = FirstVersion { schema, ..first_version(&claimed, fields.unwrap_or_default(), at(3)) };
        let mut write = step_write(&claimed, &[EventType::StepSucceeded], StepName::Interpretation, at(3));
        write.artifacts.push(raw_text());
        write.interpretation = has_interpretation.then(|| first.clone());
        write.transition = transition_write(&claimed, RunChange::Complete, at(3)).transition;
        self.write(write).await;
        first
    }

    /// A request to set the review status of a document. A mark signs the version that is active now, or one that does not
    /// exist if the document has none.
    pub(super) async fn review_request(
        &self,
        document: DocumentId,
        to: ReviewStatus,
        actor: &str,
        at: Timestamp,
    ) -> ReviewMarkRequest {
        if to == ReviewStatus::InReview {
            return reopen_request(document, actor, at);
        }
        let active = self.store.reviews.review(document).await.ok().and_then(|review| review.active);
        let signed = active.map_or(SignedVersion { run: RunId::new(), number: 1 }, |active| SignedVersion {
            run: active.data.processing_run_id,
            number: active.number,
        });
        mark_request(document, signed, actor, at)
    }

    /// The active version of a run.
    pub(super) async fn active_version(&self, run: RunId) -> InterpretationVersion {
        self.store.reviews.edit_state(run).await.unwrap().active.unwrap()
    }

    /// Edits the active version of a run. The store must accept the edit.
    pub(super) async fn edit_active_version(&self, run: RunId, batch: &[EditOperation], at: Timestamp) {
        let base = self.active_version(run).await;
        self.store.reviews.save(&edit(&base, batch, at)).await.unwrap().unwrap();
    }
}

//! An interpretation as JSON: a flat list of fields, or fields grouped by visits.

use jiff::Timestamp;
use quire_domain::{DocumentId, RunId};
use quire_understanding::view::FlatView;
use quire_understanding::visits::{FieldSlot, RecordView, Visit, VisitGroupedView};
use serde::Serialize;
use utoipa::ToSchema;

use super::field::FieldResponse;
use crate::rest::value::FieldValue;

/// An interpretation: a flat list of fields, or grouped by visits if the request asks for that.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = InterpretationData)]
pub(crate) enum InterpretationData {
    Flat(Box<InterpretationResponse>),
    Visits(Box<VisitGroupedResponse>),
}

/// The interpretation of a document as a flat list of fields.
#[derive(Serialize, ToSchema)]
#[schema(as = Interpretation)]
pub(crate) struct InterpretationResponse {
    /// The version of this format.
    #[schema(example = "v0")]
    schema_version: String,
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    #[schema(value_type = Uuid)]
    processing_run_id: RunId,
    created_at: Timestamp,
    /// The context of the interpretation: its schema and language. Reviews change confidence in the same context alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_key: Option<String>,
    /// The confidence policy that computed its confidences.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_version: Option<String>,
    /// The fields in no particular order. Keys without a value are absent.
    fields: Vec<FieldResponse>,
}

/// The interpretation of a document, grouped by visits.
#[derive(Serialize, ToSchema)]
#[schema(as = InterpretationByVisit)]
pub(crate) struct VisitGroupedResponse {
    /// The version of this format.
    #[schema(value_type = String, example = "visit-grouped-canonical")]
    schema_contract: &'static str,
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    #[schema(value_type = Uuid)]
    processing_run_id: RunId,
    created_at: Timestamp,
    /// The context of the interpretation: its schema and language.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_key: Option<String>,
    medical_record_view: RecordViewResponse,
    /// Fields about the document as a whole.
    fields: Vec<FieldResponse>,
    /// Fields about visits. Fields of an unknown visit are in the visit `unassigned`.
    visits: Vec<VisitResponse>,
    /// Fields whose keys are not in the schema.
    other_fields: Vec<FieldResponse>,
}

/// How a record is laid out.
#[derive(Serialize, ToSchema)]
#[schema(as = RecordView)]
pub(crate) struct RecordViewResponse {
    #[schema(value_type = String)]
    version: &'static str,
    /// The sections in display order.
    sections: Vec<String>,
    field_slots: Vec<FieldSlotResponse>,
}

/// A place for a field.
#[derive(Serialize, ToSchema)]
#[schema(as = FieldSlot)]
pub(crate) struct FieldSlotResponse {
    concept_id: String,
    section: String,
    /// `document` or `visit`.
    #[schema(value_type = String)]
    scope: &'static str,
    canonical_key: String,
    /// Other names of this key; absent if there are none.
    #[schema(value_type = Vec<String>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
}

/// A visit and its fields.
#[derive(Serialize, ToSchema)]
#[schema(as = Visit)]
pub(crate) struct VisitResponse {
    visit_id: String,
    visit_date: FieldValue,
    admission_date: FieldValue,
    discharge_date: FieldValue,
    reason_for_visit: FieldValue,
    fields: Vec<FieldResponse>,
}

impl From<FlatView> for InterpretationResponse {
    fn from(view: FlatView) -> Self {
        Self {
            schema_version: view.schema_version,
            document_id: view.document_id,
            processing_run_id: view.processing_run_id,
            created_at: view.created_at,
            context_key: view.context_key,
            policy_version: view.policy_version,
            fields: view.fields.into_iter().map(FieldResponse::from).collect(),
        }
    }
}

impl From<VisitGroupedView> for VisitGroupedResponse {
    fn from(view: VisitGroupedView) -> Self {
        Self {
            schema_contract: view.schema_contract,
            document_id: view.document_id,
            processing_run_id: view.processing_run_id,
            created_at: view.created_at,
            context_key: view.context_key,
            medical_record_view: view.medical_record_view.into(),
            fields: view.fields.into_iter().map(FieldResponse::from).collect(),
            visits: view.visits.into_iter().map(VisitResponse::from).collect(),
            other_fields: view.other_fields.into_iter().map(FieldResponse::from).collect(),
        }
    }
}

impl From<RecordView> for RecordViewResponse {
    fn from(view: RecordView) -> Self {
        let RecordView { version, sections, field_slots } = view;
        Self {
            version,
            sections,
            field_slots: field_slots.into_iter().map(FieldSlotResponse::from).collect(),
        }
    }
}

impl From<FieldSlot> for FieldSlotResponse {
    fn from(slot: FieldSlot) -> Self {
        let FieldSlot { concept_id, section, scope, canonical_key, aliases } = slot;
        Self { concept_id, section, scope, canonical_key, aliases }
    }
}

impl From<Visit> for VisitResponse {
    fn from(visit: Visit) -> Self {
        Self {
            visit_id: visit.visit_id,
            visit_date: visit.visit_date.into(),
            admission_date: visit.admission_date.into(),
            discharge_date: visit.discharge_date.into(),
            reason_for_visit: visit.reason_for_visit.into(),
            fields: visit.fields.into_iter().map(FieldResponse::from).collect(),
        }
    }
}

#[cfg(test)]
#[path = "interpretation_tests.rs"]
mod tests;

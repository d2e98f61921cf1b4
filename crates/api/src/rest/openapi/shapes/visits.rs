//! What was understood of a document, grouped by visits.

use jiff::Timestamp;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Field, FieldValue, Interpretation};

/// What was understood of a document: a flat list, unless it was asked for by visits.
#[derive(ToSchema)]
#[serde(untagged)]
#[schema(as = InterpretationData)]
pub(crate) enum Shown {
    Flat(Interpretation),
    Visits(ByVisit),
}

/// What was understood of a document, grouped by visits.
#[derive(ToSchema)]
#[schema(as = InterpretationByVisit)]
pub(crate) struct ByVisit {
    /// The generation of this shape.
    #[schema(example = "visit-grouped-canonical")]
    schema_contract: String,
    document_id: Uuid,
    processing_run_id: Uuid,
    created_at: Timestamp,
    /// The surroundings in which it was understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_key: Option<String>,
    medical_record_view: RecordView,
    /// What tells about the document as a whole.
    fields: Vec<Field>,
    /// What tells about visits. The group of what belongs to nobody knows which visit is called `unassigned`.
    visits: Vec<Visit>,
    /// What the schema does not know.
    other_fields: Vec<Field>,
}

/// How a record is laid out.
#[derive(ToSchema)]
pub(crate) struct RecordView {
    version: String,
    /// In the order in which people see them.
    sections: Vec<String>,
    field_slots: Vec<Slot>,
}

/// A place for a field.
#[derive(ToSchema)]
#[schema(as = FieldSlot)]
pub(crate) struct Slot {
    concept_id: String,
    section: String,
    /// `document` or `visit`.
    scope: String,
    canonical_key: String,
    /// Other names under which fields of this key may come; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
}

/// A visit and what happened there.
#[derive(ToSchema)]
pub(crate) struct Visit {
    visit_id: String,
    visit_date: FieldValue,
    admission_date: FieldValue,
    discharge_date: FieldValue,
    reason_for_visit: FieldValue,
    fields: Vec<Field>,
}

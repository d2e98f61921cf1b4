//! The fields of an interpretation, grouped by the visits they belong to: another way of looking at the same list.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;

use super::{Field, Interpretation, Schema, Scope, Value};
use crate::ids::{DocumentId, RunId};

/// The group of what belongs to some visit, nobody knows which.
pub const UNASSIGNED: &str = "unassigned";

/// The sections of a record, in the order in which people see them.
const SECTIONS: [&str; 7] = ["clinic", "patient", "owner", "visits", "notes", "other", "report_info"];

/// An interpretation grouped by visits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)] // The names are those of the contract.
pub struct ByVisit {
    pub schema_contract: &'static str,
    pub document_id: DocumentId,
    pub processing_run_id: RunId,
    pub created_at: Timestamp,
    pub medical_record_view: RecordView,
    /// What tells about the document as a whole.
    pub fields: Vec<Field>,
    /// What tells about visits.
    pub visits: Vec<Visit>,
    /// What the schema does not know.
    pub other_fields: Vec<Field>,
}

/// How a record is laid out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct RecordView {
    pub version: &'static str,
    pub sections: [&'static str; 7],
    pub field_slots: Vec<Slot>,
}

/// A place for a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Slot {
    pub concept_id: String,
    pub section: String,
    pub scope: &'static str,
    pub canonical_key: String,
}

/// A visit and what happened there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Visit {
    pub visit_id: String,
    pub visit_date: Value,
    pub admission_date: Value,
    pub discharge_date: Value,
    pub reason_for_visit: Value,
    pub fields: Vec<Field>,
}

/// Whether a field names this visit.
pub(super) fn exists(fields: &[Field], visit_id: &str) -> bool {
    fields.iter().any(|field| field.visit_id.as_deref() == Some(visit_id))
}

/// Groups an interpretation by visits, in the order in which its fields first name them; what belongs to none comes last.
pub fn group(interpretation: &Interpretation, schema: &Schema) -> ByVisit {
    let mut grouped = ByVisit {
        schema_contract: "visit-grouped-canonical",
        document_id: interpretation.document_id,
        processing_run_id: interpretation.processing_run_id,
        created_at: interpretation.created_at,
        medical_record_view: view(schema),
        fields: Vec::new(),
        visits: Vec::new(),
        other_fields: Vec::new(),
    };
    let mut places = HashMap::new();
    for field in &interpretation.fields {
        let scope = schema.scope(&field.key);
        match (schema.key(&field.key), &field.visit_id) {
            (_, Some(visit_id)) => {
                if !grouped.visit(visit_id, &mut places).take(field) {
                    grouped.other_fields.push(field.clone());
                }
            }
            (None, None) => grouped.other_fields.push(field.clone()),
            (Some(_), None) if scope == Scope::Document => grouped.fields.push(field.clone()),
            // When and why of a visit that nobody knows.
            (Some(_), None) if scope == Scope::Metadata => grouped.other_fields.push(field.clone()),
            (Some(_), None) => grouped.visit(UNASSIGNED, &mut places).fields.push(field.clone()),
        }
    }
    grouped.visits.sort_by_key(|visit| visit.visit_id == UNASSIGNED);
    grouped
}

impl ByVisit {
    /// The visit of that id, whose place is known if it was named before: a record may have thousands.
    fn visit<'i>(&mut self, visit_id: &'i str, places: &mut HashMap<&'i str, usize>) -> &mut Visit {
        let place = *places.entry(visit_id).or_insert_with(|| {
            self.visits.push(Visit { visit_id: visit_id.to_owned(), ..Visit::default() });
            self.visits.len() - 1
        });
        &mut self.visits[place]
    }
}

impl Visit {
    /// False if it tells about the visit itself what another field has told already.
    fn take(&mut self, field: &Field) -> bool {
        let slot = match field.key.as_str() {
            "visit_date" => &mut self.visit_date,
            "admission_date" => &mut self.admission_date,
            "discharge_date" => &mut self.discharge_date,
            "reason_for_visit" => &mut self.reason_for_visit,
            _ => {
                self.fields.push(field.clone());
                return true;
            }
        };
        let is_first = slot.is_empty();
        if is_first {
            *slot = field.value.clone();
        }
        is_first
    }
}

fn view(schema: &Schema) -> RecordView {
    let slots = schema.keys.iter().filter_map(|key| {
        let section = key.panel.clone()?;
        let scope = if key.scope == Scope::Document { "document" } else { "visit" };
        Some(Slot {
            concept_id: format!("{section}.{}", key.key),
            section,
            scope,
            canonical_key: key.key.clone(),
        })
    });
    RecordView { version: "mvp-1", sections: SECTIONS, field_slots: slots.collect() }
}

#[cfg(test)]
#[path = "visits_tests.rs"]
mod tests;

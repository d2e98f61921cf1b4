//! The fields of an interpretation grouped by visit.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::calibration::ConfidencePolicy;
use super::view::FieldView;
use super::{Field, Interpretation, Origin, Schema, Scope, VISIT_DATE, Value};
use quire_domain::ids::{DocumentId, FieldId, RunId};

/// The id of the group of fields that belong to an unknown visit.
pub const UNASSIGNED: &str = "unassigned";

/// The key that gets the date of the latest visit if the document has no date.
const DOCUMENT_DATE: &str = "document_date";

/// An interpretation grouped by visit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)] // The names are those of the API.
pub struct VisitGroupedView {
    pub schema_contract: &'static str,
    pub document_id: DocumentId,
    pub processing_run_id: RunId,
    pub created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_key: Option<String>,
    pub medical_record_view: RecordView,
    /// The fields about the document as a whole.
    pub fields: Vec<GroupedField>,
    /// The visits with their fields.
    pub visits: Vec<Visit>,
    /// The fields whose keys the schema does not have.
    pub other_fields: Vec<GroupedField>,
}

/// A field with its confidence values under the names of this view, beside their names in the flat list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct GroupedField {
    #[serde(flatten)]
    pub view: FieldView,
    pub field_candidate_confidence: f64,
    pub field_mapping_confidence: f64,
    pub field_review_history_adjustment: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_version: Option<String>,
}

/// The layout of the form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct RecordView {
    pub version: &'static str,
    pub sections: Vec<String>,
    pub field_slots: Vec<FieldSlot>,
}

/// The slot of a key in the form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct FieldSlot {
    pub concept_id: String,
    pub section: String,
    pub scope: &'static str,
    pub canonical_key: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// A visit and its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Visit {
    pub visit_id: String,
    pub visit_date: Value,
    pub admission_date: Value,
    pub discharge_date: Value,
    pub reason_for_visit: Value,
    pub fields: Vec<GroupedField>,
}

/// Whether a field belongs to this visit.
pub(super) fn visit_exists(fields: &[Field], visit_id: &str) -> bool {
    fields.iter().any(|field| field.visit_id.as_deref() == Some(visit_id))
}

/// Groups an interpretation by visit. The visits are in the order of their dates, then of their ids; visits without a
/// date follow, and the unassigned fields come last.
pub fn group_by_visit(
    interpretation: &Interpretation,
    schema: &Schema,
    policy: &ConfidencePolicy,
) -> VisitGroupedView {
    let mut grouped = VisitGroupedView {
        schema_contract: "visit-grouped-canonical",
        document_id: interpretation.document_id,
        processing_run_id: interpretation.processing_run_id,
        created_at: interpretation.created_at,
        context_key: interpretation.context_key.clone(),
        medical_record_view: record_view(schema),
        fields: Vec::new(),
        visits: Vec::new(),
        other_fields: Vec::new(),
    };
    let mut places = HashMap::new();
    for original in &interpretation.fields {
        let field = &canonical(original, schema);
        let shown = GroupedField::of(field, interpretation, policy);
        let scope = schema.scope(&field.key);
        match (schema.key(&field.key), &original.visit_id) {
            (_, Some(visit_id)) => {
                let left_over = grouped.visit(visit_id, &mut places).add(shown);
                grouped.other_fields.extend(left_over);
            }
            (None, None) => grouped.other_fields.push(shown),
            (Some(_), None) if scope == Scope::Document => grouped.fields.push(shown),
            // Metadata of an unknown visit.
            (Some(_), None) if scope == Scope::VisitHead => grouped.other_fields.push(shown),
            (Some(_), None) => grouped.visit(UNASSIGNED, &mut places).fields.push(shown),
        }
    }
    grouped.visits.sort_by(|one, other| sort_key(one).cmp(&sort_key(other)));
    let date = document_date(interpretation, schema);
    grouped.fields.extend(date.map(|date| GroupedField::of(&date, interpretation, policy)));
    grouped
}

fn sort_key(visit: &Visit) -> (bool, &str, &str) {
    let date = match &visit.visit_date {
        Value::Text(date) => Some(date.as_str()),
        _ => None,
    };
    // Visits without a date come last.
    (visit.visit_id == UNASSIGNED, date.unwrap_or("~"), &visit.visit_id)
}

/// The field under the key whose alias it has.
fn canonical(field: &Field, schema: &Schema) -> Field {
    if schema.key(&field.key).is_some() {
        return field.clone();
    }
    match schema.keys.iter().find(|key| key.aliases.contains(&field.key)) {
        Some(key) => Field { key: key.key.clone(), is_critical: key.critical, ..field.clone() },
        None => field.clone(),
    }
}

/// The date of the latest visit, for a document without a date of its own. It is only shown and never stored. Its id
/// follows from the run, so that it is always the same.
fn document_date(interpretation: &Interpretation, schema: &Schema) -> Option<Field> {
    let key = schema.key(DOCUMENT_DATE)?;
    let fields = interpretation.fields.iter().filter(|field| !field.value.is_empty());
    if fields.clone().any(|field| field.key == DOCUMENT_DATE) {
        return None;
    }
    let dated = fields.filter(|field| field.key == VISIT_DATE).filter_map(|field| match &field.value {
        Value::Text(date) => Some((date, field)),
        _ => None,
    });
    let (_, latest) = dated.max_by_key(|(date, _)| *date)?;
    let run = interpretation.processing_run_id.0.as_u128();
    Some(Field {
        field_id: FieldId(Uuid::from_u128(run ^ u128::from(u32::from_be_bytes(*b"date")))),
        key: key.key.clone(),
        value_type: key.value_type,
        is_critical: key.critical,
        origin: Origin::Derived,
        visit_id: None,
        mapping_id: None,
        candidate_suggestions: Vec::new(),
        ..latest.clone()
    })
}

impl VisitGroupedView {
    /// The visit of that id. `places` makes the lookup fast, because a record may have thousands of visits.
    fn visit<'i>(&mut self, visit_id: &'i str, places: &mut HashMap<&'i str, usize>) -> &mut Visit {
        let place = *places.entry(visit_id).or_insert_with(|| {
            self.visits.push(Visit { visit_id: visit_id.to_owned(), ..Visit::default() });
            self.visits.len() - 1
        });
        &mut self.visits[place]
    }
}

impl Visit {
    /// Adds a field. Returns it if it states metadata that another field has stated before.
    fn add(&mut self, shown: GroupedField) -> Option<GroupedField> {
        let field = &shown.view.field;
        let slot = match field.key.as_str() {
            VISIT_DATE => &mut self.visit_date,
            "admission_date" => &mut self.admission_date,
            "discharge_date" => &mut self.discharge_date,
            "reason_for_visit" => &mut self.reason_for_visit,
            _ => {
                self.fields.push(shown);
                return None;
            }
        };
        if slot.is_empty() {
            *slot = field.value.clone();
            return None;
        }
        Some(shown)
    }
}

impl GroupedField {
    fn of(field: &Field, interpretation: &Interpretation, policy: &ConfidencePolicy) -> Self {
        Self {
            field_candidate_confidence: field.candidate_confidence,
            field_mapping_confidence: field.confidence,
            field_review_history_adjustment: field.review_history_adjustment,
            context_key: interpretation.context_key.clone(),
            policy_version: interpretation.policy_version.clone(),
            view: FieldView::of(field.clone(), policy),
        }
    }
}

fn record_view(schema: &Schema) -> RecordView {
    let slots = schema.keys.iter().filter_map(|key| {
        let section = key.section.clone()?;
        let scope = if key.scope == Scope::Document { "document" } else { "visit" };
        Some(FieldSlot {
            concept_id: format!("{section}.{}", key.key),
            section,
            scope,
            canonical_key: key.key.clone(),
            aliases: key.aliases.clone(),
        })
    });
    let sections = schema.sections.iter().map(|section| section.id.clone());
    RecordView { version: "mvp-1", sections: sections.collect(), field_slots: slots.collect() }
}

#[cfg(test)]
#[path = "visits_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "visits_shape_tests.rs"]
mod shape_tests;

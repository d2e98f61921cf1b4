//! Turns claims that the text does not contain into suggestions. They never become values.

use super::{UNVERIFIED_CONFIDENCE, model_mapping};
use crate::field::MAX_SUGGESTIONS;
use crate::normal::fold;
use crate::{Evidence, Field, Origin, Schema, Suggestion, Value, ValueType};

/// A claim that was not verified.
pub(super) struct UnverifiedClaim {
    pub key: String,
    pub visit: Option<String>,
    pub value: Value,
    /// Where its words stand, if the text contains them and only a normal form is missing.
    pub evidence: Option<Evidence>,
}

/// Adds each claim as a suggestion to the field of its key. Without such a field, adds one that has no value.
pub(super) fn add_as_suggestions(fields: &mut Vec<Field>, schema: &Schema, claims: Vec<UnverifiedClaim>) {
    for mut claim in claims {
        let is_visit = |visit: &String| fields.iter().any(|field| field.visit_id.as_ref() == Some(visit));
        claim.visit = claim.visit.filter(is_visit);
        let repeatable = schema.key(&claim.key).is_some_and(|key| key.repeatable);
        let is_beside = |field: &&mut Field| {
            let is_open = field.value.is_empty() || !repeatable;
            field.key == claim.key && field.visit_id == claim.visit && is_open
        };
        let suggestion =
            Suggestion { value: claim.value, confidence: UNVERIFIED_CONFIDENCE, evidence: claim.evidence };
        if let Some(field) = fields.iter_mut().find(is_beside) {
            suggest(field, suggestion);
            continue;
        }
        let value_type = schema.key(&claim.key).map_or(ValueType::Unknown, |key| key.value_type);
        let mut field =
            Field::new(&claim.key, Value::Null, value_type, Origin::Machine, UNVERIFIED_CONFIDENCE);
        field.is_critical = schema.is_critical(&claim.key);
        field.evidence.clone_from(&suggestion.evidence);
        field.visit_id = claim.visit;
        field.mapping_id = Some(model_mapping(&claim.key));
        field.candidate_suggestions.push(suggestion);
        let place = insert_position(fields, schema, &field);
        fields.insert(place, field);
    }
}

fn suggest(field: &mut Field, suggestion: Suggestion) {
    let folded = |value: &Value| match value {
        Value::Text(text) => fold(text.trim()),
        other => format!("{other:?}"),
    };
    let wanted = folded(&suggestion.value);
    let is_there = field.candidate_suggestions.iter().any(|known| folded(&known.value) == wanted);
    if folded(&field.value) != wanted && !is_there && field.candidate_suggestions.len() < MAX_SUGGESTIONS {
        field.candidate_suggestions.push(suggestion);
    }
}

/// The index at which a field belongs: fields of the document in the order of the schema, then fields of visits.
pub(crate) fn insert_position(fields: &[Field], schema: &Schema, field: &Field) -> usize {
    if let Some(visit) = &field.visit_id {
        let last = fields.iter().rposition(|other| other.visit_id.as_ref() == Some(visit));
        return last.map_or(fields.len(), |last| last + 1);
    }
    let order = |name: &str| schema.keys.iter().position(|key| key.key == name);
    let own = order(&field.key);
    let is_behind = |other: &Field| other.visit_id.is_some() || order(&other.key) > own;
    fields.iter().position(is_behind).unwrap_or(fields.len())
}

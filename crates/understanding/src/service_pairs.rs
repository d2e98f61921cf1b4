//! Offers the keys and values that a document analysis service found to an interpretation, with the confidence of the service.
//!
//! A pair belongs to a key of the schema if its words are a label of that key. Its value counts only in the normal form of the
//! key. It fills a key that has no value; beside another value it becomes a suggestion. What an interpreter found stays.

use quire_domain::reading::{KeyValuePair, PlacedText, Reading};

use super::field::MAX_SUGGESTIONS;
use super::normal::DateStyle;
use super::rules::{label_form, normal_form};
use super::{Evidence, Field, Origin, Schema, SchemaKey, Scope, Suggestion, Value};

/// The most pairs of a document that are looked at.
const MAX_PAIRS: usize = 2_000;

/// Adds the pairs to the fields of a document. The language helps to read dates.
pub fn add_pairs(
    fields: &mut Vec<Field>,
    pairs: &[KeyValuePair],
    reading: &Reading,
    schema: &Schema,
    language: Option<&str>,
) {
    if pairs.is_empty() {
        return;
    }
    let plain = reading.plain_text();
    let order = DateStyle::of(plain.text.split_whitespace(), language).order;
    for pair in pairs.iter().take(MAX_PAIRS) {
        let Some(placed) = pair.value.as_ref().filter(|value| !value.text.is_empty()) else { continue };
        let Some(key) = key_of(schema, &pair.key.text) else { continue };
        let Some(normal) = normal_form(key, &placed.text, order) else { continue };
        let value = key.value_type.parse_normal_form(normal);
        add_value(fields, key, value, placed, f64::from(pair.confidence).clamp(0.0, 1.0));
    }
}

/// The key of the document that has these words as a label.
fn key_of<'s>(schema: &'s Schema, words: &str) -> Option<&'s SchemaKey> {
    let wanted = label_form(words.trim().trim_end_matches([':', '.', '\u{ff1a}']).trim());
    let is_label = |key: &&SchemaKey| key.labels.iter().any(|label| label_form(label) == wanted);
    schema
        .keys
        .iter()
        .filter(|key| key.scope == Scope::Document)
        .find(is_label)
        .filter(|_| !wanted.is_empty())
}

fn add_value(fields: &mut Vec<Field>, key: &SchemaKey, value: Value, placed: &PlacedText, confidence: f64) {
    let evidence = Some(Evidence::new(placed.page, &placed.text, placed.boxes.clone()));
    let of_key = |field: &&mut Field| field.key == key.key && field.visit_id.is_none();
    let is_known = fields.iter().any(|field| {
        field.key == key.key && field.visit_id.is_none() && field.value.is_same(&value, key.value_type)
    });
    if is_known {
        return;
    }
    let found = Field {
        evidence: evidence.clone(),
        is_critical: key.critical,
        mapping_id: Some(format!("document_intelligence::{}", key.key)),
        ..Field::new(&key.key, value.clone(), key.value_type, Origin::Machine, confidence)
    };
    match fields.iter_mut().find(of_key) {
        Some(field) if field.value.is_empty() => {
            *field =
                Field { candidate_suggestions: std::mem::take(&mut field.candidate_suggestions), ..found };
        }
        Some(_) if key.repeatable => {
            let last = fields.iter().rposition(|field| field.key == key.key);
            fields.insert(last.map_or(fields.len(), |last| last + 1), found);
        }
        Some(field) => suggest(field, Suggestion { value, confidence, evidence }, key),
        None => {
            let first_of_visit = fields.iter().position(|field| field.visit_id.is_some());
            fields.insert(first_of_visit.unwrap_or(fields.len()), found);
        }
    }
}

fn suggest(field: &mut Field, suggestion: Suggestion, key: &SchemaKey) {
    let suggestions = &mut field.candidate_suggestions;
    if suggestions.iter().any(|one| one.value.is_same(&suggestion.value, key.value_type)) {
        return;
    }
    suggestions.push(suggestion);
    suggestions.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    suggestions.truncate(MAX_SUGGESTIONS);
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::Rect;

    use super::*;
    use crate::ValueType;

    fn pair(key: &str, value: &str, confidence: f32) -> KeyValuePair {
        let placed = |text: &str| PlacedText {
            text: text.to_owned(),
            page: 2,
            boxes: vec![Rect { x0: 1.0, y0: 2.0, x1: 3.0, y1: 4.0 }],
        };
        KeyValuePair { key: placed(key), value: Some(placed(value)), confidence }
    }

    fn field(key: &str, value: Value, value_type: ValueType) -> Field {
        Field::new(key, value, value_type, Origin::Machine, 0.66)
    }

    fn added(mut fields: Vec<Field>, pairs: &[KeyValuePair]) -> Vec<Field> {
        let schema = Schema::built_in_default();
        add_pairs(&mut fields, pairs, &Reading::default(), &schema, Some("es"));
        fields
    }

    #[test]
    #[allow(clippy::float_cmp)] // The confidence is passed through.
    fn a_pair_fills_a_key_without_a_value_with_its_place_and_confidence() {
        let fields = added(Vec::new(), &[pair("Especie:", "Canina", 0.75), pair("Unknown words", "x", 0.9)]);
        let [species] = fields.as_slice() else { panic!("{fields:?}") };
        assert_eq!((species.key.as_str(), species.confidence), ("species", 0.75));
        assert!(!species.value.is_empty());
        assert_eq!(species.evidence.as_ref().unwrap().page, 2);
        assert_eq!(species.evidence.as_ref().unwrap().boxes.len(), 1);
        let empty = field("species", Value::Null, ValueType::String);
        assert_eq!(added(vec![empty], &[pair("Especie", "Canina", 0.5)])[0].value, species.value);
    }

    #[test]
    fn beside_another_value_a_pair_is_a_suggestion_and_the_same_value_is_none() {
        let found = added(Vec::new(), &[pair("Especie", "Canina", 0.5)]).remove(0);
        let other = field("species", Value::Text("felino".to_owned()), ValueType::String);
        let pairs = [pair("Especie", "Canina", 0.5), pair("ESPECIE", "Canina", 0.4)];
        let fields = added(vec![other.clone()], &pairs);
        assert_eq!(fields.len(), 1);
        assert_eq!((&fields[0].value, fields[0].candidate_suggestions.len()), (&other.value, 1));
        assert_eq!(fields[0].candidate_suggestions[0].value, found.value);
        let same = field("species", found.value.clone(), ValueType::String);
        assert!(added(vec![same], &pairs)[0].candidate_suggestions.is_empty());
    }

    #[test]
    fn a_value_without_a_normal_form_and_a_key_of_a_visit_are_left_out() {
        let pairs = [pair("Fecha de nacimiento", "not a date", 0.9), pair("Motivo de consulta", "tos", 0.9)];
        assert!(added(Vec::new(), &pairs).is_empty());
    }
}

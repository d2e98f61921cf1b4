//! Derives fields from other fields: the visit of each candidate, the age, the latest weight, the language.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::civil::Date;

use super::DocumentHints;
use super::candidate::{DetectedVisit, ValueCandidate};
use super::visit_start::VisitStartKind;
use crate::normal::years_between;
use crate::{Field, FixedReason, Normaliser, Origin, Schema, SchemaKey, Scope, Value};
use quire_domain::ids::FieldId;

/// The confidence of the language that the reader detected.
const DETECTED_LANGUAGE: f64 = 0.95;

/// The id of a visit, numbered in the order of detection.
pub(crate) fn visit_id(visit: usize) -> String {
    format!("visit-{:03}", visit + 1)
}

/// Assigns candidates to visits. A candidate without a date belongs to the only visit, if there is just one and the
/// document does not state the candidate outside the visits. A visit with nothing but a date that another visit also
/// has is the same visit mentioned twice, and is dropped.
pub(super) fn assign_visits(
    candidates: Vec<ValueCandidate>,
    visits: &[DetectedVisit],
    schema: &Schema,
) -> Vec<ValueCandidate> {
    let mut candidates = candidates;
    assign_by_day(&mut candidates, visits);
    let mut counts = vec![0_u32; visits.len()];
    for visit in candidates.iter().filter_map(|candidate| candidate.visit) {
        counts[visit] += 1;
    }
    let is_twice = |visit: usize| {
        let (first, count) = (&visits[visit], counts[visit]);
        let is_same = |other: usize| other != visit && visits[other].date == first.date && counts[other] > 1;
        count <= 1
            && first.start != Some(VisitStartKind::Timeline)
            && nearby_visits(visits, visit).any(is_same)
    };
    let dropped: Vec<bool> = (0..visits.len()).map(is_twice).collect();
    let mut left = (0..visits.len()).filter(|visit| !dropped[*visit]);
    let only = left.next().filter(|_| left.next().is_none());
    candidates.retain(|candidate| !candidate.visit.is_some_and(|visit| dropped[visit]));
    for candidate in &mut candidates {
        let is_of_visit = schema.keys[candidate.key].scope != Scope::Document;
        let is_free = !candidate.is_outside_visits && candidate.day.is_none();
        if candidate.visit.is_none() && is_free && is_of_visit {
            candidate.visit = only;
        }
    }
    candidates
}

/// Assigns the entries of lists with their own days to the visits of these days.
fn assign_by_day(candidates: &mut [ValueCandidate], visits: &[DetectedVisit]) {
    let mut by_day: HashMap<Date, usize> = HashMap::new();
    for (visit, detected) in visits.iter().enumerate() {
        by_day.entry(detected.date).or_insert(visit);
    }
    for candidate in candidates.iter_mut().filter(|candidate| candidate.visit.is_none()) {
        candidate.visit = candidate.day.and_then(|day| by_day.get(&day).copied());
    }
}

/// The visits that stand near another one in the document. Looking at these only keeps the work bounded.
fn nearby_visits(visits: &[DetectedVisit], visit: usize) -> impl Iterator<Item = usize> {
    visit.saturating_sub(100)..visits.len().min(visit + 100)
}

/// Adds what follows from the fields: the value of the latest visit, whatever the head of the document says, the age from the
/// date of birth, the language.
pub(super) fn add_derived(
    fields: &mut Vec<Field>,
    schema: &Schema,
    visits: &[DetectedVisit],
    hints: DocumentHints<'_>,
) {
    add_latest_of_visits(fields, schema, visits);
    add_age(fields, schema, visits, hints.today);
    if let Some(language) = hints.language
        && let Some(key) = schema.key("language")
        && !has_document_value(fields, key)
    {
        fields.push(derived(key, language.to_owned(), None));
    }
    // In the order of the schema, the fields of the document before those of visits.
    let mut place = std::collections::HashMap::new();
    for (at, key) in schema.keys.iter().enumerate() {
        place.insert(key.key.clone(), at);
    }
    let of_document = |field: &Field| field.visit_id.is_none();
    let count = fields.iter().take_while(|field| of_document(field)).count();
    let mut documents: Vec<Field> = Vec::with_capacity(count);
    let mut of_visits: Vec<Field> = Vec::with_capacity(fields.len() - count);
    for field in fields.drain(..) {
        if of_document(&field) { documents.push(field) } else { of_visits.push(field) }
    }
    documents.sort_by_key(|field| place.get(&field.key).copied());
    fields.extend(documents);
    fields.extend(of_visits);
}

fn has_document_value(fields: &[Field], key: &SchemaKey) -> bool {
    fields.iter().any(|field| field.key == key.key && field.visit_id.is_none() && !field.value.is_empty())
}

fn add_latest_of_visits(fields: &mut Vec<Field>, schema: &Schema, visits: &[DetectedVisit]) {
    for key in schema.keys.iter().filter(|key| key.at_visits) {
        let of_visit = |visit: usize| {
            let id = visit_id(visit);
            fields.iter().find(|field| field.key == key.key && field.visit_id.as_deref() == Some(&id))
        };
        let order = latest_first(visits);
        let weighed: std::collections::HashSet<&str> = fields
            .iter()
            .filter(|field| field.key == key.key)
            .filter_map(|field| field.visit_id.as_deref())
            .collect();
        let latest = order.into_iter().find(|visit| weighed.contains(visit_id(*visit).as_str()));
        if let Some(field) = latest.and_then(of_visit)
            && let Value::Text(value) = &field.value
        {
            let new = derived(key, value.clone(), Some(field));
            let is_same = |field: &Field| field.value == new.value;
            let of_document = |field: &Field| field.key == key.key && field.visit_id.is_none();
            if !fields.iter().any(|field| of_document(field) && is_same(field)) {
                fields.retain(|field| !of_document(field));
                fields.push(new);
            }
        }
    }
}

/// The visits, latest first. On the same day the time of day decides; without times, the entry that was written last.
/// In a document that begins with the newest visit, that is the entry that stands first.
fn latest_first(visits: &[DetectedVisit]) -> Vec<usize> {
    let falls = visits.windows(2).filter(|pair| pair[0].date > pair[1].date).count();
    let rises = visits.windows(2).filter(|pair| pair[0].date < pair[1].date).count();
    let written = |visit: usize| if falls > rises { visits.len() - visit } else { visit };
    let mut order: Vec<usize> = (0..visits.len()).collect();
    order.sort_by_key(|visit| Reverse((visits[*visit].date, visits[*visit].time, written(*visit))));
    order
}

fn add_age(fields: &mut Vec<Field>, schema: &Schema, visits: &[DetectedVisit], today: Option<Date>) {
    let key = |normaliser| schema.keys.iter().find(|key| key.normaliser == normaliser);
    let (Some(age), Some(birth)) = (key(Normaliser::Age), key(Normaliser::BirthDate)) else { return };
    if has_document_value(fields, age) {
        return;
    }
    let day_of = |field: &Field| match &field.value {
        Value::Text(text) => text.parse::<Date>().ok(),
        _ => None,
    };
    let Some(born) = fields.iter().find(|field| field.key == birth.key && field.visit_id.is_none()) else {
        return;
    };
    let Some(day) = day_of(born) else { return };
    let is_past = |date: &Date| *date >= day && today.is_none_or(|today| *date <= today);
    let visited = visits.iter().map(|visit| visit.date).filter(is_past).max();
    let document = || {
        let key = &schema.keys[schema.document_date()?].key;
        fields.iter().find(|field| field.key == *key).and_then(day_of).filter(is_past)
    };
    let reference = visited.or_else(document).or(today);
    if let Some(years) = reference.and_then(|reference| years_between(day, reference)) {
        let field = derived(age, years.to_string(), Some(born));
        fields.retain(|field| field.key != age.key);
        fields.push(field);
    }
}

/// A field that follows from another one and shares its evidence.
fn derived(key: &SchemaKey, value: String, from: Option<&Field>) -> Field {
    let confidence = from.map_or(DETECTED_LANGUAGE, |from| from.confidence);
    let mut evidence = from.and_then(|from| from.evidence.clone());
    if let Some(evidence) = &mut evidence {
        evidence.reasons.insert(0, FixedReason::Follows.stated());
    }
    Field {
        field_id: FieldId::new(),
        key: key.key.clone(),
        value: Value::Text(value),
        value_type: key.value_type,
        confidence,
        candidate_confidence: confidence,
        review_history_adjustment: 0.0,
        is_critical: key.critical,
        origin: Origin::Derived,
        evidence,
        visit_id: None,
        mapping_id: None,
        candidate_suggestions: Vec::new(),
    }
}

//! The simplest way to understand a document: a line that says `Label: value`, with a label that the schema knows.

use std::collections::HashMap;

use super::{Evidence, Field, Origin, Schema, SchemaKey, Scope, Suggestion, Value, ValueType};
use crate::ids::FieldId;
use crate::reading::{Line, Page, Rect};

/// How sure a value is that stands behind its label.
const BY_LABEL: f64 = 0.66;
/// What else a field might be is told up to here.
const MOST_SUGGESTIONS: usize = 5;
/// Fields that are found in one document at most; what has more is no record.
const MOST_FIELDS: usize = 2_000;

/// The fields that stand behind their labels, in the order in which they are read. A line with the date of a visit opens
/// one, and what happened at a visit belongs to the last one opened.
pub fn find(pages: &[Page], schema: &Schema) -> Vec<Field> {
    let by_label: HashMap<&str, &SchemaKey> = schema
        .keys
        .iter()
        .flat_map(|key| key.labels.iter().map(move |label| (label.as_str(), key)))
        .collect();
    let mut finder = Finder { schema, fields: Vec::new(), visits: 0 };
    for (page, number) in pages.iter().zip(1..) {
        for line in &page.lines {
            if let Some(found) = Found::on(line, number, &by_label) {
                finder.take(found);
            }
        }
    }
    finder.fields
}

/// A label that the schema knows, with what stands behind it.
struct Found<'s> {
    key: &'s SchemaKey,
    label: String,
    value: Value,
    value_type: ValueType,
    evidence: Evidence,
}

impl<'s> Found<'s> {
    fn on(line: &Line, page: u32, by_label: &HashMap<&str, &'s SchemaKey>) -> Option<Self> {
        let text = line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let (label, value) = text.split_once(':')?;
        let label = plain(label);
        let key = by_label.get(label.as_str()).copied()?;
        let value = value.trim();
        if value.is_empty() {
            return None;
        }
        let colon = line.words.iter().position(|word| word.text.contains(':'))?;
        let ends_label = line.words[colon].text.split_once(':').is_some_and(|(_, rest)| rest.is_empty());
        let behind = if ends_label { colon + 1 } else { colon };
        let boxes: Vec<Rect> = line.words[behind..].iter().map(|word| word.rect).collect();
        let (value, value_type) = match key.value_type {
            ValueType::Date => date(value).map_or_else(
                // Shown as it stands, for a person to put right.
                || (Value::Text(value.to_owned()), ValueType::Unknown),
                |date| (Value::Text(date), ValueType::Date),
            ),
            kind => (Value::Text(value.to_owned()), kind),
        };
        Some(Self { key, label, value, value_type, evidence: Evidence::new(page, &text, boxes) })
    }
}

struct Finder<'s> {
    schema: &'s Schema,
    fields: Vec<Field>,
    visits: u32,
}

impl Finder<'_> {
    fn take(&mut self, found: Found<'_>) {
        if found.key.key == "visit_date" {
            self.visits += 1;
        }
        let is_of_visit = found.key.scope != Scope::Document && self.visits > 0;
        let visit_id = is_of_visit.then(|| format!("visit-{}", self.visits));
        let same = |field: &&mut Field| field.key == found.key.key && field.visit_id == visit_id;
        if !found.key.repeatable
            && let Some(field) = self.fields.iter_mut().find(same)
        {
            return suggest(field, found.value, found.evidence);
        }
        if self.fields.len() >= MOST_FIELDS {
            return;
        }
        self.fields.push(Field {
            field_id: FieldId::new(),
            key: found.key.key.clone(),
            value: found.value,
            value_type: found.value_type,
            confidence: BY_LABEL,
            candidate_confidence: BY_LABEL,
            review_history_adjustment: 0.0,
            is_critical: self.schema.is_critical(&found.key.key),
            origin: Origin::Machine,
            evidence: Some(found.evidence),
            visit_id,
            mapping_id: Some(format!("label::{}", found.label.replace(' ', "_"))),
            candidate_suggestions: Vec::new(),
        });
    }
}

/// The first of several stays the value; the others are what it might be as well.
fn suggest(field: &mut Field, value: Value, evidence: Evidence) {
    let is_same = |other: &Value| match (other, &value) {
        (Value::Text(one), Value::Text(two)) => one.to_lowercase() == two.to_lowercase(),
        (one, two) => one == two,
    };
    let is_known =
        is_same(&field.value) || field.candidate_suggestions.iter().any(|other| is_same(&other.value));
    if !is_known && field.candidate_suggestions.len() < MOST_SUGGESTIONS {
        let suggestion = Suggestion { value, confidence: BY_LABEL, evidence: Some(evidence) };
        field.candidate_suggestions.push(suggestion);
    }
}

/// In small letters, without the accents of Spanish, apart by single spaces.
fn plain(label: &str) -> String {
    let folded = label.chars().flat_map(char::to_lowercase).map(|letter| match letter {
        'á' | 'à' | 'ä' => 'a',
        'é' | 'è' | 'ë' => 'e',
        'í' | 'ì' | 'ï' => 'i',
        'ó' | 'ò' | 'ö' | 'º' => 'o',
        'ú' | 'ù' | 'ü' => 'u',
        'ñ' => 'n',
        '.' => ' ',
        letter => letter,
    });
    folded.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A date as `YYYY-MM-DD`, from that or from day, month and year.
fn date(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?;
    let parts: Vec<&str> = first.split(['/', '-', '.']).collect();
    let [one, two, three] = parts[..] else { return None };
    let (year, month, day) = if one.len() == 4 { (one, two, three) } else { (three, two, one) };
    if year.len() != 4 {
        return None;
    }
    let date = jiff::civil::Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    date.ok().map(|date| date.to_string())
}

#[cfg(test)]
#[path = "labels_tests.rs"]
mod tests;

//! Compares the fields of one document with its right values.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::judge_tables::judge_table;
use super::{TrueKey, Truth};
use crate::normal::fold;
use crate::{Evidence, Field, VISIT_DATE, Value};

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was found and is right.
    Right,
    /// It was found and is wrong.
    Wrong,
    /// It is right and was not found.
    Missed,
    /// It was found where there is no value, and the truth accepts it, or it is an optional item.
    Tolerated,
}

/// The judgement about one value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The key. Those of visits begin with `visit/`.
    pub key: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The right values of the key. Empty if it must have none.
    pub expected: Vec<Value>,
    /// The value that was found.
    pub found: Option<Value>,
    /// Its confidence.
    pub confidence: Option<f64>,
    /// Where it was found.
    pub evidence: Option<Evidence>,
    /// Whether the evidence is on the right page, if the truth says which that is.
    pub is_page_right: Option<bool>,
    /// The page of the right value, if the truth says it.
    pub true_page: Option<u32>,
}

/// Judges the fields of a document. `keys` are the keys that some truth names: a value of another key is neither right nor
/// wrong. A key that this document's truth does not name must have no value.
pub fn judge(truth: &Truth, fields: &[Field], keys: &BTreeSet<String>) -> Vec<Judgement> {
    let is_of_visit = |field: &Field| truth.visits.is_some() && field.visit_id.is_some();
    let mut judgements = Vec::new();
    let nothing = TrueKey::default();
    for key in keys {
        let found = fields.iter().filter(|field| field.key == *key && !is_of_visit(field));
        judge_key(key, truth.keys.get(key).unwrap_or(&nothing), found.collect(), &mut judgements);
    }
    if let Some(visits) = &truth.visits {
        let mut wanted: BTreeMap<(String, String), TrueKey> = BTreeMap::new();
        for visit in visits {
            let date = Value::Text(visit.date.clone());
            wanted.entry((VISIT_DATE.to_owned(), String::new())).or_default().values.push(date);
            for (key, values) in &visit.items {
                let entry = wanted.entry((key.clone(), visit.date.clone())).or_default();
                entry.values.extend(values.iter().cloned());
            }
        }
        let mut found: BTreeMap<(String, String), Vec<&Field>> = BTreeMap::new();
        let dates = visit_dates(fields);
        for field in fields.iter().filter(|field| is_of_visit(field)) {
            let date =
                field.visit_id.as_deref().and_then(|visit| dates.get(visit).cloned()).unwrap_or_default();
            let date = if field.key == VISIT_DATE { String::new() } else { date };
            found.entry((field.key.clone(), date)).or_default().push(field);
        }
        let known: BTreeSet<&str> = wanted.keys().map(|(key, _)| key.as_str()).collect();
        let places: BTreeSet<(String, String)> = wanted.keys().chain(found.keys()).cloned().collect();
        for place in places.iter().filter(|(key, _)| known.contains(key.as_str())) {
            let of_place = found.remove(place).unwrap_or_default();
            let key = format!("visit/{}", place.0);
            let first = judgements.len();
            judge_key(&key, wanted.get(place).unwrap_or(&nothing), of_place, &mut judgements);
            for judgement in judgements[first..].iter_mut().filter(|one| one.outcome == Outcome::Wrong) {
                let is_optional = |value: &Value| truth.is_optional(&place.0, value);
                if judgement.found.as_ref().is_some_and(is_optional) {
                    judgement.outcome = Outcome::Tolerated;
                }
            }
        }
    }
    judgements
}

impl Truth {
    /// Whether a value of a visit is an optional item.
    fn is_optional(&self, key: &str, value: &Value) -> bool {
        let is_of_key = |own: &Option<String>| own.as_deref().is_none_or(|own| own == key);
        self.optional_items.iter().any(|item| is_of_key(&item.key) && is_same(&item.value, value))
    }
}

/// The date of each visit.
fn visit_dates(fields: &[Field]) -> BTreeMap<&str, String> {
    let dated = fields.iter().filter(|field| field.key == VISIT_DATE);
    dated.filter_map(|field| Some((field.visit_id.as_deref()?, written(&field.value)))).collect()
}

fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        _ => String::new(),
    }
}

fn judge_key(key: &str, truth: &TrueKey, found: Vec<&Field>, judgements: &mut Vec<Judgement>) {
    if let [Value::Table(rows)] = &truth.values[..] {
        return judge_table(key, rows, &found, judgements);
    }
    let mut open: Vec<&Value> = truth.values.iter().collect();
    let judgement = |outcome: Outcome, field: Option<&Field>| Judgement {
        key: key.to_owned(),
        outcome,
        expected: truth.values.clone(),
        found: field.map(|field| field.value.clone()),
        confidence: field.map(|field| field.confidence),
        evidence: field.and_then(|field| field.evidence.clone()),
        is_page_right: field
            .and_then(|field| field.evidence.as_ref())
            .filter(|_| outcome == Outcome::Right && !truth.pages.is_empty())
            .map(|evidence| truth.pages.contains(&evidence.page)),
        true_page: truth.pages.first().copied(),
    };
    for field in found.into_iter().filter(|field| !field.value.is_empty()) {
        let is_accepted = truth.accepted.iter().any(|accepted| is_same(accepted, &field.value));
        let outcome = if let Some(at) = open.iter().position(|value| is_same(value, &field.value)) {
            open.remove(at);
            Outcome::Right
        } else if is_accepted && !open.is_empty() {
            open.remove(0);
            Outcome::Right
        } else if is_accepted && truth.values.is_empty() {
            Outcome::Tolerated
        } else {
            Outcome::Wrong
        };
        judgements.push(judgement(outcome, Some(field)));
    }
    judgements.extend(
        open.iter()
            .map(|value| Judgement { expected: vec![(*value).clone()], ..judgement(Outcome::Missed, None) }),
    );
}

/// Whether two values are the same: numbers by a hundredth, texts by their letters and digits.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    if let (Some(one), Some(other)) = (one.as_number(), other.as_number()) {
        return (one - other).abs() < 0.005;
    }
    let letters = |value: &Value| {
        let text = match value {
            Value::Text(text) => fold(text),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Table(_) => format!("{value:?}"),
            Value::Null => String::new(),
        };
        text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>()
    };
    letters(one) == letters(other)
}

//! Puts the data that a file contains beside its pages into the fields. The keys of a schema name the terms of the data that
//! are their values.
//!
//! Data was written for programs, so it is more certain than what the rules find on a page. Where both differ, the data is the
//! value and what is printed is a suggestion, so that a reviewer sees the conflict. A value that contradicts other values of
//! the data gets a suggestion, too, and less confidence.

mod form_names;

use std::collections::HashMap;

use self::form_names::FormNames;
use quire_domain::reading::{DataFinding, DataValue, EmbeddedData, Page, Rect};

use crate::field::MAX_SUGGESTIONS;
use crate::normal::fold;
use crate::{
    Evidence, Field, FixedReason, Normaliser, Origin, Schema, SchemaKey, Suggestion, Value, ValueType,
};

/// The confidence of a value that the page shows too, that it does not show, and that it shows otherwise.
const CONFIRMED: f64 = 0.99;
const UNPRINTED: f64 = 0.97;
const IN_CONFLICT: f64 = 0.90;
/// The confidence of a value that contradicts others of the same data, and of what they make it.
const CONTRADICTED: f64 = 0.60;
const EXPECTED: f64 = 0.35;
/// The most confidence of a form field whose name is like a label.
const NAMED_LIKE_LABEL: f64 = 0.95;
/// The state of a box in a form that is not checked.
const UNCHECKED: &str = "Off";
/// The most values of a repeatable key.
const MAX_REPEATED: usize = 1_000;
/// The place of further values of a key is not looked for: each search takes time in proportion to the pages.
const MAX_LOCATED: usize = 100;

/// Replaces the fields of every key that the data has a value for.
pub fn apply_embedded_data(fields: &mut Vec<Field>, pages: &[Page], schema: &Schema) {
    let data: Vec<&EmbeddedData> =
        pages.iter().flat_map(|page| &page.data).filter(|data| !data.values.is_empty()).collect();
    let forms = ValuesByName::of(&data, schema);
    for (index, key) in schema.keys.iter().enumerate() {
        let named = data.iter().find_map(|data| Some((*data, values_of(data, key)?)));
        let is_named = named.is_some();
        let Some((data, values)) = named.or_else(|| forms.get(index)) else { continue };
        let is_printed = |field: &mut Field| field.key == key.key && field.visit_id.is_none();
        let printed: Vec<Field> = fields.extract_if(.., is_printed).collect();
        let made = values.into_iter().enumerate().map(|(number, value)| {
            let findings = data.findings.iter().filter(|finding| finding.term == value.term);
            let located = if number < MAX_LOCATED { pages } else { &[] };
            let mut field = field(key, value, data, &printed, &findings.collect::<Vec<_>>(), located);
            if !is_named {
                field.confidence = field.confidence.min(NAMED_LIKE_LABEL);
                field.candidate_confidence = field.confidence;
                field.mapping_id = Some(format!("form::{}", key.key));
            }
            field
        });
        let place = fields.iter().position(|field| {
            field.visit_id.is_some() || schema.keys.iter().skip(index + 1).any(|later| later.key == field.key)
        });
        let place = place.unwrap_or(fields.len());
        let made: Vec<Field> = made.collect();
        fields.splice(place..place, made);
    }
}

/// The values of form fields whose names mean keys of the schema.
struct ValuesByName<'d>(HashMap<usize, (&'d EmbeddedData, Vec<&'d DataValue>)>);

impl<'d> ValuesByName<'d> {
    fn of(data: &[&'d EmbeddedData], schema: &Schema) -> Self {
        let mut values: HashMap<usize, (&EmbeddedData, Vec<&DataValue>)> = HashMap::new();
        let mut forms = data.iter().filter(|data| data.is_form()).peekable();
        if forms.peek().is_none() {
            return Self(values);
        }
        let names = FormNames::of(schema);
        for (form, value) in forms.flat_map(|form| form.values.iter().map(move |value| (*form, value))) {
            let Some(place) = names.key_of(&value.term).filter(|_| value.text != UNCHECKED) else { continue };
            let key = &schema.keys[place];
            // A name may mean something else than the label that is like it.
            let is_value =
                key.normaliser.apply(&value.text).is_some_and(|normal| key.validators.allows(&normal));
            let of_key = values.entry(place).or_insert_with(|| (form, Vec::new()));
            let most = if key.repeatable { MAX_REPEATED } else { 1 };
            if is_value && of_key.1.len() < most {
                of_key.1.push(value);
            }
        }
        values.retain(|_, (_, values)| !values.is_empty());
        Self(values)
    }

    fn get(&self, key: usize) -> Option<(&'d EmbeddedData, Vec<&'d DataValue>)> {
        self.0.get(&key).cloned()
    }
}

/// The values of a key: of the first of its terms that the data has.
fn values_of<'d>(data: &'d EmbeddedData, key: &SchemaKey) -> Option<Vec<&'d DataValue>> {
    let values = key.terms.iter().map(|term| {
        let of_term = data.values.iter().filter(|value| value.term == *term);
        // A box that is not checked says nothing about what it stands for.
        let of_term = of_term.filter(|value| !(data.is_form() && value.text == UNCHECKED));
        of_term.take(if key.repeatable { MAX_REPEATED } else { 1 }).collect::<Vec<&DataValue>>()
    });
    values.into_iter().find(|values| !values.is_empty())
}

fn field(
    key: &SchemaKey,
    data: &DataValue,
    source: &EmbeddedData,
    printed: &[Field],
    findings: &[&DataFinding],
    pages: &[Page],
) -> Field {
    let typed = if source.is_form() { key.normaliser.apply(&data.text) } else { None };
    let value = match typed {
        Some(typed) => key.value_type.parse_normal_form(typed),
        None => normal_value(key, &data.text),
    };
    let same = printed.iter().find(|field| is_same(&field.value, &value, key.value_type));
    let others = printed.iter().filter(|field| !field.value.is_empty());
    let mut suggestions: Vec<Suggestion> = findings
        .iter()
        .map(|finding| Suggestion {
            value: normal_value(key, &finding.expected),
            confidence: EXPECTED,
            evidence: Some(Evidence::new(1, &finding.message, Vec::new())),
        })
        .collect();
    // A page shows several lines of a repeatable key, which are no rivals of each other.
    if same.is_none() && !key.repeatable {
        suggestions.extend(others.map(|field| Suggestion {
            value: field.value.clone(),
            confidence: field.confidence.min(EXPECTED),
            evidence: field.evidence.clone(),
        }));
    }
    suggestions.truncate(MAX_SUGGESTIONS);
    let (page, boxes) = same
        .and_then(|field| field.evidence.as_ref())
        .map(|evidence| (evidence.page, evidence.boxes.clone()))
        .or_else(|| find_words(pages, &data.text))
        .unwrap_or((1, Vec::new()));
    let (confidence, reason) = match same {
        _ if !findings.is_empty() => (CONTRADICTED, FixedReason::Contradicted),
        Some(_) => (CONFIRMED, FixedReason::SameOnPage),
        None if suggestions.is_empty() && boxes.is_empty() => (UNPRINTED, FixedReason::NotOnPage),
        None if suggestions.is_empty() => (UNPRINTED, FixedReason::SameOnPage),
        None => (IN_CONFLICT, FixedReason::OtherOnPage),
    };
    let source = if source.file.is_empty() { String::new() } else { format!("{} ", source.file) };
    let snippet = format!("{} · {source}{}", data.text, data.path);
    let mut field = Field::new(&key.key, value, key.value_type, Origin::Embedded, confidence);
    let reasons = vec![FixedReason::InData.stated(), reason.stated()];
    field.evidence = Some(Evidence { reasons, ..Evidence::new(page, &snippet, boxes) });
    field.mapping_id = Some(format!("data::{}", data.term));
    field.candidate_suggestions = suggestions;
    field
}

/// The value of a text of the data. Numbers have a decimal point and dates are ISO dates, whatever the language of the pages.
fn normal_value(key: &SchemaKey, text: &str) -> Value {
    let number = || text.parse::<f64>().ok().filter(|number| number.is_finite());
    if key.value_type == ValueType::Number
        && let Some(number) = number()
    {
        return Value::Number(number);
    }
    let has_form = matches!(key.normaliser, Normaliser::TaxId | Normaliser::Iban | Normaliser::Currency);
    let normal = if has_form { key.normaliser.apply(text) } else { None };
    key.value_type.parse_normal_form(normal.unwrap_or_else(|| text.to_owned()))
}

/// Whether a page shows the same value: how names are written does not matter.
fn is_same(printed: &Value, value: &Value, kind: ValueType) -> bool {
    let letters =
        |text: &str| fold(text).chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    match (printed, value) {
        (Value::Text(one), Value::Text(other)) => letters(one) == letters(other),
        (Value::Number(one), Value::Number(other)) => (one - other).abs() < 0.005,
        _ => printed.is_same(value, kind),
    }
}

/// The first place where a page has these words. Takes time in proportion to the pages.
fn find_words(pages: &[Page], text: &str) -> Option<(u32, Vec<Rect>)> {
    let wanted: Vec<&str> = text.split_whitespace().collect();
    let first = wanted.first()?;
    for (page, number) in pages.iter().zip(1u32..) {
        for line in &page.lines {
            for (at, _) in line.words.iter().enumerate().filter(|(_, word)| word.text == *first) {
                let words = line.words.get(at..at + wanted.len()).unwrap_or_default();
                if !words.is_empty() && words.iter().map(|word| word.text.as_str()).eq(wanted.iter().copied())
                {
                    return Some((number, words.iter().map(|word| word.rect).collect()));
                }
            }
        }
    }
    None
}

#[cfg(test)]
#[path = "embedded_tests.rs"]
mod tests;

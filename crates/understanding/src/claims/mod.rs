//! What somebody else says stands in a document, such as a language model, and what of it holds.
//!
//! A claim becomes a value only if it is found in the text ([`search`]), as it was claimed or in other words with the same
//! normal form; where it stands is found here and never taken from whoever claims. What is not found is no value: it is kept
//! beside, as something that a field might be ([`unfound`]).

mod search;
#[cfg(test)]
mod tests;
mod unverified;

use std::ops::Range;

use jiff::civil::Date;

use self::search::SearchableText;
use self::unverified::UnverifiedClaim;
use super::rules::{self, Candidate, DetectedVisit, DocumentHints};
use super::{Evidence, Field, Normaliser, Schema, SchemaKey, VISIT_DATE, Value};
use quire_domain::reading::Reading;

/// How sure a value is that stands in the text behind a label of its key: whoever claimed it and the label agree.
const LABELLED_CONFIDENCE: f64 = 0.72;
/// How sure one is that stands in the text, somewhere.
const IN_TEXT_CONFIDENCE: f64 = 0.58;
/// How sure one is that does not stand there, or has no normal form.
const UNVERIFIED_CONFIDENCE: f64 = 0.15;
/// Claims of one document at most, and visits.
const MAX_CLAIMS: usize = 4_000;
const MAX_VISITS: usize = 1_000;
/// Letters and figures of the shortest value that is believed to be meant wherever it stands.
const MIN_UNLABELLED_CHARS: usize = 3;

/// One value of one key.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelClaim {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: Value,
}

/// What is claimed of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelClaims {
    /// Of the document itself.
    pub document: Vec<ModelClaim>,
    /// Of each visit; when it was is one of its claims.
    pub visits: Vec<Vec<ModelClaim>>,
}

/// The fields that hold, in the order that the rules give them. Keys that the schema does not have are dropped: nobody asked
/// for them.
pub fn verify_claims(
    claims: ModelClaims,
    reading: &Reading,
    schema: &Schema,
    known: DocumentHints<'_>,
) -> Vec<Field> {
    let plain = reading.plain_text();
    let mut held = ClaimVerifier {
        schema,
        text: SearchableText::of(&plain),
        candidates: Vec::new(),
        visits: Vec::new(),
        unverified: Vec::new(),
        claims_left: MAX_CLAIMS,
    };
    for claim in claims.document {
        held.verify(claim, None, None);
    }
    held.verify_visits(claims.visits);
    let mut fields = rules::fields_from_candidates(held.candidates, &held.visits, schema, known);
    unverified::add_as_suggestions(&mut fields, schema, held.unverified);
    fields
}

/// Adds fields that the rules found of keys that have no value otherwise, where `is_wanted`.
pub fn fill_from_rules(
    fields: &mut Vec<Field>,
    from_rules: Vec<Field>,
    schema: &Schema,
    is_wanted: impl Fn(&Field) -> bool,
) {
    for field in from_rules {
        let has_value = fields.iter().any(|own| own.key == field.key && !own.value.is_empty());
        if has_value || field.visit_id.is_some() || field.value.is_empty() || !is_wanted(&field) {
            continue;
        }
        fields.retain(|own| own.key != field.key || own.visit_id.is_some());
        let place = unverified::insert_position(fields, schema, &field);
        fields.insert(place, field);
    }
}

/// Claims as far as they hold.
struct ClaimVerifier<'a> {
    schema: &'a Schema,
    text: SearchableText<'a>,
    candidates: Vec<Candidate>,
    visits: Vec<DetectedVisit>,
    unverified: Vec<UnverifiedClaim>,
    claims_left: usize,
}

impl ClaimVerifier<'_> {
    /// Visits are dated first: what is said of one most likely stands between its date and the next one.
    fn verify_visits(&mut self, visits: Vec<Vec<ModelClaim>>) {
        let mut dated = Vec::new();
        for mut claims in visits.into_iter().take(MAX_VISITS) {
            let at = claims.iter().position(|claim| claim.key == VISIT_DATE);
            let date = at.map(|at| claims.remove(at));
            let opened = date.and_then(|date| self.open_visit(date));
            dated.push((opened, claims));
        }
        let starts: Vec<usize> =
            dated.iter().filter_map(|(opened, _): &(Option<(usize, usize)>, _)| Some((*opened)?.1)).collect();
        for (opened, claims) in dated {
            let stretch = opened.map(|(_, start)| {
                let next = starts.iter().copied().filter(|other| *other > start).min();
                start..next.unwrap_or(usize::MAX)
            });
            for claim in claims {
                self.verify(claim, opened.map(|(visit, _)| visit), stretch.as_ref());
            }
        }
    }

    /// The visit of that date and where it stands, if the date does.
    fn open_visit(&mut self, claim: ModelClaim) -> Option<(usize, usize)> {
        let before = self.candidates.len();
        self.verify(claim, Some(self.visits.len()), None);
        let candidate = self.candidates.get_mut(before)?;
        let date = candidate.value.as_ref().and_then(|value| value.parse::<Date>().ok());
        let Some(date) = date else {
            candidate.visit = None;
            return None;
        };
        let start = self.text.last_match_start;
        self.visits.push(DetectedVisit { date, time: None, start: None });
        Some((self.visits.len() - 1, start))
    }

    fn verify(&mut self, claim: ModelClaim, visit: Option<usize>, stretch: Option<&Range<usize>>) {
        let Some(place) = self.schema.keys.iter().position(|key| key.key == claim.key) else { return };
        if claim.value.is_empty() || self.claims_left == 0 {
            return;
        }
        self.claims_left -= 1;
        let key = &self.schema.keys[place];
        let (raw, normal) = words_and_normal_form(key, &claim.value);
        let found = raw.as_deref().and_then(|raw| self.text.find(key, raw, normal.as_deref(), stretch));
        let evidence = found.as_ref().map(|found| self.text.evidence(found));
        match (found, evidence, normal) {
            (Some(found), Some(evidence), Some(normal)) => self.candidates.push(Candidate {
                key: place,
                visit,
                raw: raw.unwrap_or_default(),
                value: Some(normal),
                confidence: if found.is_labelled { LABELLED_CONFIDENCE } else { IN_TEXT_CONFIDENCE },
                mapping: model_mapping(&key.key),
                evidence,
                is_outside_visits: false,
            }),
            (_, evidence, _) => {
                let visit = visit.filter(|_| key.key != VISIT_DATE).map(rules::derive::visit_id);
                self.unverified.push(UnverifiedClaim { key: claim.key, visit, value: claim.value, evidence });
            }
        }
    }
}

/// A value in words, and in its normal form, if its key can have it. A yes or no is not in words: no text says `true`.
fn words_and_normal_form(key: &SchemaKey, value: &Value) -> (Option<String>, Option<String>) {
    let words = match value {
        Value::Text(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) => return (None, None),
    };
    let normal = rules::normal_form(key, &words);
    (Some(words), normal)
}

/// What says that a field was claimed.
fn model_mapping(key: &str) -> String {
    format!("model::{key}")
}

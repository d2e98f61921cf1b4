//! Verifies claims about a document that a language model makes.
//!
//! A claim becomes a value only if the text contains it ([`search`]), in the same words or in words with the same
//! normal form. Its evidence is looked up here and never taken from the model. A claim that is not verified becomes a
//! suggestion of its field ([`unverified`]).

mod search;
#[cfg(test)]
mod tests;
mod unverified;

pub(crate) use unverified::insert_position;

use std::ops::Range;

use jiff::civil::Date;

use self::search::SearchableText;
use self::unverified::UnverifiedClaim;
use super::normal::{DateOrder, DateStyle};
use super::rules::{self, DetectedVisit, DocumentHints, ValueCandidate};
use super::{Evidence, Field, Normaliser, Schema, SchemaKey, VISIT_DATE, Value};
use quire_domain::reading::{PlainText, Reading};

/// The confidence of a value that follows a label of its key in the text: the model and the label agree.
const LABELLED_CONFIDENCE: f64 = 0.72;
/// The confidence of a value that stands anywhere in the text.
const IN_TEXT_CONFIDENCE: f64 = 0.58;
/// The confidence of a claim that the text does not contain, or that has no normal form.
const UNVERIFIED_CONFIDENCE: f64 = 0.15;
/// The most claims of one document, and the most visits.
const MAX_CLAIMS: usize = 4_000;
const MAX_VISITS: usize = 1_000;
/// The shortest value that may be verified without a label before it, in letters and digits.
const MIN_UNLABELLED_CHARS: usize = 3;

/// A claim: one value of one key.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelClaim {
    /// The claimed key.
    pub key: String,
    /// The claimed value.
    pub value: Value,
}

/// The claims about a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelClaims {
    /// The claims about the document itself.
    pub document: Vec<ModelClaim>,
    /// The claims about each visit. The date of the visit is one of them.
    pub visits: Vec<Vec<ModelClaim>>,
}

/// Verifies claims and turns them into fields, in the order of [`rules::find_fields`]. Claims of keys that the
/// schema does not have are dropped.
pub fn verify_claims(
    claims: ModelClaims,
    reading: &Reading,
    schema: &Schema,
    hints: DocumentHints<'_>,
) -> Vec<Field> {
    let plain = reading.plain_text();
    let dates = DateStyle::of(plain.text.split_whitespace(), hints.language);
    let mut verifier = ClaimVerifier {
        schema,
        order: dates.order,
        text: SearchableText::of(&plain),
        candidates: Vec::new(),
        visits: Vec::new(),
        unverified: Vec::new(),
        claims_left: MAX_CLAIMS,
    };
    for claim in claims.document {
        verifier.verify(claim, None, None);
    }
    verifier.verify_visits(claims.visits);
    let mut fields = rules::fields_from_candidates(verifier.candidates, &verifier.visits, schema, hints);
    unverified::add_as_suggestions(&mut fields, schema, verifier.unverified);
    fields
}

/// Adds fields of the document that the rules found and `is_wanted` accepts, for keys without a value.
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
        let position = unverified::insert_position(fields, schema, &field);
        fields.insert(position, field);
    }
}

/// Where a text has the words of a quote, in bytes, whatever their case, accents and marks. A quote of fewer than three letters
/// and digits is in every text, and counts as not found.
pub fn find_quote(text: &str, quote: &str) -> Option<Range<usize>> {
    if quote.chars().filter(|letter| letter.is_alphanumeric()).count() < MIN_UNLABELLED_CHARS {
        return None;
    }
    let mut plain = PlainText::default();
    text.clone_into(&mut plain.text);
    SearchableText::of(&plain).find_words(quote)
}

/// The verification of the claims about one document.
struct ClaimVerifier<'a> {
    schema: &'a Schema,
    /// The order of the dates in the text.
    order: DateOrder,
    text: SearchableText<'a>,
    candidates: Vec<ValueCandidate>,
    visits: Vec<DetectedVisit>,
    unverified: Vec<UnverifiedClaim>,
    claims_left: usize,
}

impl ClaimVerifier<'_> {
    /// Verifies the visits. Their dates come first, because the text about a visit mostly stands between its date and
    /// the next one.
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
            let range = opened.map(|(_, start)| {
                let next = starts.iter().copied().filter(|other| *other > start).min();
                start..next.unwrap_or(usize::MAX)
            });
            for claim in claims {
                self.verify(claim, opened.map(|(visit, _)| visit), range.as_ref());
            }
        }
    }

    /// Opens the visit of a claimed date. Returns the visit and where its date stands in the text, if the text
    /// contains the date.
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

    fn verify(&mut self, claim: ModelClaim, visit: Option<usize>, range: Option<&Range<usize>>) {
        let Some(position) = self.schema.keys.iter().position(|key| key.key == claim.key) else { return };
        if claim.value.is_empty() || self.claims_left == 0 {
            return;
        }
        self.claims_left -= 1;
        let key = &self.schema.keys[position];
        let (raw, normal) = words_and_normal_form(key, &claim.value, self.order);
        let found = raw.as_deref().and_then(|raw| self.text.find(key, raw, normal.as_deref(), range));
        let evidence = found.as_ref().map(|found| self.text.evidence(found));
        match (found, evidence, normal) {
            (Some(found), Some(evidence), Some(normal)) => self.candidates.push(ValueCandidate {
                key: position,
                visit,
                raw: raw.unwrap_or_default(),
                value: Some(normal),
                rank: if found.is_labelled { LABELLED_CONFIDENCE } else { IN_TEXT_CONFIDENCE },
                mapping: model_mapping(&key.key),
                evidence,
                features: None,
                is_outside_visits: false,
                day: None,
            }),
            (_, evidence, _) => {
                let visit = visit.filter(|_| key.key != VISIT_DATE).map(rules::derive::visit_id);
                self.unverified.push(UnverifiedClaim { key: claim.key, visit, value: claim.value, evidence });
            }
        }
    }
}

/// The words of a value, and their normal form if the key can have it. A boolean has no words, because no text says
/// `true`.
fn words_and_normal_form(
    key: &SchemaKey,
    value: &Value,
    order: DateOrder,
) -> (Option<String>, Option<String>) {
    let words = match value {
        Value::Text(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Table(_) => return (None, None),
    };
    let normal = rules::normal_form(key, &words, order);
    (Some(words), normal)
}

/// The mapping id of values that a model claimed.
fn model_mapping(key: &str) -> String {
    format!("model::{key}")
}

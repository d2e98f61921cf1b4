//! What a field may be.

use jiff::civil::{Date, Time};

use super::FieldExtractor;
use super::value_position::TokenSpan;
use super::visit_start::VisitStartKind;
use crate::normal::date::{date, time};
use crate::{Evidence, Normaliser, SchemaKey, Scope};
use quire_domain::reading::Rect;

/// Candidates of one document at most; what has more is no record.
const MAX_CANDIDATES: usize = 4_000;

/// Words of the longest line that is shown as a whole.
const MAX_SNIPPET_WORDS: usize = 80;

/// What a field may be.
pub(crate) struct Candidate {
    /// Its key, as a place in the schema.
    pub key: usize,
    /// The visit it belongs to.
    pub visit: Option<usize>,
    /// As it stands in the document.
    pub raw: String,
    /// Its normal form, if it has one.
    pub value: Option<String>,
    pub confidence: f64,
    pub mapping: String,
    pub evidence: Evidence,
    /// Whether it is told of apart from all visits: as something from before, or with what the patient is.
    pub is_outside_visits: bool,
}

/// A visit that was found.
pub(crate) struct DetectedVisit {
    pub date: Date,
    /// The time of day, if it was told.
    pub time: Option<Time>,
    pub start: Option<VisitStartKind>,
}

/// How a value was found.
pub(super) struct Provenance<'h> {
    pub confidence: f64,
    pub mapping: String,
    /// The cell of its label.
    pub label: Option<usize>,
    /// Its words, if they are not simply those of its pieces.
    pub text: Option<&'h str>,
}

impl FieldExtractor<'_> {
    /// Proposes a value; whether it has a normal form.
    pub(super) fn propose(&mut self, key: usize, spans: &[TokenSpan], provenance: Provenance<'_>) -> bool {
        let raw = provenance.text.map_or_else(|| self.text_of(spans), str::to_owned);
        let schema = &self.schema.keys[key];
        let value = normal_form(schema, &raw);
        let is_normal = value.is_some();
        // What has no normal form is told, so that a person sees it, but only of the document itself and if a
        // label says what it should be.
        let is_told = schema.normaliser.is_strict() && self.visit.is_none() && provenance.label.is_some();
        let is_told = is_told && schema.scope == Scope::Document && !raw.trim().is_empty();
        if self.candidates.len() >= MAX_CANDIDATES || (!is_normal && !is_told) {
            return false;
        }
        let of_visit = schema.scope != Scope::Document || schema.at_visits;
        let x0 = spans.first().map_or(0.0, |(cell, _)| self.layout.cells[*cell].rect.x0);
        let is_apart = self.is_in_history
            || self.context.section_at(x0).is_some_and(|section| self.roles.visits != Some(section));
        let candidate = Candidate {
            key,
            visit: self.visit.filter(|_| of_visit && !self.is_in_history),
            value,
            confidence: provenance.confidence,
            mapping: provenance.mapping,
            evidence: self.evidence(spans, provenance.label),
            is_outside_visits: is_apart,
            raw,
        };
        self.candidates.push(candidate);
        is_normal
    }

    fn evidence(&self, spans: &[TokenSpan], label: Option<usize>) -> Evidence {
        let mut shown: Vec<TokenSpan> = label.map(|cell| (cell, 0..1)).into_iter().collect();
        for span in spans {
            match shown.iter_mut().find(|(cell, _)| *cell == span.0) {
                Some((_, tokens)) => *tokens = span.1.clone(),
                None => shown.push(span.clone()),
            }
        }
        let texts = shown.iter().map(|span| self.snippet_around(span));
        let snippet = texts.collect::<Vec<_>>().join(" ");
        let page = spans.first().map_or(1, |(cell, _)| self.layout.cells[*cell].page);
        let mut boxes: Vec<Rect> = Vec::new();
        for (cell, tokens) in spans {
            let cell = &self.layout.cells[*cell];
            let tokens = cell.tokens[tokens.clone()].iter();
            for token in tokens.filter(|token| cell.page == page && !token.is_separator()) {
                self.layout.count_step();
                if boxes.last() != Some(&token.rect) {
                    boxes.push(token.rect);
                }
            }
        }
        Evidence::new(page, &snippet, boxes)
    }

    /// The words of a cell, or of an endless one those around a place.
    fn snippet_around(&self, (cell, tokens): &TokenSpan) -> String {
        let cell = &self.layout.cells[*cell];
        if cell.tokens.len() <= MAX_SNIPPET_WORDS {
            return cell.text(cell.token_range());
        }
        let start = tokens.start.saturating_sub(MAX_SNIPPET_WORDS / 4);
        cell.text(start..cell.tokens.len().min(start + MAX_SNIPPET_WORDS))
    }

    /// Whether something has been proposed for a key.
    pub(super) fn has_value(&self, key: usize) -> bool {
        self.candidates
            .iter()
            .rev()
            .take(60)
            .any(|candidate| candidate.key == key && candidate.value.is_some())
    }

    /// The key of a part of the record whose values have this normal form.
    pub(super) fn key_in_section(&self, section: Option<&str>, normaliser: Normaliser) -> Option<usize> {
        let is_it = |key: &SchemaKey| {
            key.normaliser == normaliser && section.is_some() && key.section.as_deref() == section
        };
        self.schema.keys.iter().position(is_it)
    }
}

/// The normal form of words as a value of a key, whoever says that they are one: none if the key cannot have it.
pub(crate) fn normal_form(key: &SchemaKey, words: &str) -> Option<String> {
    let words = if key.scope == Scope::Metadata { without_leading_times(words) } else { words };
    let value = key.normaliser.apply(words)?;
    // A day alone says nothing of what happened.
    let is_day = key.scope == Scope::Visit && !value.contains(' ') && date(&value).is_some();
    (!is_day && key.validators.allows(&value)).then_some(value)
}

/// Words without the times of day that they begin with: when something was is not why.
fn without_leading_times(words: &str) -> &str {
    let mut words = words.trim_start();
    loop {
        let first = words.split_whitespace().next().unwrap_or_default();
        let is_mark = !first.is_empty() && !first.chars().any(char::is_alphanumeric);
        if !is_mark && time(first).is_none() {
            return words;
        }
        words = words[first.len()..].trim_start();
    }
}

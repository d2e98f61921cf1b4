//! Candidates: the values that a field may have, each with its evidence.

use jiff::civil::{Date, Time};

use super::labels::LabelMeaning;
use super::layout::{Token, word_label_form};
use super::unlabelled::looks_like_person;
use super::value_position::TokenSpan;
use super::visit_start::VisitStartKind;
use super::{FieldFinder, OPEN_DATE_FACTOR};
use crate::confidence::{Feature, Features, LabelPlace, Sighting, observe};
use crate::normal::date::{date, date_readings, fits_order, time};
use crate::normal::{DateOrder, fold};
use crate::{Evidence, Normaliser, SchemaKey, Scope};
use quire_domain::reading::Rect;

/// The most candidates of one document. A document with more is no form.
const MAX_CANDIDATES: usize = 4_000;

/// The longest name of a person with a title, in words.
const MAX_PERSON_WORDS: usize = 7;

/// The longest cell that a snippet quotes whole, in words.
const MAX_SNIPPET_WORDS: usize = 80;

/// Words by which a form says that there was nothing of the kind.
const NOTHING: [&str; 17] = [
    "none",
    "nil",
    "no",
    "n/a",
    "na",
    "ninguno",
    "ninguna",
    "sin datos",
    "no aplica",
    "keine",
    "keiner",
    "aucun",
    "aucune",
    "nessuno",
    "nessuna",
    "nenhum",
    "geen",
];

/// One value that a field may have.
#[derive(Clone)]
pub(crate) struct ValueCandidate {
    /// The index of its key in the schema.
    pub key: usize,
    /// The index of the visit that it belongs to.
    pub visit: Option<usize>,
    /// The words of the document.
    pub raw: String,
    /// The normal form of the words, if they have one.
    pub value: Option<String>,
    /// Orders the candidates of a key. It becomes the confidence of a candidate without features.
    pub rank: f64,
    /// What is known about it. None if somebody else said how sure they are.
    pub features: Option<Features>,
    pub mapping: String,
    pub evidence: Evidence,
    /// Whether the document states it apart from all visits: in the history, or in a section that is not the visits'.
    pub is_outside_visits: bool,
    /// The day of its row, in a list with its own days. It belongs to the visit of that day.
    pub day: Option<Date>,
}

/// A visit that was detected in the document.
pub(crate) struct DetectedVisit {
    pub date: Date,
    /// The time of day, if the document states it.
    pub time: Option<Time>,
    /// How the line looks that starts it. None if a label, a table or a sentence tells its date.
    pub start: Option<VisitStartKind>,
}

/// Where a candidate comes from: its rule, its label and its rank.
pub(super) struct Provenance<'h> {
    pub rank: f64,
    pub mapping: String,
    /// The cell of its label.
    pub label: Option<usize>,
    /// The text of the value, if it differs from the text of its spans.
    pub text: Option<&'h str>,
}

impl FieldFinder<'_> {
    /// Adds a candidate. Returns whether its value has a normal form.
    pub(super) fn add_candidate(
        &mut self,
        key: usize,
        spans: &[TokenSpan],
        provenance: Provenance<'_>,
    ) -> bool {
        let raw = provenance.text.map_or_else(|| self.text_of(spans), str::to_owned);
        let schema_key = &self.schema.keys[key];
        if schema_key.normaliser.is_name() && self.labels.is_label_or_heading(&raw) {
            return false;
        }
        // Beside the kind of a visit stands who saw the patient: "Vacunación   Dra. Amparo Luque".
        if schema_key.scope == Scope::Visit && schema_key.repeatable && self.is_person(spans, &raw) {
            return false;
        }
        let label = provenance.mapping.strip_prefix("label_regex::").unwrap_or_default();
        let value = normal_form(schema_key, &raw, self.dates.order)
            .or_else(|| schema_key.normaliser.apply_behind(label, &raw));
        let other = self.other_date(schema_key, &raw, value.as_deref());
        let is_normal = value.is_some();
        // Without a normal form, a candidate is kept only for a person to see: of the document itself, and if a label
        // says what it should be.
        let is_for_person =
            schema_key.normaliser.is_strict() && self.visit.is_none() && provenance.label.is_some();
        let is_for_person = is_for_person && schema_key.scope == Scope::Document && !raw.trim().is_empty();
        if self.candidates.len() >= MAX_CANDIDATES || (!is_normal && !is_for_person) {
            return false;
        }
        let of_visit = schema_key.scope != Scope::Document || schema_key.at_visits;
        let x0 = spans.first().map_or(0.0, |(cell, _)| self.layout.cells[*cell].rect.x0);
        let is_apart = self.is_in_history
            || self.context.section_at(x0).is_some_and(|section| self.roles.visits != Some(section));
        let is_open = other.is_some();
        let mut features = self.features_of(schema_key, spans, &raw, value.as_deref(), &provenance);
        features.mark(Feature::OpenDate, is_open);
        let mut candidate = ValueCandidate {
            key,
            features: Some(features),
            visit: self.visit.filter(|_| of_visit && !self.is_in_history),
            value,
            rank: provenance.rank,
            mapping: provenance.mapping,
            evidence: self.evidence(spans, provenance.label),
            is_outside_visits: is_apart,
            day: self.day,
            raw,
        };
        if is_open {
            candidate.rank *= OPEN_DATE_FACTOR;
        }
        // The other reading becomes a suggestion. A key with several values would get it as one of them.
        let is_offered = is_open && !schema_key.repeatable;
        let suggestion = is_offered.then(|| ValueCandidate {
            value: other.flatten(),
            rank: candidate.rank * OPEN_DATE_FACTOR,
            ..candidate.clone()
        });
        self.candidates.push(candidate);
        self.candidates.extend(suggestion.filter(|other| other.value.is_some()));
        if is_normal && schema_key.normaliser == Normaliser::Sex {
            self.status_beside_sex(spans);
        }
        is_normal
    }

    /// Proposes the other fact that stands within a sex or beside it: "Hembra esterilizada". The cues of its key are such words.
    fn status_beside_sex(&mut self, spans: &[TokenSpan]) {
        let Some(key) = self.status_key() else { return };
        let cues = &self.schema.keys[key].cues;
        let word = spans.iter().find_map(|(cell, tokens)| {
            let words = &self.layout.cells[*cell].tokens;
            let around = tokens.start.saturating_sub(1)..words.len().min(tokens.end + 2);
            around.into_iter().find(|at| cues.contains(&words[*at].word)).map(|at| (*cell, at..at + 1))
        });
        if let Some(word) = word {
            let text = self.text_of(std::slice::from_ref(&word));
            let text = text.trim_matches(|c: char| !c.is_alphanumeric());
            self.add_unlabelled(Some(key), &word, Some(text), "beside_sex");
        }
    }

    /// The key of what stands within the sex or beside it.
    pub(super) fn status_key(&self) -> Option<usize> {
        let is_status = |key: &SchemaKey| {
            key.scope == Scope::Document
                && key.normaliser == Normaliser::Text
                && key.section.as_deref() == self.roles.subject
                && !key.cues.is_empty()
        };
        self.schema.keys.iter().position(is_status)
    }

    /// Whether nothing in the document tells which part of a date is the day, and the other date that it can be then. None
    /// if the date is certain; `Some(None)` if it fits only the order that the document does not use.
    #[allow(clippy::option_option)] // The two are different answers.
    fn other_date(&self, key: &SchemaKey, words: &str, value: Option<&str>) -> Option<Option<String>> {
        let is_date = matches!(key.normaliser, Normaliser::Date | Normaliser::BirthDate);
        let value = value.filter(|_| is_date && self.dates.is_open)?;
        let readings: Vec<String> = date_readings(words).iter().map(ToString::to_string).collect();
        let other = readings.into_iter().find(|reading| reading != value);
        let is_foreign = other.is_none() && !fits_order(words, self.dates.order);
        (other.is_some() || is_foreign).then_some(other)
    }

    /// What is known about a value and how it was found.
    fn features_of(
        &self,
        key: &SchemaKey,
        spans: &[TokenSpan],
        raw: &str,
        value: Option<&str>,
        provenance: &Provenance<'_>,
    ) -> Features {
        let Some((cell, tokens)) = spans.first() else { return Features::default() };
        let it = &self.layout.cells[*cell];
        let label = provenance.label.map(|label| {
            let other = &self.layout.cells[label];
            let place = match () {
                () if label == *cell => LabelPlace::Inside,
                () if other.row == it.row => LabelPlace::Beside,
                () if other.row < it.row && other.page == it.page => LabelPlace::Above,
                () => LabelPlace::Elsewhere,
            };
            (label, place)
        });
        let segment = |label: usize| {
            let segments = self.segments[label].iter();
            segments.rev().find(|segment| label != *cell || segment.start <= tokens.start)
        };
        let own = label.and_then(|(label, _)| Some((label, segment(label)?)));
        let extra_words = own.map_or(0, |(label, own)| {
            let words = &self.layout.cells[label].tokens[own.start..own.value.start.max(own.start)];
            let words = words.iter().filter(|token| !token.is_separator()).count();
            let known = own.label.map_or(words, |(meaning, _)| meaning.words.split_whitespace().count());
            words.saturating_sub(known + 1)
        });
        let is_mended = |token: &Token<'_>| token.label_form != word_label_form(token.text);
        let mut shown =
            spans.iter().take(4).flat_map(|(cell, tokens)| &self.layout.cells[*cell].tokens[tokens.clone()]);
        let word_confidence = shown.clone().take(60).filter_map(|token| token.confidence).reduce(f32::min);
        let has_measure = spans.iter().take(4).any(|(cell, tokens)| self.has_measure(*cell, tokens));
        let sighting = Sighting {
            is_behind_gap: self.visit.is_some()
                && (key.scope != Scope::Document || key.at_visits)
                && self.gaps > 0,
            has_measure,
            mapping: &provenance.mapping,
            label: label.map(|(_, place)| place),
            extra_words,
            is_common: own
                .is_some_and(|(_, own)| own.label.is_some_and(|(meaning, _)| self.is_shared(meaning))),
            is_mended: it.is_recognised
                && label
                    .is_some_and(|(label, _)| self.layout.cells[label].tokens.iter().take(8).any(is_mended)),
            is_recognised: it.is_recognised,
            word_confidence,
            reliability: self.reliability_of(it.page),
            is_of_visit: self.visit.is_some() && key.at_visits,
            is_first_page: it.page == 1,
            in_own_section: self
                .context
                .section_at(it.rect.x0)
                .map(|section| key.section.as_deref() == Some(section)),
            has_label_words: shown.by_ref().take(60).any(|token| token.colon),
            decision: self.is_business.then_some(provenance.rank),
        };
        observe(key, raw, value, &sighting)
    }

    /// Whether words are a person with a title, or one who is known.
    fn is_person(&self, spans: &[TokenSpan], words: &str) -> bool {
        let [(cell, tokens)] = spans else { return false };
        if tokens.len() > MAX_PERSON_WORDS || !looks_like_person(words) {
            return false;
        }
        let leads = self.labels.lead_in_at_start(&self.layout.cells[*cell].tokens[tokens.clone()]);
        let is_titled = leads.is_some_and(|(key, _)| self.schema.keys[key].normaliser == Normaliser::Person);
        let vet = self.key_in_section(self.roles.institution, Normaliser::Person);
        is_titled || self.is_known_person(vet, words)
    }

    /// Whether keys of several sections share a label, such as "name".
    fn is_shared(&self, meaning: &LabelMeaning) -> bool {
        meaning.shared.iter().any(|key| self.schema.keys[*key].scope == Scope::Document)
    }

    /// The share of a page that was read well.
    fn reliability_of(&self, page: u32) -> f64 {
        let page = usize::try_from(page).unwrap_or(1).saturating_sub(1);
        self.reliabilities.get(page).copied().unwrap_or(1.0)
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
                if boxes.last() != Some(&token.on_page) {
                    boxes.push(token.on_page);
                }
            }
        }
        let reliability = (self.reliability_of(page) * 100.0).round() / 100.0;
        Evidence { text_reliability: Some(reliability), ..Evidence::new(page, &snippet, boxes) }
    }

    /// The text of a cell. Of a very long cell, the words around the span.
    fn snippet_around(&self, (cell, tokens): &TokenSpan) -> String {
        let cell = &self.layout.cells[*cell];
        if cell.tokens.len() <= MAX_SNIPPET_WORDS {
            return cell.text(cell.token_range());
        }
        let start = tokens.start.saturating_sub(MAX_SNIPPET_WORDS / 4);
        cell.text(start..cell.tokens.len().min(start + MAX_SNIPPET_WORDS))
    }

    /// Whether one of the latest candidates of a key has a value.
    pub(super) fn has_value(&self, key: usize) -> bool {
        self.candidates
            .iter()
            .rev()
            .take(60)
            .any(|candidate| candidate.key == key && candidate.value.is_some())
    }

    /// The key in that section with that normaliser.
    pub(super) fn key_in_section(&self, section: Option<&str>, normaliser: Normaliser) -> Option<usize> {
        let is_it = |key: &SchemaKey| {
            key.normaliser == normaliser && section.is_some() && key.section.as_deref() == section
        };
        self.schema.keys.iter().position(is_it)
    }
}

/// The normal form of some words as a value of a key, or none if the key cannot have such a value.
pub(crate) fn normal_form(key: &SchemaKey, words: &str, order: DateOrder) -> Option<String> {
    let words = if key.scope == Scope::VisitHead { without_leading_times(words) } else { words };
    let value = key.normaliser.apply_in(words, order)?;
    // A bare date says nothing about what happened.
    let is_day = key.scope == Scope::Visit && !value.contains(' ') && date(&value).is_some();
    let is_nothing = key.scope == Scope::Visit && key.repeatable && NOTHING.contains(&fold(&value).as_str());
    (!is_day && !is_nothing && key.validators.allows(&value)).then_some(value)
}

/// Removes the times of day at the beginning of some words. A time is no reason for a visit.
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

//! Turns what stands behind a label into candidates.

use std::ops::Range;

use super::candidate::Provenance;
use super::labels::LabelMeaning;
use super::segments::{self, Separator};
use super::value_position::{ExpectedValue, TokenSpan, TokenSpans};
use super::{FieldExtractor, LABELLED_CONFIDENCE, UNLABELLED_CONFIDENCE};
use crate::normal::DateOrder;
use crate::normal::date::{date_in_order, is_plausible_visit_date};
use crate::normal::opens_with_postcode;
use crate::{Normaliser, SchemaKey, Scope};

/// Words that show that a label is only part of a longer phrase.
const JOINING_WORDS: [&str; 10] = ["y", "e", "o", "u", "de", "del", "and", "or", "of", "for"];

impl FieldExtractor<'_> {
    /// The key that a label means at this place.
    pub(super) fn resolve_label(&self, meaning: &LabelMeaning, cell: usize) -> Option<usize> {
        let it = &self.layout.cells[cell];
        let section_of = |key: &usize| self.schema.keys[*key].section.as_deref();
        let governed = self.context.section_at(it.rect.x0);
        let shared = meaning.shared.iter().find(|key| governed.is_some() && section_of(key) == governed);
        if let Some(key) = shared.copied().or(meaning.key) {
            return Some(key);
        }
        let sections: Vec<&str> = meaning.shared.iter().filter_map(section_of).collect();
        let near = self.context.nearest_section(it, &sections);
        let by_section =
            |section: &str| meaning.shared.iter().find(|key| section_of(key) == Some(section)).copied();
        near.and_then(by_section).or_else(|| {
            let last = self.candidates.iter().rev().take(20).find_map(|candidate| {
                section_of(&candidate.key).filter(|section| sections.contains(section))
            });
            last.and_then(by_section)
        })
    }

    /// Reads the values of a label.
    pub(super) fn read_label(
        &mut self,
        cell: usize,
        meaning: &LabelMeaning,
        separator: Separator,
        value: &Range<usize>,
        start: usize,
    ) {
        let Some(key) = self.resolve_label(meaning, cell) else {
            if separator == Separator::Space {
                self.read_unlabelled(cell, &(start..value.end));
            } else {
                self.read_other_label(cell, meaning, value);
            }
            return;
        };
        if separator == Separator::Space && !self.is_row_label(cell, key) {
            if !self.propose_after_space(cell, key, meaning, value, start) {
                self.read_unlabelled(cell, &(start..value.end));
            }
            return;
        }
        let end = value.end..value.end;
        let value = if separator == Separator::Space { &end } else { value };
        let schema_key = &self.schema.keys[key];
        // A clinical label ends the sections about people.
        let is_clinical = schema_key.scope == Scope::Metadata
            || (schema_key.scope == Scope::Visit && schema_key.repeatable);
        if is_clinical && !self.is_in_history {
            self.context.clear();
        }
        let is_text = schema_key.normaliser == Normaliser::Text;
        let expected = ExpectedValue { key: Some(key), is_list: schema_key.repeatable, is_text };
        let values = self.values_of_label(cell, value, &expected);
        let own = value.clone().any(|token| !self.layout.cells[cell].tokens[token].is_separator());
        let values = if schema_key.repeatable { self.split_items(values) } else { values };
        for spans in values {
            let is_beside = spans[0].0 == cell + 1;
            let is_certain = separator == Separator::Mark || own || is_beside;
            let is_proposed = self.propose_value(cell, key, meaning, spans.clone(), is_certain);
            if is_proposed && !own {
                self.mark_used(&spans);
            } else if is_proposed {
                self.mark_used(&spans[1..]);
            }
        }
        if let Some(section) = self.schema.keys[key].section.clone() {
            self.context.remember_label(&self.layout.cells[cell], &section);
        }
    }

    /// Whether a cell is a longer label, such as "Diagnóstico final", with its value in the next cell.
    pub(super) fn is_row_label(&self, cell: usize, key: usize) -> bool {
        let it = &self.layout.cells[cell];
        let is_first = self.layout.rows[it.row].start == cell;
        let has_digits = it.tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let expected = ExpectedValue { key: Some(key), ..ExpectedValue::default() };
        let is_name = |next: usize| self.segments[next][0].label.is_none();
        let is_capitals = it.tokens.iter().all(|token| !token.text.chars().any(char::is_lowercase));
        let is_phrase =
            is_capitals || it.tokens.iter().skip(it.first_word() + 1).all(|token| !token.is_capital());
        is_first
            && is_phrase
            && it.tokens.len() <= 4
            && !has_digits
            && segments::can_be_embedded(self.schema, key)
            && self.value_beside(cell, &expected).is_some_and(is_name)
    }

    /// Proposes a value behind a label, or opens a visit with it.
    pub(super) fn propose_value(
        &mut self,
        cell: usize,
        key: usize,
        meaning: &LabelMeaning,
        mut spans: TokenSpans,
        is_certain: bool,
    ) -> bool {
        let words = self.text_of(&spans);
        let schema_key = &self.schema.keys[key];
        let normal = schema_key.normaliser.apply_in(&words, self.dates.order);
        if normal.is_none() && !is_certain {
            return false;
        }
        if is_impossible_visit_date(schema_key, &words, self.dates.order) {
            return false;
        }
        if matches!(schema_key.normaliser, Normaliser::Date)
            && let Some(date) = date_in_order(&words, self.dates.order)
            && self.open_visit_by_label(cell, key, meaning, date, &spans)
        {
            return true;
        }
        let mapping = format!("label_regex::{}", meaning.words.replace(' ', "_"));
        let mut joined = None;
        if schema_key.normaliser == Normaliser::Address {
            let lines = self.text_lines(&spans).join(", ");
            joined = self.append_postcode_line(&mut spans).or(Some(lines));
        }
        if schema_key.normaliser.names_subject() {
            self.facts_behind_name(Some(cell), &spans, &words);
        }
        if schema_key.normaliser == Normaliser::Person {
            self.address_behind_name(key, cell, &spans, &words);
        }
        if let Some(both) = schema_key.normaliser.split(&words) {
            for (normaliser, words) in both {
                let mapping = mapping.clone();
                let provenance = Provenance {
                    confidence: LABELLED_CONFIDENCE,
                    mapping,
                    label: Some(cell),
                    text: Some(words),
                };
                self.propose_for(normaliser, &spans, provenance);
            }
            return true;
        }
        let provenance = Provenance {
            confidence: LABELLED_CONFIDENCE,
            mapping,
            label: Some(cell),
            text: joined.as_deref(),
        };
        self.propose(key, &spans, provenance)
    }

    pub(super) fn propose_for(
        &mut self,
        normaliser: Normaliser,
        spans: &[TokenSpan],
        provenance: Provenance<'_>,
    ) {
        if let Some(key) = self.schema.keys.iter().position(|key| key.normaliser == normaliser) {
            self.propose(key, spans, provenance);
        }
    }

    /// Proposes a value that only a space separates from its label. It must be recognisable by itself, or look like a
    /// name.
    pub(super) fn propose_after_space(
        &mut self,
        cell: usize,
        key: usize,
        meaning: &LabelMeaning,
        value: &Range<usize>,
        start: usize,
    ) -> bool {
        let it = &self.layout.cells[cell];
        let schema_key = &self.schema.keys[key];
        let words = it.text(value.clone());
        let next = &it.tokens[value.start];
        let first = &it.tokens[start];
        let is_capitals = it.tokens.iter().all(|token| !token.text.chars().any(char::is_lowercase));
        let is_joined = JOINING_WORDS.contains(&next.word.as_str()) && (is_capitals || !next.is_capital());
        let is_capital = first.is_capital() && next.is_capital() && !is_joined;
        let is_reason =
            schema_key.scope == Scope::Metadata && first.is_capital() && !is_joined && value.len() <= 8;
        let is_short = value.len() <= 5;
        let (is_value, confidence) = match schema_key.normaliser {
            Normaliser::Weight => (has_weight_unit(&words) && value.len() <= 4, LABELLED_CONFIDENCE),
            normaliser if normaliser.is_short() => {
                (is_short && start == it.first_word(), LABELLED_CONFIDENCE)
            }
            normaliser if normaliser.is_strict() => (true, LABELLED_CONFIDENCE),
            Normaliser::Address => (true, LABELLED_CONFIDENCE),
            Normaliser::Institution => (self.repeats_label(cell, key, value), UNLABELLED_CONFIDENCE),
            Normaliser::Amount => (false, UNLABELLED_CONFIDENCE),
            Normaliser::Person => (is_capital && is_short && value.len() >= 2, UNLABELLED_CONFIDENCE),
            Normaliser::Text if schema_key.scope == Scope::Document => {
                (is_capital && value.len() <= 2, UNLABELLED_CONFIDENCE)
            }
            Normaliser::Text if is_reason => (true, UNLABELLED_CONFIDENCE),
            Normaliser::Text => (is_capital && value.len() <= 16, UNLABELLED_CONFIDENCE),
            _ => (is_capital && is_short, UNLABELLED_CONFIDENCE),
        };
        let is_certain = schema_key.normaliser.is_strict() || !self.is_letterhead(cell);
        if !is_value || !is_certain || schema_key.normaliser.apply_in(&words, self.dates.order).is_none() {
            return false;
        }
        if is_impossible_visit_date(schema_key, &words, self.dates.order) {
            return false;
        }
        let spans = vec![(cell, value.clone())];
        if schema_key.normaliser == Normaliser::Date
            && let Some(date) = date_in_order(&words, self.dates.order)
            && self.open_visit_by_label(cell, key, meaning, date, &spans)
        {
            return true;
        }
        let rule = if confidence < LABELLED_CONFIDENCE { "fallback" } else { "label_regex" };
        let mapping = format!("{rule}::{}", meaning.words.replace(' ', "_"));
        let values = if schema_key.repeatable { self.split_items(vec![spans]) } else { vec![spans] };
        let mut is_new = false;
        for spans in values {
            let provenance =
                Provenance { confidence, mapping: mapping.clone(), label: Some(cell), text: None };
            is_new |= self.propose(key, &spans, provenance);
        }
        if let Some(section) = self.schema.keys[key].section.clone() {
            self.context.remember_label(&self.layout.cells[cell], &section);
        }
        is_new
    }

    /// Whether the name of an institution repeats its label: "Clínica Clínica Sur".
    fn repeats_label(&self, cell: usize, key: usize, value: &Range<usize>) -> bool {
        let words = &self.layout.cells[cell].tokens[value.clone()];
        self.labels
            .label_at_start(words)
            .is_some_and(|(meaning, count)| meaning.key == Some(key) && count < words.len())
    }

    /// Reads a label that no key is for. Its value is marked as used, or continues an address.
    pub(super) fn read_other_label(&mut self, cell: usize, meaning: &LabelMeaning, value: &Range<usize>) {
        let expected = ExpectedValue::default();
        let Some(spans) = self.values_of_label(cell, value, &expected).into_iter().next() else { return };
        let own = spans[0].0 == cell;
        if !own && self.value_beside(cell, &expected) != Some(spans[0].0) {
            return;
        }
        if !own {
            self.mark_used(&spans);
        }
        let words = self.text_of(&spans);
        let row = self.layout.cells[cell].row;
        for key in &meaning.continues {
            if let Some(last) = self.candidates.iter_mut().rev().take(8).find(|last| last.key == *key)
                && !last.raw.contains(&words)
                && row > 0
            {
                let before = last.raw.trim_end_matches([',', ' ']);
                // The name of a town follows its postcode without a comma.
                let code = before.rsplit(' ').next().unwrap_or_default();
                let is_code = code.len() == 5 && code.bytes().all(|b| b.is_ascii_digit());
                let separator = if is_code { " " } else { ", " };
                last.raw = format!("{before}{separator}{}", words.trim());
                last.value = self.schema.keys[*key].normaliser.apply(&last.raw);
                return;
            }
        }
    }

    /// Appends the next line to an address if it begins with a postcode. Returns the whole text then.
    pub(super) fn append_postcode_line(&self, spans: &mut TokenSpans) -> Option<String> {
        let last = spans.last()?.0;
        let next = self.cell_below(last)?;
        let cell = &self.layout.cells[next];
        let words = cell.text(cell.token_range());
        if self.line_distance(last, next) > 2.2 || !opens_with_postcode(&words) {
            return None;
        }
        let joined = format!("{}, {words}", self.text_lines(spans).join(", ").trim_end_matches([',', ' ']));
        spans.push((next, cell.token_range()));
        Some(joined)
    }

    pub(super) fn mark_used(&mut self, spans: &[TokenSpan]) {
        for (cell, _) in spans {
            self.used[*cell] = true;
        }
    }

    /// Splits values at semicolons.
    pub(super) fn split_items(&self, values: Vec<TokenSpans>) -> Vec<TokenSpans> {
        let mut items: Vec<TokenSpans> = Vec::new();
        for spans in values {
            let mut item: TokenSpans = Vec::new();
            for (cell, tokens) in spans {
                let mut start = tokens.start;
                for at in tokens.clone() {
                    if self.layout.cells[cell].tokens[at].text.ends_with(';') {
                        item.push((cell, start..at + 1));
                        items.push(std::mem::take(&mut item));
                        start = at + 1;
                    }
                }
                if start < tokens.end {
                    item.push((cell, start..tokens.end));
                }
            }
            if !item.is_empty() {
                items.push(item);
            }
        }
        items
    }
}

/// Whether the words are a number with a unit of weight.
pub(super) fn has_weight_unit(words: &str) -> bool {
    let words = words.trim().trim_end_matches('.').to_lowercase();
    let unit = words.trim_start_matches(|c: char| !c.is_alphabetic());
    matches!(unit, "kg" | "kgs" | "kilos" | "g" | "gr" | "grs" | "k")
}

/// Whether the words are a date on which no visit can have been.
fn is_impossible_visit_date(key: &SchemaKey, words: &str, order: DateOrder) -> bool {
    let is_day = key.scope == Scope::Metadata && key.normaliser == Normaliser::Date;
    is_day && date_in_order(words, order).is_some_and(|date| !is_plausible_visit_date(date, words))
}

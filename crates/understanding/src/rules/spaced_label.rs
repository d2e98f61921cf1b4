//! Values that only a space separates from their label: "Peso 4,2 kg".

use std::ops::Range;

use super::candidate::Provenance;
use super::labelled::{has_weight_unit, is_impossible_visit_date};
use super::labels::LabelMeaning;
use super::{FieldFinder, LABELLED_RANK, UNLABELLED_RANK};
use crate::normal::date::date_in_order;
use crate::{Normaliser, SchemaKey, Scope};

/// Words that show that a label is only part of a longer phrase.
const JOINING_WORDS: [&str; 10] = ["y", "e", "o", "u", "de", "del", "and", "or", "of", "for"];

/// The longest text behind a label and a space, in words.
const MAX_TEXT: usize = 24;

impl FieldFinder<'_> {
    /// Proposes a value that only a space separates from its label. It must be recognisable by itself, or look like a
    /// name.
    pub(super) fn add_after_space(
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
            schema_key.scope == Scope::VisitHead && first.is_capital() && !is_joined && value.len() <= 8;
        let is_short = value.len() <= 5;
        let (is_value, rank) = match schema_key.normaliser {
            Normaliser::Weight => (has_weight_unit(&words) && value.len() <= 4, LABELLED_RANK),
            normaliser if normaliser.is_short() => (is_short && start == it.first_word(), LABELLED_RANK),
            normaliser if normaliser.is_strict() => (true, LABELLED_RANK),
            Normaliser::Address => (true, LABELLED_RANK),
            Normaliser::Institution => (self.repeats_label(cell, key, value), UNLABELLED_RANK),
            Normaliser::Amount => (false, UNLABELLED_RANK),
            Normaliser::Person => (is_capital && is_short && value.len() >= 2, UNLABELLED_RANK),
            Normaliser::Text if schema_key.scope == Scope::Document => {
                (is_capital && value.len() <= 2, UNLABELLED_RANK)
            }
            Normaliser::Text if is_reason => (true, UNLABELLED_RANK),
            Normaliser::Text => (is_capital && value.len() <= MAX_TEXT, UNLABELLED_RANK),
            _ => (is_capital && is_short, UNLABELLED_RANK),
        };
        // "Spayed Female" is no status: the second word is a value of another key.
        let is_other = |key: &SchemaKey| value.len() == 1 && key.normaliser.is_word(&next.word);
        let is_other = !schema_key.normaliser.is_strict() && self.schema.keys.iter().any(is_other);
        let is_certain = schema_key.normaliser.is_strict() || !self.is_letterhead(cell);
        if !is_value
            || !is_certain
            || is_other
            || schema_key.normaliser.apply_in(&words, self.dates.order).is_none()
        {
            return false;
        }
        if is_impossible_visit_date(schema_key, &words, self.dates.order) {
            return false;
        }
        let mut spans = vec![(cell, value.clone())];
        let is_list = schema_key.scope == Scope::Visit && schema_key.repeatable;
        if is_list && value.end == it.tokens.len() {
            self.push_continued_lines(cell, &mut spans);
            self.mark_used(&spans[1..]);
        }
        let schema_key = &self.schema.keys[key];
        if schema_key.normaliser == Normaliser::Date
            && let Some(date) = date_in_order(&words, self.dates.order)
            && self.open_visit_by_label(cell, key, meaning, date, &spans)
        {
            return true;
        }
        let rule = if rank < LABELLED_RANK { "fallback" } else { "label_regex" };
        let mapping = format!("{rule}::{}", meaning.words.replace(' ', "_"));
        let values = self.split_values(key, vec![spans], is_list && self.is_mixed(key, meaning));
        let mut is_new = false;
        for mut spans in values {
            let is_address = schema_key.normaliser == Normaliser::Address;
            let joined = if is_address { self.append_address_lines(&mut spans) } else { None };
            let text = joined.as_deref();
            let provenance = Provenance { rank, mapping: mapping.clone(), label: Some(cell), text };
            let by_cue = self.key_by_cue(key, meaning, &self.flow_of(&spans).tokens).filter(|_| is_list);
            is_new |= self.add_candidate(by_cue.unwrap_or(key), &spans, provenance);
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
}

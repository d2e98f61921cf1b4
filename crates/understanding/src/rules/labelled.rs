//! Turns what stands behind a label into candidates.

use std::ops::Range;

use super::candidate::Provenance;
use super::labels::LabelMeaning;
use super::layout::Token;
use super::segments::{self, Separator};
use super::value_position::{ExpectedValue, TokenSpan, TokenSpans};
use super::{FieldFinder, LABELLED_RANK};
use crate::normal::date::{date_in_order, is_plausible_visit_date};
use crate::normal::{DateOrder, facts_in_signalment, is_signalment, is_weight_with_unit};
use crate::{Normaliser, SchemaKey, Scope};

/// The fewest facts about the subject behind a label that does not announce them.
const MIN_FACTS: usize = 3;
/// The largest distance between a label and the text below it without a blank line, in line heights, and the fewest words of a
/// line of text.
const MAX_LINE_DISTANCE: f32 = 2.0;
const MIN_TEXT_TOKENS: usize = 8;
/// The most words of a weight before the end of its sentence.
const MAX_WEIGHT_TOKENS: usize = 5;

impl FieldFinder<'_> {
    /// Reads the values of a label.
    pub(super) fn read_label(
        &mut self,
        cell: usize,
        meaning: &LabelMeaning,
        separator: Separator,
        value: &Range<usize>,
        start: usize,
    ) {
        let resolved = self.resolve_label(meaning, cell);
        let key = resolved.map(|key| self.fitting_key(key, meaning, cell, value));
        let Some(key) = key else {
            if separator == Separator::Space {
                self.read_unlabelled(cell, &(start..value.end));
            } else {
                self.read_other_label(cell, meaning, value);
            }
            return;
        };
        if separator == Separator::Space && !self.is_row_label(cell, key) && !self.is_text_heading(cell, key)
        {
            if !self.add_after_space(cell, key, meaning, value, start) {
                self.read_unlabelled(cell, &(start..value.end));
            }
            return;
        }
        let end = value.end..value.end;
        let value = if separator == Separator::Space { &end } else { value };
        if separator == Separator::EndOfCell && self.is_title_of_document(cell, key) {
            return;
        }
        let schema_key = &self.schema.keys[key];
        // A clinical label ends the sections about people: when and why a visit was, and the lists of what happened there.
        let is_clinical = schema_key.scope == Scope::VisitHead
            || (schema_key.scope == Scope::Visit && schema_key.repeatable);
        let row = self.layout.cells[cell].row;
        let is_heading = separator == Separator::EndOfCell && self.layout.rows[row].len() == 1;
        if is_clinical && is_heading && self.is_in_history && self.visit_before_history.is_some() {
            self.visit = self.visit_before_history.take();
            self.is_in_history = false;
        }
        if is_clinical && !self.is_in_history {
            self.context.clear();
        }
        let has_own_value = value.clone().any(|token| !self.layout.cells[cell].tokens[token].is_separator());
        let is_mixed = self.is_mixed(key, meaning);
        let values = self.values_for(cell, key, value, is_mixed);
        // A value below its label may tell better than the label which key it is.
        let below = values.first().map(|spans| self.fitting_key(key, meaning, spans[0].0, &spans[0].1));
        let key_of_label = key;
        let (key, values) = match below.filter(|below| !has_own_value && *below != key) {
            Some(below) => (below, self.values_for(cell, below, value, is_mixed)),
            None => (key, values),
        };
        let is_weight = self.schema.keys[key].normaliser == Normaliser::Weight;
        if is_weight && has_own_value && self.visit.is_some() {
            self.read_behind_weight(cell, key, meaning, value);
            return;
        }
        // What such a label means where no cue tells.
        let usual = resolved.filter(|key| self.schema.keys[*key].scope == Scope::Visit);
        let (values, is_told) = self.only_told(key, values);
        let (values, rest) = if is_mixed || is_told {
            (values, None)
        } else {
            self.end_with_sentence(cell, key, values, has_own_value)
        };
        let mut values = self.split_values(key, values, is_mixed);
        if self.is_part_of_name(cell, key, separator, &values) {
            values[0].insert(0, (cell, self.layout.cells[cell].token_range()));
        }
        let is_list = values.len() > 1;
        for spans in values {
            let is_beside = spans[0].0 == cell + 1;
            let is_certain = separator == Separator::Mark || has_own_value || is_beside;
            let key = if is_mixed {
                self.key_of_part(key, meaning, usual, &self.flow_of(&spans).tokens, is_list)
            } else if key == key_of_label {
                key
            } else {
                self.fitting_key(key_of_label, meaning, spans[0].0, &spans[0].1)
            };
            let is_added = self.add_value(cell, key, meaning, spans.clone(), is_certain);
            if is_added && !has_own_value {
                self.mark_used(&spans);
            } else if is_added {
                self.mark_used(&spans[1..]);
            }
            let it = &self.schema.keys[key];
            if is_added && it.normaliser == Normaliser::Text && self.visit.is_some() {
                let is_text = it.scope == Scope::Visit && !it.repeatable && it.optional;
                self.weights_in_text(&spans);
                if is_text {
                    self.read_told_values(&spans, &[]);
                }
            }
        }
        if let Some(section) = self.schema.keys[key].section.clone() {
            self.context.remember_label(&self.layout.cells[cell], &section);
        }
        if let Some((cell, tokens)) = rest.filter(|_| self.visit.is_some()) {
            self.read_visit_text(cell, &tokens);
        }
    }

    /// In running text with labels among its sentences, a value ends with its sentence: "Dx: bite wound. Seen again in a week."
    /// Returns the value, and the words behind it. Sentences with a dose or the like are further values of a key that has them.
    fn end_with_sentence(
        &self,
        cell: usize,
        key: usize,
        values: Vec<TokenSpans>,
        has_own_value: bool,
    ) -> (Vec<TokenSpans>, Option<TokenSpan>) {
        let schema_key = &self.schema.keys[key];
        let is_told_at_once = schema_key.scope != Scope::Document
            && schema_key.normaliser == Normaliser::Text
            && !schema_key.optional;
        let [spans] = &values[..] else { return (values, None) };
        let is_running = schema_key.repeatable
            || self.segments[cell].len() > 1
            || spans.len() > 1
            || self.is_inside_paragraph(cell);
        if !has_own_value || !is_told_at_once || !is_running {
            return (values, None);
        }
        let flow = self.flow_of(spans);
        let ends = (0..flow.tokens.len()).filter(|at| flow.ends_sentence(*at)).map(|at| at + 1);
        let mut last = 0;
        for end in ends {
            // "1. Diabetes mellitus": the number of an item is no sentence.
            if end == last + 1 && is_item_number(flow.tokens[last].text) {
                continue;
            }
            if last > 0 && !self.has_measure_of(key, &flow.tokens[last..end]) {
                break;
            }
            last = end;
        }
        if last == 0 || last == flow.tokens.len() {
            return (values, None);
        }
        let rest = flow.spans(last..flow.tokens.len()).into_iter().next();
        (vec![flow.spans(0..last)], rest)
    }

    /// Whether a label is the title of a document, above everything that it tells: "Discharge Instructions" above a letter.
    fn is_title_of_document(&self, cell: usize, key: usize) -> bool {
        let it = &self.layout.cells[cell];
        let is_name = |key: &SchemaKey| key.normaliser.names_subject();
        let is_named = self.schema.keys.iter().position(is_name).is_none_or(|name| self.has_value(name));
        let below =
            self.cell_below(cell).filter(|below| self.line_distance(cell, *below) > MAX_LINE_DISTANCE);
        self.schema.keys[key].scope == Scope::Visit
            && self.visits.is_empty()
            && !is_named
            && it.page == 1
            && self.layout.rows[it.row].len() == 1
            && below.is_some_and(|below| self.layout.cells[below].tokens.len() > MIN_TEXT_TOKENS)
    }

    /// Reads a weight, and the text about the visit that follows it: "Peso: 3,6 kg. Se aplica vacuna Triple Felina".
    fn read_behind_weight(&mut self, cell: usize, key: usize, meaning: &LabelMeaning, value: &Range<usize>) {
        let words = &self.layout.cells[cell].tokens;
        let ends = |at: &usize| words[*at].text.ends_with(['.', ';']);
        let end = value.clone().take(MAX_WEIGHT_TOKENS).find(ends).map_or(value.end, |at| at + 1);
        self.add_value(cell, key, meaning, vec![(cell, value.start..end)], true);
        if end < value.end {
            self.read_visit_text(cell, &(end..value.end));
        }
        if let Some(section) = self.schema.keys[key].section.clone() {
            self.context.remember_label(&self.layout.cells[cell], &section);
        }
    }

    /// The values of a label of this key.
    fn values_for(&self, cell: usize, key: usize, behind: &Range<usize>, is_mixed: bool) -> Vec<TokenSpans> {
        let schema_key = &self.schema.keys[key];
        let is_text = schema_key.normaliser == Normaliser::Text;
        let expected = ExpectedValue { key: Some(key), is_list: schema_key.repeatable || is_mixed, is_text };
        self.values_of_label(cell, behind, &expected)
    }

    /// Whether a label is the first line of the name below it: "Hospital Veterinario", and "San Telmo" below. A name with
    /// its own word for an institution needs no other.
    pub(super) fn is_part_of_name(
        &self,
        cell: usize,
        key: usize,
        separator: Separator,
        values: &[TokenSpans],
    ) -> bool {
        let it = &self.layout.cells[cell];
        let schema_key = &self.schema.keys[key];
        let is_kind = |token: &Token<'_>| schema_key.cues.contains(&token.word);
        let is_below = |spans: &TokenSpans| {
            let (value, tokens) = &spans[0];
            let below = &self.layout.cells[*value];
            below.row == it.row + 1 && !below.tokens[tokens.clone()].iter().any(is_kind)
        };
        let governed = self.context.section_at(it.rect.x0);
        let is_governed = governed.is_some() && governed == schema_key.section.as_deref();
        schema_key.normaliser == Normaliser::Institution
            && separator == Separator::EndOfCell
            && (is_governed || it.tokens.len() > 1)
            && it.tokens.iter().all(is_kind)
            && values.first().is_some_and(is_below)
    }

    /// Whether a cell is a longer heading with its value below: "TRATAMIENTO AL ALTA".
    fn is_text_heading(&self, cell: usize, key: usize) -> bool {
        let it = &self.layout.cells[cell];
        let row = &self.layout.rows[it.row];
        let is_capitals = it.tokens.iter().all(|token| !token.text.chars().any(char::is_lowercase));
        let has_digits = it.tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let is_near = |below: usize| self.line_distance(cell, below) <= 2.2 && !self.starts_with_label(below);
        row.len() == 1
            && is_capitals
            && !has_digits
            && it.tokens.len() <= 5
            && self.schema.keys[key].scope == Scope::Visit
            && self.cell_below(cell).is_some_and(|below| {
                let words = &self.layout.cells[below].tokens;
                is_near(below) && words.iter().any(|token| token.text.chars().any(char::is_lowercase))
            })
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
    pub(super) fn add_value(
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
        if normal.is_none() && schema_key.normaliser.split(&words).is_none() && !is_certain {
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
            let lines = self.joined_lines(&spans);
            joined = self.append_address_lines(&mut spans).or(Some(lines));
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
                let provenance =
                    Provenance { rank: LABELLED_RANK, mapping, label: Some(cell), text: Some(words) };
                self.add_for(normaliser, &spans, provenance);
            }
            return true;
        }
        let provenance =
            Provenance { rank: LABELLED_RANK, mapping, label: Some(cell), text: joined.as_deref() };
        self.add_candidate(key, &spans, provenance)
    }

    pub(super) fn add_for(
        &mut self,
        normaliser: Normaliser,
        spans: &[TokenSpan],
        provenance: Provenance<'_>,
    ) {
        if let Some(key) = self.schema.keys.iter().position(|key| key.normaliser == normaliser) {
            self.add_candidate(key, spans, provenance);
        }
    }

    /// Reads a label that no key is for. Its value is marked as used, or continues an address.
    pub(super) fn read_other_label(&mut self, cell: usize, meaning: &LabelMeaning, value: &Range<usize>) {
        let expected = ExpectedValue::default();
        let Some(spans) = self.values_of_label(cell, value, &expected).into_iter().next() else { return };
        let (place, words) = spans[0].clone();
        if self.read_signalment(place, usize::MAX, &words) {
            self.mark_used(&spans);
            return;
        }
        let own = spans[0].0 == cell;
        if !own && self.value_beside(cell, &expected) != Some(spans[0].0) {
            return;
        }
        if !own {
            self.mark_used(&spans);
        }
        let words = self.text_of(&spans);
        if self.layout.cells[cell].row > 0 {
            self.continue_values(&meaning.continues, &words);
        }
    }

    /// Appends words to the last value of one of these keys. Returns whether there is one.
    pub(super) fn continue_values(&mut self, keys: &[usize], words: &str) -> bool {
        for key in keys {
            if let Some(last) = self.candidates.iter_mut().rev().take(8).find(|last| last.key == *key)
                && !last.raw.contains(words)
            {
                let before = last.raw.trim_end_matches([',', ' ']);
                // The name of a town follows its postcode without a comma.
                let code = before.rsplit(' ').next().unwrap_or_default();
                let is_code = code.len() == 5 && code.bytes().all(|b| b.is_ascii_digit());
                let separator = if is_code { " " } else { ", " };
                last.raw = format!("{before}{separator}{}", words.trim());
                last.value = self.schema.keys[*key].normaliser.apply(&last.raw);
                return true;
            }
        }
        false
    }

    pub(super) fn mark_used(&mut self, spans: &[TokenSpan]) {
        for (cell, _) in spans {
            self.used[*cell] = true;
        }
    }

    /// Reads a line that says in short what the subject is, behind its label: "Signalment: 7 yo FS DSH".
    pub(super) fn read_signalment(&mut self, cell: usize, label: usize, value: &Range<usize>) -> bool {
        let tokens = &self.layout.cells[cell].tokens;
        let words: Vec<&str> = tokens[value.clone()].iter().map(|token| token.text).collect();
        let facts = facts_in_signalment(&words);
        let is_named = tokens.get(label).is_some_and(|token| is_signalment(&token.word));
        // "Re: Mabel, 9 year old" starts with the name.
        let leads = tokens.get(label..).is_some_and(|words| self.labels.lead_in_at_start(words).is_some());
        let is_told = !leads && self.roles.subject.is_some() && facts.len() >= MIN_FACTS;
        if !is_named && !is_told {
            return false;
        }
        for (normaliser, range) in facts {
            let key = self.key_in_section(self.roles.subject, normaliser);
            let span = (cell, value.start + range.start..value.start + range.end);
            if key.is_some_and(|key| !self.has_value(key)) {
                self.add_unlabelled(key, &span, None, "facts");
            }
        }
        true
    }
}

/// Whether a word is the number of an item: "2.".
fn is_item_number(word: &str) -> bool {
    word.strip_suffix('.').is_some_and(|number| number.len() <= 2 && number.parse::<u8>().is_ok())
}

/// Whether the words are a number with a unit of weight.
pub(super) fn has_weight_unit(words: &str) -> bool {
    is_weight_with_unit(words)
}

/// Whether the words are a date on which no visit can have been.
pub(super) fn is_impossible_visit_date(key: &SchemaKey, words: &str, order: DateOrder) -> bool {
    let is_day = key.scope == Scope::VisitHead && key.normaliser == Normaliser::Date;
    is_day && date_in_order(words, order).is_some_and(|date| !is_plausible_visit_date(date, words))
}

//! What stands behind a label becomes a candidate.

use std::ops::Range;

use super::candidate::How;
use super::labels::Meaning;
use super::segments::{self, Apart};
use super::values::{Piece, Pieces, Wanted};
use super::{BY_LABEL, Rules, WITHOUT_LABEL};
use crate::normal::date::{can_be_visit, date};
use crate::normal::opens_with_postcode;
use crate::{Normaliser, SchemaKey, Scope};

/// Words that tell that a label was only part of a phrase.
const JOINS: [&str; 10] = ["y", "e", "o", "u", "de", "del", "and", "or", "of", "for"];

impl Rules<'_> {
    /// The key that a label means here.
    pub(super) fn resolve(&self, meaning: &Meaning, cell: usize) -> Option<usize> {
        let it = &self.sheet.cells[cell];
        let section_of = |key: &usize| self.schema.keys[*key].section.as_deref();
        let governed = self.context.section(it.rect.x0);
        let shared = meaning.shared.iter().find(|key| governed.is_some() && section_of(key) == governed);
        if let Some(key) = shared.copied().or(meaning.key) {
            return Some(key);
        }
        let sections: Vec<&str> = meaning.shared.iter().filter_map(section_of).collect();
        let near = self.context.near(it, &sections);
        let by_section =
            |section: &str| meaning.shared.iter().find(|key| section_of(key) == Some(section)).copied();
        near.and_then(by_section).or_else(|| {
            let last = self.candidates.iter().rev().take(20).find_map(|candidate| {
                section_of(&candidate.key).filter(|section| sections.contains(section))
            });
            last.and_then(by_section)
        })
    }

    /// Takes what stands behind a label.
    pub(super) fn take_label(
        &mut self,
        cell: usize,
        meaning: &Meaning,
        apart: Apart,
        value: &Range<usize>,
        start: usize,
    ) {
        let Some(key) = self.resolve(meaning, cell) else {
            if apart == Apart::Space {
                self.unlabelled(cell, &(start..value.end));
            } else {
                self.take_other(cell, meaning, value);
            }
            return;
        };
        if apart == Apart::Space && !self.heads_row(cell, key) {
            if !self.take_spaced(cell, key, meaning, value, start) {
                self.unlabelled(cell, &(start..value.end));
            }
            return;
        }
        let end = value.end..value.end;
        let value = if apart == Apart::Space { &end } else { value };
        let schema = &self.schema.keys[key];
        // Why somebody came and what was found ends the part about whom.
        let is_clinical =
            schema.scope == Scope::Metadata || (schema.scope == Scope::Visit && schema.repeatable);
        if is_clinical && !self.in_history {
            self.context.clear();
        }
        let is_text = schema.normaliser == Normaliser::Text;
        let wanted = Wanted { key: Some(key), is_list: schema.repeatable, is_text };
        let values = self.values(cell, value, &wanted);
        let own = value.clone().any(|token| !self.sheet.cells[cell].tokens[token].is_mark());
        let values = if schema.repeatable { self.split_items(values) } else { values };
        for pieces in values {
            let is_beside = pieces[0].0 == cell + 1;
            let is_certain = apart == Apart::Mark || own || is_beside;
            let taken = self.take_value(cell, key, meaning, pieces.clone(), is_certain);
            if taken && !own {
                self.use_up(&pieces);
            } else if taken {
                self.use_up(&pieces[1..]);
            }
        }
        if let Some(section) = self.schema.keys[key].section.clone() {
            self.context.speak(&self.sheet.cells[cell], &section);
        }
    }

    /// Whether a cell is a label with more words, such as "Diagnóstico final", and its value stands beside it.
    pub(super) fn heads_row(&self, cell: usize, key: usize) -> bool {
        let it = &self.sheet.cells[cell];
        let is_first = self.sheet.rows[it.row].start == cell;
        let has_figures = it.tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let wanted = Wanted { key: Some(key), ..Wanted::default() };
        let is_name = |next: usize| self.segments[next][0].label.is_none();
        let is_capitals = it.tokens.iter().all(|token| !token.text.chars().any(char::is_lowercase));
        let is_phrase =
            is_capitals || it.tokens.iter().skip(it.first_word() + 1).all(|token| !token.is_capital());
        is_first
            && is_phrase
            && it.tokens.len() <= 4
            && !has_figures
            && segments::may_stand_within(self.schema, key)
            && self.beside(cell, &wanted).is_some_and(is_name)
    }

    /// A value behind a label becomes a candidate, or opens a visit.
    pub(super) fn take_value(
        &mut self,
        cell: usize,
        key: usize,
        meaning: &Meaning,
        mut pieces: Pieces,
        is_certain: bool,
    ) -> bool {
        let words = self.words(&pieces);
        let schema = &self.schema.keys[key];
        let normal = schema.normaliser.apply(&words);
        if normal.is_none() && !is_certain {
            return false;
        }
        if is_no_visit(schema, &words) {
            return false;
        }
        if matches!(schema.normaliser, Normaliser::Date)
            && let Some(date) = date(&words)
            && self.dates_visit(cell, key, meaning, date, &pieces)
        {
            return true;
        }
        let mapping = format!("label_regex::{}", meaning.words.replace(' ', "_"));
        let mut joined = None;
        if schema.normaliser == Normaliser::Address {
            let lines = self.lines_of(&pieces).join(", ");
            joined = self.with_postcode(&mut pieces).or(Some(lines));
        }
        if schema.normaliser.names_subject() {
            self.facts_behind_name(Some(cell), &pieces, &words);
        }
        if schema.normaliser == Normaliser::Person {
            self.address_behind(key, cell, &pieces, &words);
        }
        if let Some(both) = schema.normaliser.split(&words) {
            for (normaliser, words) in both {
                let mapping = mapping.clone();
                let how = How { confidence: BY_LABEL, mapping, label: Some(cell), words: Some(words) };
                self.propose_in(normaliser, &pieces, how);
            }
            return true;
        }
        let how = How { confidence: BY_LABEL, mapping, label: Some(cell), words: joined.as_deref() };
        self.propose(key, &pieces, how)
    }

    pub(super) fn propose_in(&mut self, normaliser: Normaliser, pieces: &[Piece], how: How<'_>) {
        if let Some(key) = self.schema.keys.iter().position(|key| key.normaliser == normaliser) {
            self.propose(key, pieces, how);
        }
    }

    /// A label with nothing but a space behind it: its value must be one that is known when seen, or look like a name.
    pub(super) fn take_spaced(
        &mut self,
        cell: usize,
        key: usize,
        meaning: &Meaning,
        value: &Range<usize>,
        start: usize,
    ) -> bool {
        let it = &self.sheet.cells[cell];
        let schema = &self.schema.keys[key];
        let words = it.text(value.clone());
        let next = &it.tokens[value.start];
        let opens = &it.tokens[start];
        let is_capitals = it.tokens.iter().all(|token| !token.text.chars().any(char::is_lowercase));
        let is_joined = JOINS.contains(&next.word.as_str()) && (is_capitals || !next.is_capital());
        let is_capital = opens.is_capital() && next.is_capital() && !is_joined;
        let is_reason =
            schema.scope == Scope::Metadata && opens.is_capital() && !is_joined && value.len() <= 8;
        let is_short = value.len() <= 5;
        let (is_value, confidence) = match schema.normaliser {
            Normaliser::Weight => (has_unit(&words) && value.len() <= 4, BY_LABEL),
            normaliser if normaliser.is_short() => (is_short && start == it.first_word(), BY_LABEL),
            normaliser if normaliser.is_strict() => (true, BY_LABEL),
            Normaliser::Address => (true, BY_LABEL),
            Normaliser::Institution => (self.names_itself(cell, key, value), WITHOUT_LABEL),
            Normaliser::Amount => (false, WITHOUT_LABEL),
            Normaliser::Person => (is_capital && is_short && value.len() >= 2, WITHOUT_LABEL),
            Normaliser::Text if schema.scope == Scope::Document => {
                (is_capital && value.len() <= 2, WITHOUT_LABEL)
            }
            Normaliser::Text if is_reason => (true, WITHOUT_LABEL),
            Normaliser::Text => (is_capital && value.len() <= 16, WITHOUT_LABEL),
            _ => (is_capital && is_short, WITHOUT_LABEL),
        };
        let is_certain = schema.normaliser.is_strict() || !self.is_letterhead(cell);
        if !is_value || !is_certain || schema.normaliser.apply(&words).is_none() {
            return false;
        }
        if is_no_visit(schema, &words) {
            return false;
        }
        let pieces = vec![(cell, value.clone())];
        if schema.normaliser == Normaliser::Date
            && let Some(date) = date(&words)
            && self.dates_visit(cell, key, meaning, date, &pieces)
        {
            return true;
        }
        let rule = if confidence < BY_LABEL { "fallback" } else { "label_regex" };
        let mapping = format!("{rule}::{}", meaning.words.replace(' ', "_"));
        let values = if schema.repeatable { self.split_items(vec![pieces]) } else { vec![pieces] };
        let mut is_new = false;
        for pieces in values {
            let how = How { confidence, mapping: mapping.clone(), label: Some(cell), words: None };
            is_new |= self.propose(key, &pieces, how);
        }
        if let Some(section) = self.schema.keys[key].section.clone() {
            self.context.speak(&self.sheet.cells[cell], &section);
        }
        is_new
    }

    /// Whether a name behind a label says again what kind of place it is: "Clínica Clínica Sur".
    fn names_itself(&self, cell: usize, key: usize, value: &Range<usize>) -> bool {
        let words = &self.sheet.cells[cell].tokens[value.clone()];
        self.labels
            .begins(words)
            .is_some_and(|(meaning, count)| meaning.key == Some(key) && count < words.len())
    }

    /// A label of something that no key of the schema is for: its value is nobody else's, or goes on an address.
    pub(super) fn take_other(&mut self, cell: usize, meaning: &Meaning, value: &Range<usize>) {
        let wanted = Wanted::default();
        let Some(pieces) = self.values(cell, value, &wanted).into_iter().next() else { return };
        let own = pieces[0].0 == cell;
        if !own && self.beside(cell, &wanted) != Some(pieces[0].0) {
            return;
        }
        if !own {
            self.use_up(&pieces);
        }
        let words = self.words(&pieces);
        let row = self.sheet.cells[cell].row;
        for key in &meaning.tail {
            if let Some(last) = self.candidates.iter_mut().rev().take(8).find(|last| last.key == *key)
                && !last.raw.contains(&words)
                && row > 0
            {
                let before = last.raw.trim_end_matches([',', ' ']);
                // The name of a place follows its code without a comma.
                let code = before.rsplit(' ').next().unwrap_or_default();
                let is_code = code.len() == 5 && code.bytes().all(|b| b.is_ascii_digit());
                let apart = if is_code { " " } else { ", " };
                last.raw = format!("{before}{apart}{}", words.trim());
                last.value = self.schema.keys[*key].normaliser.apply(&last.raw);
                return;
            }
        }
    }

    /// An address goes on in the line below if that begins with a postcode; its words, then.
    pub(super) fn with_postcode(&self, pieces: &mut Pieces) -> Option<String> {
        let last = pieces.last()?.0;
        let next = self.under(last)?;
        let cell = &self.sheet.cells[next];
        let words = cell.text(cell.all());
        if self.pitch(last, next) > 2.2 || !opens_with_postcode(&words) {
            return None;
        }
        let joined = format!("{}, {words}", self.lines_of(pieces).join(", ").trim_end_matches([',', ' ']));
        pieces.push((next, cell.all()));
        Some(joined)
    }

    pub(super) fn use_up(&mut self, pieces: &[Piece]) {
        for (cell, _) in pieces {
            self.used[*cell] = true;
        }
    }

    /// Several values that semicolons set apart.
    pub(super) fn split_items(&self, values: Vec<Pieces>) -> Vec<Pieces> {
        let mut items: Vec<Pieces> = Vec::new();
        for pieces in values {
            let mut item: Pieces = Vec::new();
            for (cell, tokens) in pieces {
                let mut start = tokens.start;
                for at in tokens.clone() {
                    if self.sheet.cells[cell].tokens[at].text.ends_with(';') {
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

/// Whether a number has the unit of a weight.
pub(super) fn has_unit(words: &str) -> bool {
    let words = words.trim().trim_end_matches('.').to_lowercase();
    let unit = words.trim_start_matches(|c: char| !c.is_alphabetic());
    matches!(unit, "kg" | "kgs" | "kilos" | "g" | "gr" | "grs" | "k")
}

/// Whether these words are the day of a visit on which none can have been.
fn is_no_visit(key: &SchemaKey, words: &str) -> bool {
    let is_day = key.scope == Scope::Metadata && key.normaliser == Normaliser::Date;
    is_day && date(words).is_some_and(|date| !can_be_visit(date, words))
}

//! The walk over a document, row by row.

use std::ops::Range;

use jiff::civil::Date;

use super::candidate::{How, Visit};
use super::labels::{Labels, Meaning};
use super::layout::Sheet;
use super::segments::{self, Apart};
use super::values::{Piece, Pieces, Wanted};
use super::visit::{self, Shown};
use super::{BY_LABEL, Rules, WITHOUT_LABEL};
use crate::interpretation::normal::{opens_with_postcode, species_and_breed};
use crate::interpretation::{Normaliser, Scope};

/// Rows after a date in which what follows tells whether a visit began.
const AHEAD: usize = 12;
/// Visits of one document at most.
const MOST_VISITS: usize = 1_000;
/// Labels of a date that do not say of what.
pub(super) const BARE_DATE: [&str; 4] = ["fecha", "date", "dia", "day"];
/// Words that tell that a label was only part of a phrase.
const JOINS: [&str; 10] = ["y", "e", "o", "u", "de", "del", "and", "or", "of", "for"];

/// A label that is broken over two lines of its cell is put together again.
pub(super) fn stack_labels(sheet: &mut Sheet<'_>, labels: &Labels<'_>) {
    for row in 0..sheet.rows.len().saturating_sub(1) {
        for upper in sheet.rows[row].clone() {
            sheet.step();
            let above = &sheet.cells[upper];
            if above.tokens.len() > 3 || above.tokens.iter().any(|token| token.colon) {
                continue;
            }
            let is_under = |lower: &usize| {
                let below = &sheet.cells[*lower];
                let is_close = below.rect.y0 - above.rect.y0 < 1.5 * above.height();
                (below.rect.x0 - above.rect.x0).abs() <= 3.0 && is_close && below.page == above.page
            };
            let Some(lower) = sheet.rows[row + 1].clone().find(is_under) else { continue };
            let tokens = || above.tokens.iter().chain(&sheet.cells[lower].tokens);
            let is_small = |text: &str| text.chars().next().is_some_and(char::is_lowercase);
            let goes_on = sheet.cells[lower].tokens.first().is_some_and(|token| is_small(token.text));
            let is_capitals = tokens().all(|token| !token.text.chars().any(char::is_lowercase));
            if tokens().count() > 5 || !(goes_on || is_capitals) {
                continue;
            }
            let words: Vec<_> = tokens().map(|token| token.plain.as_str()).collect();
            if labels.is_exactly(&words.join(" ")) {
                let mut below = std::mem::take(&mut sheet.cells[lower].tokens);
                sheet.cells[upper].tokens.append(&mut below);
            }
        }
    }
}

impl Rules<'_> {
    pub(super) fn walk(&mut self) {
        let mut row = 0;
        while row < self.sheet.rows.len() {
            if let Some(after) = self.table(row) {
                row = after;
                continue;
            }
            for cell in self.sheet.rows[row].clone() {
                self.sheet.step();
                self.look(cell);
            }
            row += 1;
        }
    }

    fn look(&mut self, cell: usize) {
        let it = &self.sheet.cells[cell];
        if it.tokens.is_empty() || (it.in_margin && !self.is_label(cell)) {
            return;
        }
        self.context.cross(it);
        if self.opens_part(cell) || self.titled(cell) {
            return;
        }
        let mut from = 0;
        if !self.used[cell] && self.begins_visit(cell) {
            from = 1;
        }
        for segment in from..self.segments[cell].len() {
            let it = &self.segments[cell][segment];
            let (label, value, start) = (it.label, it.value.clone(), it.start);
            match label {
                Some((meaning, apart)) if segment > 0 || !self.used[cell] => {
                    self.take_label(cell, meaning, apart, &value, start);
                }
                None if !it.is_labelled && !self.used[cell] => self.unlabelled(cell, &value),
                _ => {}
            }
        }
    }

    /// A heading says of whom the part below it speaks.
    fn opens_part(&mut self, cell: usize) -> bool {
        let it = &self.sheet.cells[cell];
        let Some(opens) = self.labels.heading(&it.tokens[it.first_word()..]) else { return false };
        if self.used[cell] {
            return false;
        }
        let wanted = Wanted::default();
        let first = self.segments[cell][0].label;
        let is_label = first.is_some_and(|(meaning, apart)| meaning.key.is_some() && apart != Apart::Space);
        let behind = it.tokens.len()..it.tokens.len();
        if is_label && !self.values(cell, &behind, &wanted).is_empty() {
            return false;
        }
        let is_column = cell > self.sheet.rows[it.row].start;
        let panel = opens.panel;
        self.visit = None;
        self.in_history = panel.is_none();
        self.in_visits = panel == Some("visits");
        if panel.is_none_or(|panel| panel == "visits") && !is_column {
            self.context.clear();
        }
        self.context.open(&self.sheet.cells[cell], panel, is_column);
        true
    }

    fn begins_visit(&mut self, cell: usize) -> bool {
        let it = &self.sheet.cells[cell];
        let Some(begins) = visit::begin(it, it.in_margin) else { return false };
        // A label that the schema knows says itself what its date is of.
        let first = &self.segments[cell][0];
        if matches!(first.label, Some((meaning, apart)) if apart == Apart::Mark && meaning.key.is_some()) {
            return false;
        }
        let row = &self.sheet.rows[it.row];
        let is_shown = match begins.shown {
            Shown::Timeline | Shown::Named => true,
            Shown::Dated => {
                let is_entry = self.in_visits || self.is_clinical_after(it.row, AHEAD);
                row.start == cell && row.len() <= 2 && is_entry
            }
        };
        if !is_shown {
            return false;
        }
        let end = self.segments[cell].get(1).map_or(begins.tail.end, |second| second.start);
        self.open_visit(begins.date, Some(begins.shown), &[(cell, begins.at.clone())], None);
        if let Some(visit) = self.visits.last_mut() {
            visit.time = begins.time;
        }
        let tail = begins.tail.start..end;
        let is_reason = begins.shown != Shown::Named && !tail.is_empty();
        if is_reason && !self.lead_in(cell, &tail) {
            self.reason_behind_date(cell, &tail);
        }
        true
    }

    /// What stands behind the date of an entry is why it was made.
    fn reason_behind_date(&mut self, cell: usize, tail: &Range<usize>) {
        let is_reason = |key: &crate::interpretation::SchemaKey| {
            key.scope == Scope::Metadata && key.normaliser == Normaliser::Text
        };
        let Some(key) = self.schema.keys.iter().position(is_reason) else { return };
        let how = How {
            confidence: WITHOUT_LABEL,
            mapping: "fallback::behind_date".to_owned(),
            label: None,
            words: None,
        };
        self.propose(key, &[(cell, tail.clone())], how);
    }

    /// A visit begins.
    pub(super) fn open_visit(&mut self, date: Date, shown: Option<Shown>, at: &[Piece], label: Option<&str>) {
        let Some(key) = self.schema.keys.iter().position(|key| key.key == "visit_date") else { return };
        if self.visits.len() >= MOST_VISITS {
            return;
        }
        self.context.clear();
        self.in_history = false;
        self.visits.push(Visit { date, time: None, shown });
        self.visit = Some(self.visits.len() - 1);
        let mapping = match (label, shown) {
            (Some(label), _) => format!("label_regex::{}", label.replace(' ', "_")),
            (None, Some(Shown::Timeline)) => "anchor::timeline".to_owned(),
            (None, Some(Shown::Named)) => "anchor::visit_line".to_owned(),
            (None, _) => "anchor::dated_entry".to_owned(),
        };
        let day = date.to_string();
        let how = How { confidence: BY_LABEL, mapping, label: None, words: Some(&day) };
        self.propose(key, at, how);
    }

    /// Whether the next thing that the rows below tell of happened at a visit.
    pub(super) fn is_clinical_after(&self, row: usize, rows: usize) -> bool {
        for next in row + 1..self.sheet.rows.len().min(row + 1 + rows) {
            for cell in self.sheet.rows[next].clone() {
                self.sheet.step();
                let it = &self.sheet.cells[cell];
                if it.in_margin {
                    continue;
                }
                let words = &it.tokens[it.first_word()..];
                if let Some((key, _)) = self.labels.lead_in(words) {
                    return self.schema.keys[key].scope == Scope::Visit;
                }
                match self.segments[cell].first().and_then(|first| first.label) {
                    Some((meaning, apart)) if apart != Apart::Space => {
                        let key = meaning.key.map(|key| &self.schema.keys[key]);
                        match key {
                            Some(key) if key.at_visits => {}
                            Some(key) => return key.scope != Scope::Document,
                            None => {}
                        }
                    }
                    _ if self.labels.heading(words).is_some() => return false,
                    _ if visit::begin(it, false).is_some() => return false,
                    _ => {}
                }
            }
        }
        false
    }

    /// The key that a label means here.
    pub(super) fn resolve(&self, meaning: &Meaning, cell: usize) -> Option<usize> {
        let it = &self.sheet.cells[cell];
        let panel_of = |key: &usize| self.schema.keys[*key].panel.as_deref();
        let governed = self.context.panel(it.rect.x0);
        let shared = meaning.shared.iter().find(|key| governed.is_some() && panel_of(key) == governed);
        if let Some(key) = shared.copied().or(meaning.key) {
            return Some(key);
        }
        let panels: Vec<&str> = meaning.shared.iter().filter_map(panel_of).collect();
        let near = self.context.near(it, &panels);
        let by_panel = |panel: &str| meaning.shared.iter().find(|key| panel_of(key) == Some(panel)).copied();
        near.and_then(by_panel).or_else(|| {
            let last = self
                .candidates
                .iter()
                .rev()
                .take(20)
                .find_map(|candidate| panel_of(&candidate.key).filter(|panel| panels.contains(panel)));
            last.and_then(by_panel)
        })
    }

    /// Takes what stands behind a label.
    fn take_label(
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
        if let Some(panel) = self.schema.keys[key].panel.clone() {
            self.context.speak(&self.sheet.cells[cell], &panel);
        }
    }

    /// Whether a cell is a label with more words, such as "Diagnóstico final", and its value stands beside it.
    fn heads_row(&self, cell: usize, key: usize) -> bool {
        let it = &self.sheet.cells[cell];
        let is_first = self.sheet.rows[it.row].start == cell;
        let has_figures = it.tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let wanted = Wanted { key: Some(key), ..Wanted::default() };
        is_first
            && it.tokens.len() <= 4
            && !has_figures
            && segments::may_stand_within(self.schema, key)
            && self.beside(cell, &wanted).is_some()
    }

    /// A value behind a label becomes a candidate, or opens a visit.
    fn take_value(
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
        if matches!(schema.normaliser, Normaliser::Date)
            && let Some(date) = crate::interpretation::normal::date(&words)
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
        if schema.normaliser == Normaliser::PetName {
            self.said_of_pet(cell, &pieces, &words);
        }
        if schema.normaliser == Normaliser::Person {
            self.address_behind(key, cell, &pieces, &words);
        }
        let both = match schema.normaliser {
            Normaliser::Species | Normaliser::Breed => species_and_breed(&words),
            _ => None,
        };
        if let Some((species, breed)) = both {
            let how = |words| How {
                confidence: BY_LABEL,
                mapping: mapping.clone(),
                label: Some(cell),
                words: Some(words),
            };
            self.propose_in(Normaliser::Species, &pieces, how(species));
            self.propose_in(Normaliser::Breed, &pieces, how(breed));
            return true;
        }
        let how = How { confidence: BY_LABEL, mapping, label: Some(cell), words: joined.as_deref() };
        self.propose(key, &pieces, how)
    }

    fn propose_in(&mut self, normaliser: Normaliser, pieces: &[Piece], how: How<'_>) {
        if let Some(key) = self.schema.keys.iter().position(|key| key.normaliser == normaliser) {
            self.propose(key, pieces, how);
        }
    }

    /// Whether a labelled date is that of a visit, which then begins or goes on.
    fn dates_visit(
        &mut self,
        cell: usize,
        key: usize,
        meaning: &Meaning,
        date: Date,
        pieces: &[Piece],
    ) -> bool {
        let schema = &self.schema.keys[key];
        let is_visit_date = schema.key == "visit_date";
        let row = self.sheet.cells[cell].row;
        let is_bare = schema.scope == Scope::Document
            && BARE_DATE.contains(&meaning.words.as_str())
            && (self.is_clinical_after(row, 4) || self.is_visit_row(cell));
        let opens = schema.scope == Scope::Metadata && !is_visit_date && self.visit.is_none();
        if is_visit_date || is_bare || opens {
            self.open_visit(date, None, pieces, Some(&meaning.words));
        }
        is_visit_date || is_bare
    }

    /// Whether the row of a date begins with a word for visits: "Consulta nº 12   Fecha: 14/09/2023".
    fn is_visit_row(&self, cell: usize) -> bool {
        let first = &self.sheet.cells[self.sheet.rows[self.sheet.cells[cell].row].start];
        first.tokens.first().is_some_and(|token| visit::is_visit_word(&token.word))
    }

    /// A label with nothing but a space behind it: its value must be one that is known when seen, or look like a name.
    fn take_spaced(
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
        let is_capital =
            it.tokens[start].is_capital() && next.is_capital() && !JOINS.contains(&next.word.as_str());
        let is_short = value.len() <= 5;
        let (is_value, confidence) = match schema.normaliser {
            Normaliser::Weight => (has_unit(&words) && value.len() <= 4, BY_LABEL),
            Normaliser::Age | Normaliser::Identifier | Normaliser::Species | Normaliser::Sex => {
                (is_short && start == it.first_word(), BY_LABEL)
            }
            normaliser if normaliser.is_strict() => (true, BY_LABEL),
            Normaliser::Address => (true, BY_LABEL),
            Normaliser::Institution | Normaliser::Amount => (false, WITHOUT_LABEL),
            Normaliser::Person => {
                (is_capital && is_short && value.len() >= 2 && !self.is_letterhead(cell), WITHOUT_LABEL)
            }
            Normaliser::Text if schema.scope == Scope::Document => (false, WITHOUT_LABEL),
            Normaliser::Text => (is_capital && value.len() <= 16, WITHOUT_LABEL),
            _ => (is_capital && is_short, WITHOUT_LABEL),
        };
        if !is_value || schema.normaliser.apply(&words).is_none() {
            return false;
        }
        let pieces = vec![(cell, value.clone())];
        if schema.normaliser == Normaliser::Date
            && let Some(date) = crate::interpretation::normal::date(&words)
            && self.dates_visit(cell, key, meaning, date, &pieces)
        {
            return true;
        }
        let rule = if confidence < BY_LABEL { "fallback" } else { "label_regex" };
        let mapping = format!("{rule}::{}", meaning.words.replace(' ', "_"));
        let is_new = self.propose(key, &pieces, How { confidence, mapping, label: Some(cell), words: None });
        if let Some(panel) = self.schema.keys[key].panel.clone() {
            self.context.speak(&self.sheet.cells[cell], &panel);
        }
        is_new
    }

    /// A label of something that no key of the schema is for: its value is nobody else's, or goes on an address.
    fn take_other(&mut self, cell: usize, meaning: &Meaning, value: &Range<usize>) {
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
                last.raw = format!("{}, {}", last.raw.trim_end_matches([',', ' ']), words.trim());
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
    fn split_items(&self, values: Vec<Pieces>) -> Vec<Pieces> {
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

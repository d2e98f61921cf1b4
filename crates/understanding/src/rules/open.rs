//! How visits are opened on the way.

use std::ops::Range;

use jiff::civil::Date;

use super::candidate::{How, Visit};
use super::labels::Meaning;
use super::segments::Apart;
use super::values::Piece;
use super::visit::{self, Shown};
use super::{BY_LABEL, Rules, WITHOUT_LABEL};
use crate::{Normaliser, Scope};

/// Rows after a date in which what follows tells whether a visit began.
const AHEAD: usize = 12;
/// Visits of one document at most.
const MOST_VISITS: usize = 1_000;
/// Labels of a date that do not say of what.
pub(super) const BARE_DATE: [&str; 4] = ["fecha", "date", "dia", "day"];

impl Rules<'_> {
    pub(super) fn begins_visit(&mut self, cell: usize) -> bool {
        if self.schema.visit_date().is_none() {
            return false;
        }
        let it = &self.sheet.cells[cell];
        let Some(begins) = visit::begin(it, it.in_margin, &self.schema.other_dates) else { return false };
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
    pub(super) fn reason_behind_date(&mut self, cell: usize, tail: &Range<usize>) {
        let is_reason =
            |key: &crate::SchemaKey| key.scope == Scope::Metadata && key.normaliser == Normaliser::Text;
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
        let Some(key) = self.schema.visit_date() else { return };
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
                    _ if visit::begin(it, false, &self.schema.other_dates).is_some() => return false,
                    _ => {}
                }
            }
        }
        false
    }

    /// Whether a labelled date is that of a visit, which then begins or goes on.
    pub(super) fn dates_visit(
        &mut self,
        cell: usize,
        key: usize,
        meaning: &Meaning,
        date: Date,
        pieces: &[Piece],
    ) -> bool {
        let Some(visit_date) = self.schema.visit_date() else { return false };
        let schema = &self.schema.keys[key];
        let is_visit_date = key == visit_date;
        let row = pieces.last().map_or(self.sheet.cells[cell].row, |(value, _)| self.sheet.cells[*value].row);
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
    pub(super) fn is_visit_row(&self, cell: usize) -> bool {
        let first = &self.sheet.cells[self.sheet.rows[self.sheet.cells[cell].row].start];
        first.tokens.first().is_some_and(|token| visit::is_visit_word(&token.word))
    }
}

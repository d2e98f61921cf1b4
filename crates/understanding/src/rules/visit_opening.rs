//! Opens visits while the rows are read.

use std::ops::Range;

use jiff::civil::Date;

use super::candidate::{DetectedVisit, Provenance};
use super::labels::LabelMeaning;
use super::segments::Separator;
use super::value_position::TokenSpan;
use super::visit_start::{self, VisitStartKind};
use super::{FieldExtractor, LABELLED_CONFIDENCE, UNLABELLED_CONFIDENCE};
use crate::{Normaliser, Scope};

/// The number of rows after a date in which visit data must follow for the date to open a visit.
const MAX_ROWS_AHEAD: usize = 12;
/// The most visits of one document.
const MAX_VISITS: usize = 1_000;
/// Labels of a date that do not say what the date is for.
pub(super) const BARE_DATE_LABELS: [&str; 4] = ["fecha", "date", "dia", "day"];

impl FieldExtractor<'_> {
    pub(super) fn open_visit_at(&mut self, cell: usize) -> bool {
        if self.schema.visit_date().is_none() {
            return false;
        }
        let it = &self.layout.cells[cell];
        let Some(start) =
            visit_start::visit_start(it, it.in_margin, &self.schema.other_dates, self.dates.order)
        else {
            return false;
        };
        // A known label says itself what its date is for.
        let first = &self.segments[cell][0];
        if matches!(first.label, Some((meaning, separator)) if separator == Separator::Mark && meaning.key.is_some())
        {
            return false;
        }
        let row = &self.layout.rows[it.row];
        let is_shown = match start.kind {
            VisitStartKind::Timeline | VisitStartKind::Named => true,
            VisitStartKind::Dated => {
                let is_entry = self.is_in_visits || self.visit_data_follows(it.row, MAX_ROWS_AHEAD);
                row.start == cell && row.len() <= 2 && is_entry
            }
        };
        if !is_shown {
            return false;
        }
        let end = self.segments[cell].get(1).map_or(start.rest.end, |second| second.start);
        self.open_visit(start.date, Some(start.kind), &[(cell, start.date_tokens.clone())], None);
        if let Some(visit) = self.visits.last_mut() {
            visit.time = start.time;
        }
        let tail = start.rest.start..end;
        let is_reason = start.kind != VisitStartKind::Named && !tail.is_empty();
        if is_reason && !self.read_lead_in(cell, &tail) {
            self.propose_reason(cell, &tail);
        }
        true
    }

    /// Proposes the words behind the date of an entry as the reason for the visit.
    pub(super) fn propose_reason(&mut self, cell: usize, tail: &Range<usize>) {
        let is_reason =
            |key: &crate::SchemaKey| key.scope == Scope::Metadata && key.normaliser == Normaliser::Text;
        let Some(key) = self.schema.keys.iter().position(is_reason) else { return };
        let provenance = Provenance {
            confidence: UNLABELLED_CONFIDENCE,
            mapping: "fallback::behind_date".to_owned(),
            label: None,
            text: None,
        };
        self.propose(key, &[(cell, tail.clone())], provenance);
    }

    /// Starts a visit. What follows belongs to it.
    pub(super) fn open_visit(
        &mut self,
        date: Date,
        kind: Option<VisitStartKind>,
        at: &[TokenSpan],
        label: Option<&str>,
    ) {
        let Some(key) = self.schema.visit_date() else { return };
        if self.visits.len() >= MAX_VISITS {
            return;
        }
        self.context.clear();
        self.is_in_history = false;
        self.visits.push(DetectedVisit { date, time: None, start: kind });
        self.visit = Some(self.visits.len() - 1);
        let mapping = match (label, kind) {
            (Some(label), _) => format!("label_regex::{}", label.replace(' ', "_")),
            (None, Some(VisitStartKind::Timeline)) => "anchor::timeline".to_owned(),
            (None, Some(VisitStartKind::Named)) => "anchor::visit_line".to_owned(),
            (None, _) => "anchor::dated_entry".to_owned(),
        };
        let day = date.to_string();
        let provenance =
            Provenance { confidence: LABELLED_CONFIDENCE, mapping, label: None, text: Some(&day) };
        self.propose(key, at, provenance);
    }

    /// Whether the next value in the rows below belongs to a visit.
    pub(super) fn visit_data_follows(&self, row: usize, rows: usize) -> bool {
        for next in row + 1..self.layout.rows.len().min(row + 1 + rows) {
            for cell in self.layout.rows[next].clone() {
                self.layout.count_step();
                let it = &self.layout.cells[cell];
                if it.in_margin {
                    continue;
                }
                let words = &it.tokens[it.first_word()..];
                if let Some((key, _)) = self.labels.lead_in_at_start(words) {
                    return self.schema.keys[key].scope == Scope::Visit;
                }
                match self.segments[cell].first().and_then(|first| first.label) {
                    Some((meaning, separator)) if separator != Separator::Space => {
                        let key = meaning.key.map(|key| &self.schema.keys[key]);
                        match key {
                            Some(key) if key.at_visits => {}
                            Some(key) => return key.scope != Scope::Document,
                            None => {}
                        }
                    }
                    _ if self.labels.heading(words).is_some() => return false,
                    _ if visit_start::visit_start(it, false, &self.schema.other_dates, self.dates.order)
                        .is_some() =>
                    {
                        return false;
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// Whether a labelled date is the date of a visit. If so, opens the visit.
    pub(super) fn open_visit_by_label(
        &mut self,
        cell: usize,
        key: usize,
        meaning: &LabelMeaning,
        date: Date,
        spans: &[TokenSpan],
    ) -> bool {
        let Some(visit_date) = self.schema.visit_date() else { return false };
        let schema_key = &self.schema.keys[key];
        let is_visit_date = key == visit_date;
        let row =
            spans.last().map_or(self.layout.cells[cell].row, |(value, _)| self.layout.cells[*value].row);
        let is_bare = schema_key.scope == Scope::Document
            && BARE_DATE_LABELS.contains(&meaning.words.as_str())
            && (self.visit_data_follows(row, 4) || self.row_names_visit(cell));
        let opens_visit = schema_key.scope == Scope::Metadata && !is_visit_date && self.visit.is_none();
        if is_visit_date || is_bare || opens_visit {
            self.open_visit(date, None, spans, Some(&meaning.words));
        }
        is_visit_date || is_bare
    }

    /// Whether the row of a date starts with a visit word: "Consulta nº 12   Fecha: 14/09/2023".
    pub(super) fn row_names_visit(&self, cell: usize) -> bool {
        let first = &self.layout.cells[self.layout.rows[self.layout.cells[cell].row].start];
        first.tokens.first().is_some_and(|token| visit_start::is_visit_word(&token.word))
    }
}

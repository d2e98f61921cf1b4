//! Opens visits while the rows are read.

use std::ops::Range;

use jiff::civil::{Date, Time};

use super::candidate::{DetectedVisit, Provenance, ValueCandidate};
use super::labels::LabelMeaning;
use super::segments::{Segment, Separator};
use super::value_position::TokenSpan;
use super::visit_start::{self, VisitStartKind};
use super::{FieldFinder, LABELLED_RANK, UNLABELLED_RANK};
use crate::{Normaliser, SchemaKey, Scope};

/// The number of rows after a date in which visit data must follow for the date to open a visit.
const MAX_ROWS_AHEAD: usize = 12;
/// The most cells in the first row of an entry.
const MAX_CELLS_OF_ENTRY: usize = 4;
/// The most cells beside a date that are looked at.
const MAX_CELLS_OF_ROW: usize = 12;
/// The fewest words and the largest distance of a text below its date.
const MIN_TEXT_WORDS: usize = 4;
const MAX_TEXT_DISTANCE: f32 = 1.9;
/// The longest reason beside a date, in words.
const MAX_REASON_WORDS: usize = 14;
/// Words for a visit that may be still to come.
const APPOINTMENT_WORDS: [&str; 9] = [
    "cita",
    "appointment",
    "recheck",
    "revision",
    "control",
    "seguimiento",
    "follow-up",
    "review",
    "check-up",
];
/// Words that say what kind of entry it is, and not why somebody came.
const ENTRY_KINDS: [&str; 6] = ["exam", "examen", "note", "nota", "entry", "general"];
/// The fewest values of visits in a form about one visit.
const MIN_ITEMS_OF_FORM: usize = 2;
/// The most visits of one document.
const MAX_VISITS: usize = 1_000;
/// Labels of a date that do not say what the date is for.
pub(super) const BARE_DATE_LABELS: [&str; 6] = ["fecha", "date", "dia", "day", "datum", "data"];

impl FieldFinder<'_> {
    /// Opens a visit if a cell starts one: by itself, or because its row is like the heads of other entries.
    pub(super) fn open_visit_at(&mut self, cell: usize) -> bool {
        self.open_visit_by_line(cell) || self.open_visit_at_head(cell)
    }

    fn open_visit_by_line(&mut self, cell: usize) -> bool {
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
        if self.is_inside_paragraph(cell) && !self.is_row_like_last(cell, &start.date_tokens) {
            return false;
        }
        let row = it.row;
        let date = (cell, start.date_tokens.clone());
        let is_told = || {
            self.visit_data_beside(std::slice::from_ref(&date))
                || self.time_beside(cell).is_some()
                || self.visit_data_follows(row, MAX_ROWS_AHEAD)
                || self.text_follows(cell)
        };
        let is_shown = match start.kind {
            VisitStartKind::Timeline => true,
            // Within a visit, a review that nothing is told about is one to come: "Revisión 16/11/2023".
            VisitStartKind::Named => {
                let before = &it.tokens[it.first_word()..start.date_tokens.start];
                let is_appointment =
                    before.iter().any(|token| APPOINTMENT_WORDS.contains(&token.word.as_str()));
                self.visit.is_none() || !is_appointment || is_told()
            }
            VisitStartKind::Dated => {
                self.layout.rows[row].start == cell
                    && self.is_entry_row(row)
                    && (self.is_in_visits || self.is_like_last_entry(cell, &start.date_tokens) || is_told())
            }
        };
        if !is_shown {
            return false;
        }
        if start.kind == VisitStartKind::Dated {
            self.last_entry = Some(cell);
        }
        let end = self.segments[cell].get(1).map_or(start.rest.end, |second| second.start);
        self.open_visit(start.date, Some(start.kind), &[(cell, start.date_tokens.clone())], None);
        let time = start.time.or_else(|| self.time_beside(cell).map(|(_, time)| time));
        if let Some(visit) = self.visits.last_mut() {
            visit.time = time;
        }
        for other in self.layout.rows[row].clone().skip(1).take(MAX_CELLS_OF_ENTRY) {
            let all = self.layout.cells[other].token_range();
            if self.signature_line(other, &all) {
                self.mark_used(&[(other, all)]);
            }
        }
        let tail = self.behind_brackets(cell, &(start.rest.start..end));
        let tail = self.without_marks(cell, &tail);
        let tail = self.without_weight(cell, &tail);
        if start.kind == VisitStartKind::Named {
            self.days_of_stay(cell, &start.date_tokens, &tail);
            let is_free = !tail.is_empty() && !self.person_of_entry(cell, &tail);
            if is_free && self.is_reason_behind_title(cell, &start.date_tokens, &tail) {
                self.add_reason(cell, &tail);
            }
            return true;
        }
        if tail.is_empty() {
            self.reason_beside(cell);
        } else if self.read_lead_in(cell, &tail) || self.signature_line(cell, &tail) {
            // Who saw the patient is no reason.
        } else if self.labels.lead_in_at_start(&self.layout.cells[cell].tokens[tail.clone()]).is_some() {
            self.read_visit_text(cell, &tail);
        } else {
            let (reason, text) = self.first_sentence(cell, &tail);
            if !reason.is_empty() {
                self.add_reason(cell, &reason);
            }
            if !text.is_empty() {
                self.read_visit_text(cell, &text);
            }
        }
        true
    }

    /// Opens the visit of a head that repeats in the document. What stands beside its date is read as usual.
    fn open_visit_at_head(&mut self, cell: usize) -> bool {
        let row = self.layout.cells[cell].row;
        let head = self.entry_heads.get(&row).filter(|_| self.layout.rows[row].start == cell).cloned();
        let Some(head) = head else { return false };
        let (dated, tokens) = head.span.clone();
        self.open_visit(head.date, Some(VisitStartKind::Named), std::slice::from_ref(&head.span), None);
        let time = visit_start::time_behind(&self.layout.cells[dated].tokens, tokens.end).0;
        let time = time.or_else(|| self.time_beside(dated).map(|(_, time)| time));
        if let Some(visit) = self.visits.last_mut() {
            visit.time = time;
        }
        self.mark_used(&[(cell, self.layout.cells[cell].token_range())]);
        self.mark_used(std::slice::from_ref(&head.span));
        for other in self.layout.rows[row].clone().filter(|other| *other > dated).take(MAX_CELLS_OF_ENTRY) {
            let all = self.layout.cells[other].token_range();
            // "Visit   Vaccination": the second label is why somebody came.
            let is_last = other + 1 == self.layout.rows[row].end;
            let is_reason =
                is_last && self.sole_label(other).is_some() && self.sole_label(other - 1).is_some();
            if is_reason {
                self.add_reason(other, &all);
                self.mark_used(&[(other, all)]);
            } else if self.signature_line(other, &all) {
                self.mark_used(&[(other, all)]);
            } else if !self.starts_with_label(other) {
                self.without_weight(other, &all);
            }
        }
        true
    }

    /// Whether a row can be the first of an entry: its date, and perhaps who saw what. A row with more dates or figures
    /// belongs to a table.
    fn is_entry_row(&self, row: usize) -> bool {
        let cells = self.layout.rows[row].clone();
        let is_other = |cell: usize| {
            let tokens = &self.layout.cells[cell].tokens;
            let starts =
                tokens.first().is_some_and(|token| token.text.starts_with(|c: char| c.is_ascii_digit()));
            let of_document = |part: &Segment<'_>| {
                let key = part.label.and_then(|(meaning, _)| meaning.key).map(|key| &self.schema.keys[key]);
                key.is_none_or(|key| key.scope == Scope::Document && !key.at_visits)
            };
            let has_value = self.starts_with_label(cell)
                && self.segments[cell].iter().any(|part| !part.value.is_empty() && of_document(part));
            (!starts || visit_start::time_in(&self.layout.cells[cell]).is_some()) && !has_value
        };
        cells.len() <= 2 || (cells.len() <= MAX_CELLS_OF_ENTRY && cells.skip(1).all(is_other))
    }

    /// The time of day in the cell beside a date, and that cell.
    fn time_beside(&self, cell: usize) -> Option<(usize, Time)> {
        let next =
            Some(cell + 1).filter(|next| self.layout.rows[self.layout.cells[cell].row].contains(next))?;
        Some((next, visit_start::time_in(&self.layout.cells[next])?))
    }

    /// Whether a text stands directly below a date: an entry in sentences.
    fn text_follows(&self, cell: usize) -> bool {
        let Some(next) = self.row_after(self.layout.cells[cell].row).map(|row| self.layout.rows[row].start)
        else {
            return false;
        };
        let it = &self.layout.cells[next];
        let is_told = self.candidates.len() > self.letterhead_candidates;
        is_told
            && it.tokens.len() >= MIN_TEXT_WORDS
            && self.line_distance(cell, next) <= MAX_TEXT_DISTANCE
            && !self.starts_with_label(next)
            && visit_start::visit_start(it, false, &self.schema.other_dates, self.dates.order).is_none()
    }

    /// Takes the cell beside the date of an entry as its reason, unless it only says what kind of entry it is.
    fn reason_beside(&mut self, cell: usize) {
        let time = self.time_beside(cell).map(|(time, _)| time);
        let next = time.unwrap_or(cell) + 1;
        if let Some(time) = time {
            self.used[time] = true;
        }
        let is_in_row = self.layout.rows[self.layout.cells[cell].row].contains(&next);
        if !is_in_row || self.used[next] || self.starts_with_label(next) {
            return;
        }
        let tokens = self.layout.cells[next].token_range();
        // Behind the date and the time stands who saw the patient.
        if time.is_some() && self.person_of_entry(next, &tokens) {
            self.mark_used(&[(next, tokens)]);
            return;
        }
        let words = &self.layout.cells[next].tokens;
        let is_kind = words.len() <= 2
            && words.iter().all(|token| {
                visit_start::is_visit_word(&token.word) || ENTRY_KINDS.contains(&token.word.as_str())
            });
        let has_more = time.is_some()
            || self.visit_data_follows(self.layout.cells[cell].row, 3)
            || self.text_follows(cell);
        if is_kind || !has_more || tokens.len() > MAX_REASON_WORDS || self.signature_line(next, &tokens) {
            return;
        }
        if self.read_lead_in(next, &tokens) {
            self.mark_used(&[(next, tokens)]);
            return;
        }
        self.add_reason(next, &tokens);
        self.mark_used(&[(next, tokens)]);
    }

    /// Proposes the words behind the date of an entry as the reason for the visit.
    pub(super) fn add_reason(&mut self, cell: usize, tail: &Range<usize>) {
        let is_reason =
            |key: &crate::SchemaKey| key.scope == Scope::VisitHead && key.normaliser == Normaliser::Text;
        let Some(key) = self.schema.keys.iter().position(is_reason) else { return };
        let provenance = Provenance {
            rank: UNLABELLED_RANK,
            mapping: "fallback::behind_date".to_owned(),
            label: None,
            text: None,
        };
        self.add_candidate(key, &[(cell, tail.clone())], provenance);
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
        self.gaps = 0;
        self.visits.push(DetectedVisit { date, time: None, start: kind });
        self.visit = Some(self.visits.len() - 1);
        let mapping = match (label, kind) {
            (Some(label), _) => format!("label_regex::{}", label.replace(' ', "_")),
            (None, Some(VisitStartKind::Timeline)) => "anchor::timeline".to_owned(),
            (None, Some(VisitStartKind::Named)) => "anchor::visit_line".to_owned(),
            (None, _) => "anchor::dated_entry".to_owned(),
        };
        let day = date.to_string();
        let provenance = Provenance { rank: LABELLED_RANK, mapping, label: None, text: Some(&day) };
        self.add_candidate(key, at, provenance);
    }

    /// Whether a value of a visit stands behind a date in its row: "Fecha: 14/05/2023   Peso: 6,3 kg   Motivo: otitis".
    fn visit_data_beside(&self, date: &[TokenSpan]) -> bool {
        let Some((cell, tokens)) = date.last() else { return false };
        let row = &self.layout.rows[self.layout.cells[*cell].row];
        let of_visit = |cell: usize, from: usize| {
            self.layout.count_step();
            self.segments[cell].iter().filter(|segment| segment.start >= from).any(|segment| {
                let key = segment.label.filter(|(_, separator)| *separator == Separator::Mark);
                let key = key.and_then(|(meaning, _)| meaning.key).map(|key| &self.schema.keys[key]);
                key.is_some_and(|key| key.scope != Scope::Document)
            })
        };
        of_visit(*cell, tokens.end)
            || (cell + 1..row.end).take(MAX_CELLS_OF_ROW).any(|other| of_visit(other, 0))
    }

    /// Whether the next value in the rows below belongs to a visit.
    pub(super) fn visit_data_follows(&self, row: usize, rows: usize) -> bool {
        let of_institution = |key: &SchemaKey| {
            key.normaliser == Normaliser::Person && key.section.as_deref() == self.roles.institution
        };
        let mut has_weight = false;
        for next in row + 1..self.layout.rows.len().min(row + 1 + rows) {
            for cell in self.layout.rows[next].clone() {
                self.layout.count_step();
                let it = &self.layout.cells[cell];
                if it.in_margin {
                    continue;
                }
                let words = &it.tokens[it.first_word()..];
                if let Some((key, _)) = self.labels.lead_in_at_start(words) {
                    return self.schema.keys[key].scope != Scope::Document;
                }
                match self.segments[cell].first().and_then(|first| first.label) {
                    Some((meaning, separator)) if separator != Separator::Space => {
                        let key = meaning.key.map(|key| &self.schema.keys[key]);
                        match key {
                            Some(key) if key.at_visits => has_weight = true,
                            // Who saw the patient says nothing about what follows.
                            Some(key) if of_institution(key) => {}
                            Some(key) => return key.scope != Scope::Document,
                            None => {}
                        }
                    }
                    _ if self.labels.heading(words).is_some() => return false,
                    _ if visit_start::visit_start(it, false, &self.schema.other_dates, self.dates.order)
                        .is_some() =>
                    {
                        return has_weight;
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
            && (self.visit_data_beside(spans)
                || self.visit_data_follows(row, 4)
                || self.row_names_visit(cell));
        let opens_visit = schema_key.scope == Scope::VisitHead && !is_visit_date && self.visit.is_none();
        if is_visit_date || is_bare || opens_visit {
            self.open_visit(date, None, spans, Some(&meaning.words));
        }
        is_visit_date || is_bare
    }

    /// In a form about one visit, its only date stands far from what is told: "Fecha: 09/05/2024" at the top. Without another
    /// visit, it is that of the visit.
    pub(super) fn open_visit_of_only_date(&mut self) {
        let (Some(visit_date), Some(date)) = (self.schema.visit_date(), self.schema.document_date()) else {
            return;
        };
        let is_told = |candidate: &&ValueCandidate| {
            self.schema.keys[candidate.key].scope != Scope::Document && !candidate.is_outside_visits
        };
        let is_bare = |candidate: &&ValueCandidate| {
            let label = candidate.mapping.strip_prefix("label_regex::").unwrap_or_default();
            candidate.key == date && BARE_DATE_LABELS.contains(&label)
        };
        let told = self.candidates.iter().filter(is_told).take(MIN_ITEMS_OF_FORM).count();
        let mut days = self.candidates.iter().filter(is_bare);
        let (Some(day), None) = (days.next(), days.next()) else { return };
        let value = day.value.as_deref().and_then(|value| value.parse::<Date>().ok());
        let Some(value) = value.filter(|_| self.visits.is_empty() && told >= MIN_ITEMS_OF_FORM) else {
            return;
        };
        let candidate = ValueCandidate { key: visit_date, visit: Some(0), ..day.clone() };
        self.visits.push(DetectedVisit { date: value, time: None, start: None });
        self.candidates.push(candidate);
    }

    /// Whether the row of a date starts with a visit word: "Consulta nº 12   Fecha: 14/09/2023".
    pub(super) fn row_names_visit(&self, cell: usize) -> bool {
        let first = &self.layout.cells[self.layout.rows[self.layout.cells[cell].row].start];
        first.tokens.first().is_some_and(|token| visit_start::is_visit_word(&token.word))
    }
}

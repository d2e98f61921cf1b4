//! Finds the heads of entries by their repetition: rows that begin with the same words before a date, or with dates at the same
//! edge, each above something that belongs to a visit. "ENCOUNTER 1   May 17, 2021" says little alone; five such rows are five
//! visits.

use std::collections::HashMap;

use jiff::civil::Date;

use super::FieldFinder;
use super::labels::LabelMeaning;
use super::layout::Token;
use super::value_position::TokenSpan;
use super::visit_opening::BARE_DATE_LABELS;
use super::visit_start::{date_at, names_other_occasion, visit_start};
use crate::normal::date::is_weekday;

/// The most words before the date of a head.
const MAX_WORDS: usize = 6;
/// The number of rows below a head in which visit data must follow.
const MAX_ROWS_AHEAD: usize = 12;

/// How far apart the edges of dates of one series may be, in points.
const SAME_EDGE: f32 = 4.0;
/// At most one in so many days of a series comes before the day above it, if most come after.
const MAX_TURNS: usize = 6;

/// The date in the first row of an entry.
#[derive(Clone)]
pub(super) struct EntryHead {
    pub date: Date,
    pub span: TokenSpan,
}

impl FieldFinder<'_> {
    /// The heads of entries that repeat, by their rows.
    pub(super) fn repeated_heads(&self) -> HashMap<usize, EntryHead> {
        let mut groups: HashMap<String, Vec<(usize, EntryHead)>> = HashMap::new();
        if self.schema.visit_date().is_some() {
            for row in 0..self.layout.rows.len() {
                if let Some((words, head)) = self.dated_head(row) {
                    groups.entry(words).or_default().push((row, head));
                }
            }
        }
        groups.into_values().filter(|heads| self.are_heads_of_entries(heads)).flatten().collect()
    }

    /// The words before the first date of a row, without their numbers, and the date. None if the words say that it is no
    /// date of a visit.
    fn dated_head(&self, row: usize) -> Option<(String, EntryHead)> {
        let cells = self.layout.rows[row].clone();
        let first = &self.layout.cells[cells.start];
        if self.is_running[row] || first.in_margin || !first.tokens.get(first.first_word())?.is_capital() {
            return None;
        }
        let is_of_other_key = |(meaning, _): (&LabelMeaning, _)| {
            meaning.key.is_some()
                && meaning.key != self.schema.visit_date()
                && !BARE_DATE_LABELS.contains(&meaning.words.as_str())
        };
        if self.segments[cells.start].first()?.label.is_some_and(is_of_other_key) {
            return None;
        }
        let mut words = String::new();
        let mut count = 0;
        for cell in cells.clone().take(MAX_WORDS) {
            if self.in_table[cell] {
                return None;
            }
            let tokens = &self.layout.cells[cell].tokens;
            for (at, token) in tokens.iter().enumerate() {
                self.layout.count_step();
                if token.is_separator() || is_weekday(&token.word) {
                    continue;
                }
                if let Some((date, length)) = date_at(tokens, at, self.dates.order) {
                    if !words.chars().any(char::is_alphabetic) {
                        // Dates alone are one series if they stand at the same edge and are written alike.
                        words = self.edge_of_dates(cells.start, &tokens[at..at + length])?;
                    }
                    return Some((words, EntryHead { date, span: (cell, at..at + length) }));
                }
                let ends_sentence = token.text.ends_with([',', ';']);
                count += 1;
                if count > MAX_WORDS || ends_sentence || names_other_occasion(token, &self.schema.other_dates)
                {
                    return None;
                }
                words.extend(token.word.chars().filter(|c| !c.is_ascii_digit()));
                words.push(' ');
            }
        }
        None
    }

    /// What dates that start a row have in common if they are a series. None within a paragraph.
    fn edge_of_dates(&self, cell: usize, date: &[Token<'_>]) -> Option<String> {
        let it = &self.layout.cells[cell];
        if self.is_inside_paragraph(cell)
            || visit_start(it, false, &self.schema.other_dates, self.dates.order).is_none()
        {
            return None;
        }
        let is_spelt = date.iter().any(|token| token.text.chars().any(char::is_alphabetic));
        Some(format!("{:.0} {is_spelt}", it.rect.x0 / SAME_EDGE))
    }

    /// Whether rows with the same words are heads of entries: other rows stand between them, their days follow each other, and visit
    /// data follows most of them.
    fn are_heads_of_entries(&self, heads: &[(usize, EntryHead)]) -> bool {
        let pairs = || heads.windows(2);
        let are_apart = pairs().all(|pair| pair[0].0 + 1 < pair[1].0);
        let rises = pairs().filter(|pair| pair[0].1.date < pair[1].1.date).count();
        let falls = pairs().filter(|pair| pair[0].1.date > pair[1].1.date).count();
        let told = heads.iter().filter(|(row, _)| self.visit_data_follows(*row, MAX_ROWS_AHEAD)).count();
        heads.len() > 1 && are_apart && MAX_TURNS * rises.min(falls) <= heads.len() && 2 * told > heads.len()
    }
}

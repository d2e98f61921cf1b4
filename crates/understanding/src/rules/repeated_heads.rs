//! Finds the heads of entries by their repetition: rows that begin with the same words before a date, each above something
//! that belongs to a visit. "ENCOUNTER 1   May 17, 2021" says little alone; five such rows are five visits.

use std::collections::HashMap;

use jiff::civil::Date;

use super::FieldFinder;
use super::labels::LabelMeaning;
use super::value_position::TokenSpan;
use super::visit_opening::BARE_DATE_LABELS;
use super::visit_start::{date_at, names_other_occasion};
use crate::normal::date::is_weekday;

/// The most words before the date of a head.
const MAX_WORDS: usize = 6;
/// The number of rows below a head in which visit data must follow.
const MAX_ROWS_AHEAD: usize = 12;

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
            meaning.key.is_some() && !BARE_DATE_LABELS.contains(&meaning.words.as_str())
        };
        if self.segments[cells.start].first()?.label.is_some_and(is_of_other_key) {
            return None;
        }
        let mut words = String::new();
        let mut count = 0;
        for cell in cells.take(MAX_WORDS) {
            let tokens = &self.layout.cells[cell].tokens;
            for (at, token) in tokens.iter().enumerate() {
                self.layout.count_step();
                if token.is_separator() || is_weekday(&token.word) {
                    continue;
                }
                if let Some((date, length)) = date_at(tokens, at, self.dates.order) {
                    let is_named = words.chars().any(char::is_alphabetic);
                    return is_named.then(|| (words, EntryHead { date, span: (cell, at..at + length) }));
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

    /// Whether rows with the same words are heads of entries: other rows stand between them, and visit data follows most of
    /// them.
    fn are_heads_of_entries(&self, heads: &[(usize, EntryHead)]) -> bool {
        let are_apart = heads.windows(2).all(|pair| pair[0].0 + 1 < pair[1].0);
        let told = heads.iter().filter(|(row, _)| self.visit_data_follows(*row, MAX_ROWS_AHEAD)).count();
        heads.len() > 1 && are_apart && 2 * told > heads.len()
    }
}

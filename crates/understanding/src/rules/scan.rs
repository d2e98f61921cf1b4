//! Reads a document row by row, and each row cell by cell.

use super::FieldExtractor;
use super::segments::Separator;
use super::value_position::ExpectedValue;

impl FieldExtractor<'_> {
    pub(super) fn scan_rows(&mut self) {
        let mut row = 0;
        while row < self.layout.rows.len() {
            if let Some(after) = self.read_table(row) {
                row = after;
                continue;
            }
            for cell in self.layout.rows[row].clone() {
                self.layout.count_step();
                self.read_cell(cell);
            }
            row += 1;
        }
    }

    pub(super) fn read_cell(&mut self, cell: usize) {
        let it = &self.layout.cells[cell];
        if it.tokens.is_empty() || (it.in_margin && !self.starts_with_label(cell)) {
            return;
        }
        self.context.close_crossed(it);
        if self.open_section(cell) || self.subject_in_title(cell) {
            return;
        }
        let mut from = 0;
        if !self.used[cell] && self.open_visit_at(cell) {
            from = 1;
        }
        for segment in from..self.segments[cell].len() {
            let it = &self.segments[cell][segment];
            let (label, value, start) = (it.label, it.value.clone(), it.start);
            match label {
                Some((meaning, separator)) if segment > 0 || !self.used[cell] => {
                    self.read_label(cell, meaning, separator, &value, start);
                }
                None if !it.is_labelled && !self.used[cell] => self.read_unlabelled(cell, &value),
                _ => {}
            }
        }
    }

    /// Opens the section of a heading. Returns whether the cell is one.
    pub(super) fn open_section(&mut self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let Some(heading) = self.labels.heading(&it.tokens[it.first_word()..]) else { return false };
        if self.used[cell] {
            return false;
        }
        let expected = ExpectedValue::default();
        let first = self.segments[cell][0].label;
        let is_label =
            first.is_some_and(|(meaning, separator)| meaning.key.is_some() && separator != Separator::Space);
        let behind = it.tokens.len()..it.tokens.len();
        if is_label && !self.values_of_label(cell, &behind, &expected).is_empty() {
            return false;
        }
        let is_column = cell > self.layout.rows[it.row].start;
        let section = heading.section;
        self.visit = None;
        self.is_in_history = section.is_none();
        let is_of_visits = section.is_some() && section == self.roles.visits;
        self.is_in_visits = is_of_visits;
        if (section.is_none() || is_of_visits) && !is_column {
            self.context.clear();
        }
        self.context.open_region(&self.layout.cells[cell], section, is_column);
        true
    }
}

//! Reads a document row by row, and each row cell by cell.

use super::FieldFinder;
use super::segments::Separator;
use super::value_position::ExpectedValue;

/// The largest distance between two lines without a blank one between them, in line heights.
const MAX_LINE_DISTANCE: f32 = 2.2;

impl FieldFinder<'_> {
    pub(super) fn scan_rows(&mut self) {
        self.read_letterhead();
        let mut row = 0;
        while row < self.layout.rows.len() {
            if self.layout.starts_apart(row) {
                self.leave_visit();
            }
            self.read_ruled_tables(row);
            if let Some(after) = self.read_table(row) {
                row = after;
                continue;
            }
            if self.is_running[row] {
                row += 1;
                continue;
            }
            self.note_gap(row);
            self.read_fact_row(row);
            for cell in self.layout.rows[row].clone() {
                self.layout.count_step();
                self.read_cell(cell);
            }
            row += 1;
        }
    }

    /// Ends the visit and the sections above, where another part of the page begins.
    fn leave_visit(&mut self) {
        self.visit = None;
        self.is_in_history = false;
        self.is_in_visits = false;
        self.context.clear();
    }

    /// Counts a blank line above a row.
    fn note_gap(&mut self, row: usize) {
        let rows = &self.layout.rows;
        let Some(above) = row.checked_sub(1).map(|above| rows[above].start) else { return };
        let below = rows[row].start;
        let is_same_page = self.layout.cells[above].page == self.layout.cells[below].page;
        self.gaps += usize::from(is_same_page && self.line_distance(above, below) > MAX_LINE_DISTANCE);
    }

    pub(super) fn read_cell(&mut self, cell: usize) {
        let it = &self.layout.cells[cell];
        if it.tokens.is_empty() || self.in_table[cell] || (it.in_margin && !self.starts_with_label(cell)) {
            return;
        }
        self.context.close_crossed(it);
        if self.open_section(cell) || self.salutation_line(cell) {
            return;
        }
        // Behind a title or the date of a visit, only other labels are read.
        let is_title = self.subject_in_title(cell);
        let from = usize::from(is_title || (!self.used[cell] && self.open_visit_at(cell)));
        for segment in from..self.segments[cell].len() {
            let it = &self.segments[cell][segment];
            let (label, value, start) = (it.label, it.value.clone(), it.start);
            let is_labelled = it.is_labelled;
            match label {
                Some((meaning, separator)) if segment > 0 || !self.used[cell] => {
                    self.read_label(cell, meaning, separator, &value, start);
                }
                None if !is_labelled && !self.used[cell] => self.read_unlabelled(cell, &value),
                None if !self.used[cell] && self.read_signalment(cell, start, &value) => {}
                None if self.visit.is_some() && !self.used[cell] => {
                    self.weights_in_text(&[(cell, value.clone())]);
                    // "Hemograma: hematocrito 31 %" is a result with its name.
                    let spans = self.paragraph(cell, &(start..value.end));
                    self.read_told_values(&spans, &[]);
                }
                // Behind a label that nobody knows may stand a sentence.
                None if self.visit.is_none() && !self.used[cell] => self.read_prose(cell, &value),
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
        // The history may be a part of what is told about a visit, and ends with it.
        self.visit_before_history = self.visit.filter(|_| section.is_none());
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

//! The walk over a document, row by row.

use super::Rules;
use super::segments::Apart;
use super::values::Wanted;

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

    pub(super) fn look(&mut self, cell: usize) {
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
    pub(super) fn opens_part(&mut self, cell: usize) -> bool {
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
        let section = opens.section;
        self.visit = None;
        self.in_history = section.is_none();
        let is_of_visits = section.is_some() && section == self.about.visits;
        self.in_visits = is_of_visits;
        if (section.is_none() || is_of_visits) && !is_column {
            self.context.clear();
        }
        self.context.open(&self.sheet.cells[cell], section, is_column);
        true
    }
}

//! Tells which rows are line items. Their sums are no totals.

use super::BusinessDocument;

impl BusinessDocument<'_> {
    /// Whether each row is a line item: it stands below a head with the label of a repeatable key, and above the totals.
    pub(super) fn item_rows(&self) -> Vec<bool> {
        let mut page = None;
        let rows = self.layout.rows.iter().enumerate().map(|(row, cells)| {
            let own = self.layout.cells[cells.start].page;
            let is_head = self.is_item_head(row);
            if is_head {
                page = Some(own);
            } else if page.is_some_and(|page| page != own) || self.is_total_row(row) {
                page = None;
            }
            page.is_some() && !is_head
        });
        rows.collect()
    }

    pub(super) fn is_item_head(&self, row: usize) -> bool {
        let cells = self.layout.rows[row].clone();
        let is_label = |cell: usize| {
            let words = self.phrase(cell, &self.layout.cells[cell].token_range(), true);
            let found = self.phrases.longest(&words).filter(|found| found.count == words.len());
            found.is_some_and(|found| found.meaning.key.is_some_and(|key| self.schema.keys[key].repeatable))
        };
        cells.len() >= 2 && cells.clone().all(|cell| self.mentions.in_cell(cell).is_empty()) && {
            let mut cells = cells;
            cells.any(is_label)
        }
    }

    /// Whether a row starts with the label of a sum, or is a head of totals.
    fn is_total_row(&self, row: usize) -> bool {
        let mut cells = self.layout.rows[row].clone();
        cells.find(|cell| !self.is_values_only(*cell)).is_some_and(|cell| {
            let words = self.phrase(cell, &self.layout.cells[cell].token_range(), false);
            self.phrases.longest(&words).is_some_and(|found| {
                let is_sum = found.meaning.key.is_some_and(|key| self.schema.keys[key].normaliser.is_sum());
                is_sum && 2 * found.count >= words.len()
            })
        })
    }
}

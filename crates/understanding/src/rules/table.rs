//! Tables: a row of labels, and rows of values below them.

use super::BY_LABEL;
use super::Rules;
use super::candidate::How;
use super::open::BARE_DATE;
use super::segments::Apart;
use super::visit;
use crate::{Normaliser, Scope};

/// Rows of a table at most.
const MOST_ROWS: usize = 200;
/// How far apart rows of a table can be, in heights.
const APART: f32 = 4.0;

/// A column of a table.
struct Column {
    label: usize,
    key: Option<usize>,
    is_date: bool,
    words: String,
    /// The last candidate that stood in it.
    last: Option<usize>,
}

impl Rules<'_> {
    /// Reads the table whose head stands in this row; the row behind it.
    pub(super) fn table(&mut self, row: usize) -> Option<usize> {
        let mut columns = self.head(row)?;
        let dates_visits = columns.iter().any(|column| column.is_date) && self.tells_of_visits(&columns);
        let is_list = |column: &Column| {
            column.key.is_none_or(|key| {
                self.schema.keys[key].repeatable || self.schema.keys[key].scope != Scope::Document
            })
        };
        // A row of single values has one below it; what follows is something else.
        let most = if dates_visits || columns.iter().any(is_list) { MOST_ROWS } else { 1 };
        let mut last = self.sheet.rows[row].start;
        let mut next = row + 1;
        while next < self.sheet.rows.len() && next - row <= most {
            self.sheet.step();
            let first = self.sheet.rows[next].start;
            if self.sheet.cells[first].in_margin && next > row + 1 {
                break;
            }
            let is_first = next == row + 1;
            if self.pitch(last, first) > APART || !self.is_body(next, &columns) {
                break;
            }
            self.read_row(next, &mut columns, dates_visits, is_first);
            last = first;
            next += 1;
        }
        if dates_visits {
            self.visit = None;
        } else if most == 1 && next > row + 1 {
            self.open_columns(&columns);
        }
        (next > row + 1).then_some(next)
    }

    /// Heads that speak of somebody govern what stands below them.
    fn open_columns(&mut self, columns: &[Column]) {
        for (place, column) in columns.iter().enumerate() {
            let cell = &self.sheet.cells[column.label];
            if let Some(opens) = self.labels.heading(&cell.tokens[cell.first_word()..]) {
                self.context.open(cell, opens.section, place > 0);
            }
        }
    }

    /// The columns, if all cells of a row are labels and what stands below them is not.
    fn head(&self, row: usize) -> Option<Vec<Column>> {
        let cells = self.sheet.rows[row].clone();
        if cells.len() < 2 || row + 1 >= self.sheet.rows.len() {
            return None;
        }
        let mut columns = Vec::new();
        let count = cells.len();
        for cell in cells {
            let Some((meaning, apart)) = self.segments[cell].first()?.label else {
                columns.push(self.nameless(cell)?);
                continue;
            };
            let is_all =
                apart == Apart::Alone || (apart == Apart::Mark && self.segments[cell][0].value.is_empty());
            if !is_all || self.segments[cell].len() > 1 || self.used[cell] {
                return None;
            }
            let key = self.resolve(meaning, cell);
            let is_date = key.is_some_and(|key| {
                self.schema.visit_date() == Some(key) || BARE_DATE.contains(&meaning.words.as_str())
            });
            columns.push(Column { label: cell, key, is_date, words: meaning.words.clone(), last: None });
        }
        let has_key = columns.iter().any(|column| column.key.is_some());
        let below = self.sheet.rows[row + 1].clone();
        // Among labels there may be heads that nobody told us of, but fewer than those, and above more than one value.
        let nameless = columns.iter().filter(|column| column.words.is_empty()).count();
        if nameless > 0 && (2 * nameless >= count || columns[0].words.is_empty() || below.len() < 2) {
            return None;
        }
        let is_near = self.pitch(self.sheet.rows[row].start, below.start) <= APART;
        let same_page = self.sheet.cells[below.start].page == self.sheet.cells[columns[0].label].page;
        (has_key && is_near && same_page && self.is_body(row + 1, &columns)).then_some(columns)
    }

    /// A column whose head is no label we know.
    fn nameless(&self, cell: usize) -> Option<Column> {
        let it = &self.sheet.cells[cell];
        let has_figures = it.tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let is_head = it.tokens.len() <= 3 && !has_figures && !self.segments[cell][0].is_labelled;
        is_head.then(|| Column { label: cell, key: None, is_date: false, words: String::new(), last: None })
    }

    /// Whether every cell of a row stands in a column and is no label.
    fn is_body(&self, row: usize, columns: &[Column]) -> bool {
        let cells = self.sheet.rows[row].clone();
        // In a row that begins with a figure, such as a date, words are values whatever else they could be.
        let first = &self.sheet.cells[cells.start].tokens;
        let is_row = first.first().is_some_and(|token| token.text.starts_with(|c: char| c.is_ascii_digit()));
        cells.len() <= columns.len()
            && cells.clone().all(|cell| {
                let it = &self.sheet.cells[cell];
                if it.tokens.is_empty() {
                    return false;
                }
                let begins = visit::begin(it, false, &self.schema.other_dates)
                    .is_some_and(|begins| begins.shown == visit::Shown::Named);
                // A small letter goes on with the row above, even if the word could be a label.
                let is_label = !is_row && self.is_label(cell) && it.tokens[it.first_word()].is_capital();
                !is_label
                    && !begins
                    && self.labels.heading(&it.tokens[it.first_word()..]).is_none()
                    && self.column_of(cell, columns).is_some()
            })
    }

    fn tells_of_visits(&self, columns: &[Column]) -> bool {
        columns.iter().any(|column| {
            let key = column.key.map(|key| &self.schema.keys[key]);
            key.is_some_and(|key| {
                key.scope == Scope::Metadata || key.at_visits || (key.scope == Scope::Visit && key.critical)
            })
        })
    }

    /// The column that a cell stands in: the one that it overlaps, else the one that begins nearest to its left.
    fn column_of(&self, cell: usize, columns: &[Column]) -> Option<usize> {
        let it = self.sheet.cells[cell].rect;
        let overlap = |column: &Column| {
            let head = self.sheet.cells[column.label].rect;
            it.x1.min(head.x1) - it.x0.max(head.x0)
        };
        let left = |column: &Column| (self.sheet.cells[column.label].rect.x0 - it.x0).abs();
        let aligned = columns.iter().position(|column| left(column) <= 6.0);
        let widest = || {
            let places = (0..columns.len()).filter(|place| overlap(&columns[*place]) > 0.0);
            places.max_by(|one, two| overlap(&columns[*one]).total_cmp(&overlap(&columns[*two])))
        };
        aligned.or_else(widest)
    }

    fn read_row(&mut self, row: usize, columns: &mut [Column], dates_visits: bool, is_first: bool) {
        let cells: Vec<(usize, usize)> = self.sheet.rows[row]
            .clone()
            .filter_map(|cell| Some((cell, self.column_of(cell, columns)?)))
            .collect();
        let mut is_new = is_first;
        for (cell, column) in &cells {
            if !columns[*column].is_date || !dates_visits {
                continue;
            }
            let it = &self.sheet.cells[*cell];
            if let Some((date, count)) = visit::date_at(&it.tokens, it.first_word()) {
                let at = it.first_word()..it.first_word() + count;
                self.open_visit(date, None, &[(*cell, at)], Some(&columns[*column].words));
                is_new = true;
            }
        }
        for (cell, place) in cells {
            let column = &mut columns[place];
            if column.key.is_none() && dates_visits && self.visit.is_some() {
                let all = self.sheet.cells[cell].all();
                self.narrate(cell, &all);
                continue;
            }
            let Some(key) = column.key.filter(|_| !(column.is_date && dates_visits)) else { continue };
            let schema = &self.schema.keys[key];
            let all = self.sheet.cells[cell].all();
            if !is_new && (dates_visits || !schema.repeatable) {
                // The row of before goes on.
                if let Some(last) = column.last.filter(|_| schema.normaliser == Normaliser::Text) {
                    let words = self.sheet.cells[cell].text(all);
                    let last = &mut self.candidates[last];
                    last.raw = format!("{} {words}", last.raw);
                    last.value = schema.normaliser.apply(&last.raw);
                }
                continue;
            }
            let mapping = format!("label_regex::{}", column.words.replace(' ', "_"));
            let how = How { confidence: BY_LABEL, mapping, label: Some(column.label), words: None };
            let before = self.candidates.len();
            self.propose(key, &[(cell, all)], how);
            column.last = (self.candidates.len() > before).then_some(before);
        }
    }
}

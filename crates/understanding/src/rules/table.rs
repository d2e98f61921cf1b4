//! Reads tables: a row of labels, and rows of values below it.

use super::FieldFinder;
use super::LABELLED_RANK;
use super::candidate::Provenance;
use super::labels::LabelMeaning;
use super::segments::Separator;
use super::visit_opening::BARE_DATE_LABELS;
use super::visit_start;
use crate::{Normaliser, Scope};

/// The most rows of a table.
const MAX_ROWS: usize = 200;
/// The largest distance between two rows of a table, in line heights.
const MAX_ROW_DISTANCE: f32 = 4.0;

/// The same between the lines of one value.
const MAX_BROKEN_DISTANCE: f32 = 1.6;
/// The most digits of the number of a row.
const MAX_NUMBER_DIGITS: usize = 4;

/// A column of a table.
struct Column {
    label: usize,
    key: Option<usize>,
    is_date: bool,
    label_words: String,
    /// The index of the candidate from the last row.
    last_candidate: Option<usize>,
}

impl FieldFinder<'_> {
    /// Reads the table whose head is this row. Returns the index of the row after the table.
    pub(super) fn read_table(&mut self, row: usize) -> Option<usize> {
        let mut columns = self.table_head(row)?;
        let dates_visits = columns.iter().any(|column| column.is_date) && self.has_visit_columns(&columns);
        let is_single =
            |key: usize| !self.schema.keys[key].repeatable && self.schema.keys[key].scope == Scope::Document;
        // Below a head of single values stands one row; the next row belongs to something else.
        let keys = columns.iter().filter_map(|column| column.key);
        let is_list =
            dates_visits || columns.iter().any(|column| column.is_date) || !keys.clone().all(is_single);
        let most = if is_list { MAX_ROWS } else { 1 };
        let mut last = self.layout.rows[row].start;
        let mut next = row + 1;
        let dated = self.other_date_column(row + 1, &columns).filter(|_| !dates_visits && most > 1);
        let before = (self.visit, self.is_in_history);
        while next < self.layout.rows.len() && next - row <= most {
            self.layout.count_step();
            let first = self.layout.rows[next].start;
            if self.is_running[next] && next > row + 1 && self.table_head(next).is_none() {
                next += 1;
                continue;
            }
            if self.layout.cells[first].in_margin && next > row + 1 {
                break;
            }
            let is_first = next == row + 1;
            if self.line_distance(last, first) > MAX_ROW_DISTANCE || !self.is_body_row(next, &columns) {
                break;
            }
            if let Some(dated) = dated {
                self.visit = self.visit_of_row(next, dated, &columns, before.0);
                self.is_in_history = self.visit.is_none();
            }
            self.read_row(next, &mut columns, dates_visits, is_first, most > 1);
            last = first;
            next += 1;
        }
        if most == 1 && next == row + 2 {
            next = self.read_broken_values(next, &columns);
        }
        if dated.is_some() && next > row + 1 {
            (self.visit, self.is_in_history) = (None, before.1);
        }
        if dates_visits {
            self.visit = None;
        } else if most == 1 && next > row + 1 {
            self.open_column_regions(&columns);
        }
        (next > row + 1).then_some(next)
    }

    /// Reads the second line of values that were too long for their columns. Returns the row behind it.
    fn read_broken_values(&mut self, row: usize, columns: &[Column]) -> usize {
        let Some(cells) = self.layout.rows.get(row).cloned() else { return row };
        let above = self.layout.rows[row - 1].start;
        let is_value = |cell: usize| {
            let it = &self.layout.cells[cell];
            let place = self.column_of(cell, columns).filter(|place| {
                (self.layout.cells[columns[*place].label].rect.x0 - it.rect.x0).abs() <= 6.0
            })?;
            let is_plain = !self.starts_with_label(cell)
                && self.labels.heading(&it.tokens[it.first_word()..]).is_none()
                && visit_start::visit_start(it, false, &self.schema.other_dates, self.dates.order).is_none();
            columns[place].last_candidate.filter(|_| is_plain).map(|last| (cell, last))
        };
        let values: Option<Vec<(usize, usize)>> = cells.clone().map(is_value).collect();
        let Some(values) = values.filter(|_| {
            cells.len() < columns.len() && self.line_distance(above, cells.start) <= MAX_BROKEN_DISTANCE
        }) else {
            return row;
        };
        for (cell, last) in values.into_iter().filter(|(cell, _)| !self.used[*cell]).collect::<Vec<_>>() {
            let words = self.layout.cells[cell].text(self.layout.cells[cell].token_range());
            let last = &mut self.candidates[last];
            last.raw = format!("{} {words}", last.raw);
            last.value = self.schema.keys[last.key].normaliser.apply(&last.raw);
        }
        self.mark_used(&cells.map(|cell| (cell, 0..0)).collect::<Vec<_>>());
        row + 1
    }

    /// The column with the dates of a list that has its own days, such as a table of vaccinations. Its rows belong to
    /// the open visit if that was on the same day, and otherwise to no visit.
    fn other_date_column(&self, row: usize, columns: &[Column]) -> Option<usize> {
        let is_of_visit =
            |column: &Column| column.key.is_some_and(|key| self.schema.keys[key].scope == Scope::Visit);
        if !columns.iter().any(is_of_visit) {
            return None;
        }
        let cells = self.layout.rows.get(row)?.clone();
        let mut dated = cells.filter(|cell| {
            let it = &self.layout.cells[*cell];
            let first = it.first_word();
            visit_start::date_at(&it.tokens, first, self.dates.order)
                .is_some_and(|(_, count)| first + count == it.tokens.len())
        });
        dated.find_map(|cell| self.column_of(cell, columns))
    }

    /// The open visit, if it is on the day of a row.
    fn visit_of_row(
        &self,
        row: usize,
        dated: usize,
        columns: &[Column],
        open: Option<usize>,
    ) -> Option<usize> {
        let mut cells = self.layout.rows[row].clone();
        let cell = cells.find(|cell| self.column_of(*cell, columns) == Some(dated))?;
        let it = &self.layout.cells[cell];
        let (date, _) = visit_start::date_at(&it.tokens, it.first_word(), self.dates.order)?;
        open.filter(|visit| self.visits[*visit].date == date)
    }

    /// Continues a value with what stands below a label that continues it: "Población", below "Dirección" or beside it.
    fn continue_value_of(&mut self, label: usize, cell: usize) -> bool {
        let Some((meaning, _)) = self.segments[label].first().and_then(|first| first.label) else {
            return false;
        };
        let words = self.layout.cells[cell].text(self.layout.cells[cell].token_range());
        self.continue_values(&meaning.continues, &words)
    }

    /// Labels in the head that are headings govern the text below the table.
    fn open_column_regions(&mut self, columns: &[Column]) {
        for (place, column) in columns.iter().enumerate() {
            let cell = &self.layout.cells[column.label];
            if let Some(heading) = self.labels.heading(&cell.tokens[cell.first_word()..]) {
                self.context.open_region(cell, heading.section, place > 0);
            }
        }
    }

    /// The columns of a table head: all cells of the row are labels, and the row below has values.
    fn table_head(&self, row: usize) -> Option<Vec<Column>> {
        let cells = self.layout.rows[row].clone();
        if cells.len() < 2 || row + 1 >= self.layout.rows.len() || self.in_table[cells.start] {
            return None;
        }
        let mut columns = Vec::new();
        let count = cells.len();
        for cell in cells {
            let Some((meaning, separator)) = self.segments[cell].first()?.label else {
                columns.push(self.unknown_column(cell)?);
                continue;
            };
            // "Findings / Diagnosis" is a head of two labels. The values belong to the more important key.
            let other = self.label_behind_slash(cell);
            let meaning = other
                .filter(|other| self.is_critical(other) && !self.is_critical(meaning))
                .unwrap_or(meaning);
            let is_all = other.is_some()
                || separator == Separator::EndOfCell
                || (separator == Separator::Mark && self.segments[cell][0].value.is_empty());
            if !is_all || self.segments[cell].len() > 1 || self.used[cell] {
                return None;
            }
            let key = self.resolve_label(meaning, cell);
            let is_date = key.is_some_and(|key| {
                self.schema.visit_date() == Some(key) || BARE_DATE_LABELS.contains(&meaning.words.as_str())
            });
            columns.push(Column {
                label: cell,
                key,
                is_date,
                label_words: meaning.words.clone(),
                last_candidate: None,
            });
        }
        self.resolve_by_neighbours(&mut columns);
        let has_key = columns.iter().any(|column| column.key.is_some());
        let below = self.layout.rows[row + 1].clone();
        // A head may have unknown labels if they are the minority and at least two values stand below.
        let nameless = columns.iter().filter(|column| column.label_words.is_empty()).count();
        // The first of them may number the rows.
        let is_numbered = columns.get(1).is_some_and(|second| second.is_date);
        let starts_nameless = columns[0].label_words.is_empty() && !is_numbered;
        if nameless > 0 && (2 * nameless >= count || starts_nameless || below.len() < 2) {
            return None;
        }
        let is_near = self.line_distance(self.layout.rows[row].start, below.start) <= MAX_ROW_DISTANCE;
        let same_page = self.layout.cells[below.start].page == self.layout.cells[columns[0].label].page;
        (has_key && is_near && same_page && self.is_body_row(row + 1, &columns)).then_some(columns)
    }

    /// The second label of a cell that has two labels with a slash between them, and nothing else.
    fn label_behind_slash(&self, cell: usize) -> Option<&LabelMeaning> {
        let value = self.segments[cell][0].value.clone();
        let words = &self.layout.cells[cell].tokens;
        let is_slash = value.start > 0 && words[value.start - 1].text == "/";
        let (meaning, count) = self.labels.label_at_start(&words[value.clone()]).filter(|_| is_slash)?;
        (count == value.len()).then_some(meaning)
    }

    fn is_critical(&self, meaning: &LabelMeaning) -> bool {
        meaning.key.is_some_and(|key| self.schema.keys[key].critical)
    }

    /// A label that several sections share belongs to the section of the column before it: "Owner | Address".
    fn resolve_by_neighbours(&self, columns: &mut [Column]) {
        let section_of = |key: usize| self.schema.keys[key].section.as_deref();
        let mut section: Option<&str> = None;
        for column in columns {
            let cell = &self.layout.cells[column.label];
            let label = self.segments[column.label].first().and_then(|first| first.label);
            let shared = label.map_or(&[][..], |(meaning, _)| &meaning.shared);
            if shared.is_empty() {
                section = column.key.and_then(section_of).or(section);
            } else if !shared.iter().chain(&column.key).any(|key| {
                let governing = self.context.section_at(cell.rect.x0);
                governing.is_some() && section_of(*key) == governing
            }) {
                let is_own = |key: &usize| section.is_some() && section_of(*key) == section;
                column.key = column.key.filter(is_own).or(shared.iter().copied().find(is_own)).or(column.key);
            }
        }
    }

    /// A column with an unknown label.
    fn unknown_column(&self, cell: usize) -> Option<Column> {
        let it = &self.layout.cells[cell];
        let has_digits = it.tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let is_head = it.tokens.len() <= 3 && !has_digits && !self.segments[cell][0].is_labelled;
        is_head.then(|| Column {
            label: cell,
            key: None,
            is_date: false,
            label_words: String::new(),
            last_candidate: None,
        })
    }

    /// Whether every cell of a row stands in a column and is no label.
    fn is_body_row(&self, row: usize, columns: &[Column]) -> bool {
        let cells = self.cells_of_row(row, columns);
        let Some(first) = cells.clone().next().map(|first| &self.layout.cells[first]) else { return false };
        // In a row that starts with a digit or a date, all words are values.
        let is_row =
            first.tokens.first().is_some_and(|token| token.text.starts_with(|c: char| c.is_ascii_digit()))
                || visit_start::date_at(&first.tokens, first.first_word(), self.dates.order).is_some();
        cells.len() <= columns.len()
            && cells.clone().all(|cell| {
                let it = &self.layout.cells[cell];
                if it.tokens.is_empty() {
                    return false;
                }
                let start = visit_start::visit_start(it, false, &self.schema.other_dates, self.dates.order)
                    .is_some_and(|start| start.kind == visit_start::VisitStartKind::Named);
                // A lower-case word continues the row above, even if it could be a label; so does a value that is a label of
                // its own key: "Estado reproductivo", and "Esterilizada" below it.
                let is_label = !is_row
                    && self.starts_with_label(cell)
                    && it.tokens[it.first_word()].is_capital()
                    && !self.is_value_of_column(cell, columns);
                !is_label
                    && !start
                    && self.labels.heading(&it.tokens[it.first_word()..]).is_none()
                    && self.column_of(cell, columns).is_some()
            })
    }

    /// Whether a cell is a label of the key of its column, and so a value.
    fn is_value_of_column(&self, cell: usize, columns: &[Column]) -> bool {
        let own = self.sole_label(cell).and_then(|meaning| meaning.key);
        let of_column = self.column_of(cell, columns).and_then(|column| columns[column].key);
        own.is_some() && own == of_column
    }

    /// The cells of a row, without a number of the row to the left of all columns.
    fn cells_of_row(&self, row: usize, columns: &[Column]) -> std::ops::Range<usize> {
        let cells = self.layout.rows[row].clone();
        let first = &self.layout.cells[cells.start];
        let head = self.layout.cells[columns[0].label].rect;
        let is_number = |text: &str| {
            let bare = text.trim_end_matches(['.', ')']);
            (1..=MAX_NUMBER_DIGITS).contains(&bare.len()) && bare.bytes().all(|b| b.is_ascii_digit())
        };
        let is_numbered = cells.len() > 1
            && first.rect.x1 < head.x0
            && matches!(&first.tokens[..], [only] if is_number(only.text));
        if is_numbered { cells.start + 1..cells.end } else { cells }
    }

    fn has_visit_columns(&self, columns: &[Column]) -> bool {
        columns.iter().any(|column| {
            let key = column.key.map(|key| &self.schema.keys[key]);
            key.is_some_and(|key| {
                key.scope == Scope::VisitHead || key.at_visits || (key.scope == Scope::Visit && key.critical)
            })
        })
    }

    /// The column of a cell: the one that it is aligned with, otherwise the one that it overlaps most.
    fn column_of(&self, cell: usize, columns: &[Column]) -> Option<usize> {
        let it = self.layout.cells[cell].rect;
        let overlap = |column: &Column| {
            let head = self.layout.cells[column.label].rect;
            it.x1.min(head.x1) - it.x0.max(head.x0)
        };
        let left = |column: &Column| (self.layout.cells[column.label].rect.x0 - it.x0).abs();
        let aligned = columns.iter().position(|column| left(column) <= 6.0);
        let widest = || {
            let places = (0..columns.len()).filter(|place| overlap(&columns[*place]) > 0.0);
            places.max_by(|one, two| overlap(&columns[*one]).total_cmp(&overlap(&columns[*two])))
        };
        aligned.or_else(widest)
    }

    /// Reads a row of values. A table of many rows says nothing about the document as a whole.
    fn read_row(
        &mut self,
        row: usize,
        columns: &mut [Column],
        dates_visits: bool,
        is_first: bool,
        is_list: bool,
    ) {
        let cells: Vec<(usize, usize)> = self.layout.rows[row]
            .clone()
            .filter_map(|cell| Some((cell, self.column_of(cell, columns)?)))
            .collect();
        let mut is_new = is_first;
        for (cell, column) in &cells {
            if !columns[*column].is_date || !dates_visits {
                continue;
            }
            let it = &self.layout.cells[*cell];
            if let Some((date, count)) = visit_start::date_at(&it.tokens, it.first_word(), self.dates.order) {
                let at = it.first_word()..it.first_word() + count;
                self.open_visit(date, None, &[(*cell, at)], Some(&columns[*column].label_words));
                is_new = true;
            }
        }
        for (cell, place) in cells {
            let all = self.layout.cells[cell].token_range();
            if columns[place].key.is_none() && is_first && self.continue_value_of(columns[place].label, cell)
            {
                continue;
            }
            let column = &mut columns[place];
            if column.key.is_none() && dates_visits && self.visit.is_some() {
                self.read_visit_text(cell, &all);
                continue;
            }
            let Some(key) = column.key.filter(|_| !(column.is_date && dates_visits)) else { continue };
            let label = self.segments[column.label].first().and_then(|first| first.label);
            let by_cue = label.and_then(|(meaning, _)| {
                self.key_by_cue(key, meaning, &self.layout.cells[cell].tokens[all.clone()])
            });
            let key = by_cue.unwrap_or(key);
            let schema_key = &self.schema.keys[key];
            if is_list && column.is_date {
                continue;
            }
            if !is_new && (dates_visits || !schema_key.repeatable) {
                // The row continues the text of the row above.
                if let Some(last) =
                    column.last_candidate.filter(|_| schema_key.normaliser == Normaliser::Text)
                {
                    let words = self.layout.cells[cell].text(all);
                    let last = &mut self.candidates[last];
                    last.raw = format!("{} {words}", last.raw);
                    last.value = schema_key.normaliser.apply(&last.raw);
                }
                continue;
            }
            let mapping = format!("label_regex::{}", column.label_words.replace(' ', "_"));
            let provenance =
                Provenance { rank: LABELLED_RANK, mapping, label: Some(column.label), text: None };
            let before = self.candidates.len();
            let (label, mut spans) = (column.label, vec![(cell, all)]);
            if is_first
                && self.is_part_of_name(label, key, Separator::EndOfCell, std::slice::from_ref(&spans))
            {
                spans.insert(0, (label, self.layout.cells[label].token_range()));
            }
            let mut provenance = provenance;
            let joined = if schema_key.normaliser == Normaliser::Address && is_first {
                let lines = self.joined_lines(&spans);
                Some(self.append_address_lines(&mut spans).unwrap_or(lines))
            } else {
                None
            };
            provenance.text = joined.as_deref();
            self.mark_used(&spans[1..]);
            self.add_candidate(key, &spans, provenance);
            let column = &mut columns[place];
            column.last_candidate = (self.candidates.len() > before).then_some(before);
        }
    }
}

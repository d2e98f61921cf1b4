//! Finds tables with lines around their cells and a date in each row: a row for each visit, for each thing that was done at one,
//! or for each entry of a list with its own days, such as vaccinations.

use std::collections::HashMap;

use jiff::civil::Date;
use quire_domain::reading::{Page, Rect, Table};

use super::FieldFinder;
use super::labels::LabelMeaning;
use super::layout::Token;
use super::segments::can_be_embedded;
use super::value_position::{TokenSpan, TokenSpans};
use super::visit_opening::BARE_DATE_LABELS;
use super::visit_start::date_at;
use crate::{Normaliser, Scope};

/// The heads of the columns usually stand in the first rows.
const MAX_HEAD_ROWS: usize = 3;
/// The fewest heads of a row that is one further down.
const MIN_HEADS: usize = 3;
/// The space between the words of a cell and its right line, in points.
const CELL_PADDING: f32 = 3.0;
/// Words that join two labels in the head of a column: "Procedimientos y vacunas".
const JOINING_WORDS: [&str; 5] = ["y", "e", "and", "o", "or"];
/// The fewest words that a cell of a column with text has on average.
const MIN_TEXT_WORDS: usize = 4;

/// The most areas of cells in which a word is looked for.
const MAX_AREAS: usize = 200;

/// A table, with the words of the layout in its cells.
pub(super) struct RuledTable {
    pub columns: Vec<RuledColumn>,
    /// The rows below the head.
    pub rows: Vec<Vec<RuledCell>>,
    pub kind: TableKind,
}

/// What a row of a table is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// A visit.
    Visit,
    /// Something that was done at a visit: rows of one day belong to one visit.
    Item,
    /// An entry of a list. It belongs to the visit of its day, if there is one.
    Entry,
}

pub(super) struct RuledColumn {
    pub key: Option<usize>,
    pub is_date: bool,
    /// Whether the schema has its label, but no key for it.
    pub is_other: bool,
    pub label_words: String,
    /// The cell of the layout with its label.
    pub label: Option<usize>,
    /// The meaning of its label, which may be several keys.
    pub meaning: Option<LabelMeaning>,
    /// Whether its head has several labels: "Pruebas y diagnóstico".
    pub is_joined: bool,
}

/// The place of a cell on its page, its table, and its row and column there.
type CellArea = (Rect, usize, (usize, usize));

pub(super) struct RuledCell {
    pub column: usize,
    /// Its lines.
    pub lines: TokenSpans,
    /// Where a line has no more room.
    pub right: f32,
}

impl RuledTable {
    /// Whether each row is a visit.
    pub(super) fn is_of_visits(&self) -> bool {
        self.kind == TableKind::Visit
    }

    /// Whether each row is an entry of a list with its own days.
    pub(super) fn is_list(&self) -> bool {
        self.kind == TableKind::Entry
    }
}

impl FieldFinder<'_> {
    /// The tables with dated rows, by the row of the layout that they start in, and marks their cells.
    pub(super) fn find_ruled_tables(&mut self, pages: &[Page]) {
        if self.schema.visit_date().is_none() || pages.iter().all(|page| page.rulings.is_empty()) {
            return;
        }
        let tables = Table::find_ruled(pages);
        for (table, mut cells) in tables.iter().zip(self.words_of_tables(&tables)) {
            if let Some(read) = self.dated_table(table, &mut cells) {
                self.add_ruled_table(read);
            }
        }
    }

    /// Marks the cells of a table, which is read where it starts.
    pub(super) fn add_ruled_table(&mut self, table: RuledTable) {
        let spans = || table.rows.iter().flatten().flat_map(|cell| &cell.lines);
        let Some(first) = spans().map(|(cell, _)| self.layout.cells[*cell].row).min() else { return };
        for (cell, _) in spans() {
            self.in_table[*cell] = true;
        }
        for column in table.columns.iter().filter_map(|column| column.label) {
            self.in_table[column] = true;
        }
        self.ruled_tables.entry(first).or_default().push(table);
    }

    /// The words in each cell of each table, as lines.
    fn words_of_tables(&self, tables: &[Table]) -> Vec<HashMap<(usize, usize), TokenSpans>> {
        let mut words: Vec<HashMap<(usize, usize), TokenSpans>> =
            tables.iter().map(|_| HashMap::new()).collect();
        // The areas of each page, so that a word is looked for in those of its page only.
        let mut areas: HashMap<u32, Vec<CellArea>> = HashMap::new();
        for (number, table) in tables.iter().enumerate() {
            for cell in &table.cells {
                let page = u32::try_from(cell.page).unwrap_or(0);
                areas.entry(page).or_default().push((cell.area, number, (cell.row, cell.column)));
            }
        }
        for areas in areas.values_mut() {
            areas.sort_by(|one, two| one.0.y0.total_cmp(&two.0.y0));
        }
        for (cell, it) in self.layout.cells.iter().enumerate() {
            let Some(areas) = areas.get(&it.page) else { continue };
            for (at, token) in it.tokens.iter().enumerate() {
                self.layout.count_step();
                let place = token.on_page;
                let (x, y) = (f32::midpoint(place.x0, place.x1), f32::midpoint(place.y0, place.y1));
                let below = areas.partition_point(|(area, ..)| area.y0 <= y);
                let is_inside = |(area, ..): &&(Rect, usize, (usize, usize))| {
                    area.x0 <= x && x <= area.x1 && area.y0 <= y && y <= area.y1
                };
                // Rows above the one with the word end before it; a merged cell goes over a few rows.
                let Some((_, table, place)) = areas[..below].iter().rev().take(MAX_AREAS).find(is_inside)
                else {
                    continue;
                };
                let lines = words[*table].entry(*place).or_default();
                match lines.last_mut() {
                    Some((last, tokens)) if *last == cell && tokens.end == at => tokens.end += 1,
                    _ => lines.push((cell, at..at + 1)),
                }
            }
        }
        words
    }

    /// The table, if its head has a column of dates and its rows have them.
    fn dated_table(
        &self,
        table: &Table,
        words: &mut HashMap<(usize, usize), TokenSpans>,
    ) -> Option<RuledTable> {
        let head = (0..table.rows).find(|row| {
            let lines: Vec<&TokenSpans> =
                (0..table.columns).filter_map(|column| words.get(&(*row, column))).collect();
            // Further down, the grid of a form may go over into a table.
            let is_row = *row < MAX_HEAD_ROWS || lines.len() >= MIN_HEADS;
            is_row && lines.iter().any(|lines| self.column_head(lines).is_date)
        })?;
        let columns: Vec<RuledColumn> = (0..table.columns)
            .map(|column| {
                let lines = words.get(&(head, column)).cloned().unwrap_or_default();
                self.column_head(&lines)
            })
            .collect();
        let dated = columns.iter().position(|column| column.is_date)?;
        let mut rows: Vec<Vec<RuledCell>> = Vec::new();
        for row in head + 1..table.rows {
            let of_row = table.cells.iter().filter(|cell| cell.row == row);
            let cells = of_row.filter_map(|cell| {
                let lines = words.remove(&(row, cell.column))?;
                Some(RuledCell { column: cell.column, lines, right: cell.area.x1 - CELL_PADDING })
            });
            rows.push(cells.collect());
        }
        let has_date = |row: &&Vec<RuledCell>| {
            row.iter().any(|cell| cell.column == dated && self.date_of_cell(cell).is_some())
        };
        let with_date = rows.iter().filter(has_date).count();
        if with_date == 0 || 2 * with_date < rows.iter().filter(|row| row.len() > 1).count() {
            return None;
        }
        self.table_of_rows(columns, rows)
    }

    /// The table with these rows. None if nothing in them is about a visit.
    pub(super) fn table_of_rows(
        &self,
        columns: Vec<RuledColumn>,
        rows: Vec<Vec<RuledCell>>,
    ) -> Option<RuledTable> {
        let kind = self.kind_of_table(&columns, &rows)?;
        Some(RuledTable { columns, rows, kind })
    }

    /// What the rows of a table are. None if nothing in them is about a visit.
    fn kind_of_table(&self, columns: &[RuledColumn], rows: &[Vec<RuledCell>]) -> Option<TableKind> {
        let keys = || columns.iter().filter_map(|column| column.key).map(|key| &self.schema.keys[key]);
        if keys().any(|key| key.scope == Scope::VisitHead && key.normaliser != Normaliser::Date) {
            return Some(TableKind::Visit);
        }
        let is_item = |key: &crate::SchemaKey| key.scope == Scope::Visit && key.critical;
        if keys().filter(|key| is_item(key)).count() > 1 || keys().any(|key| key.at_visits) {
            return Some(TableKind::Visit);
        }
        let names_key = |cell: &&RuledCell| {
            columns[cell.column].key.is_none() && self.key_of_words(&cell.lines).is_some()
        };
        let named = rows.iter().filter(|row| row.iter().any(|cell| names_key(&cell))).count();
        if 2 * named > rows.len() {
            return Some(TableKind::Item);
        }
        let words = |column: usize| -> usize {
            let cells = rows.iter().flatten().filter(|cell| cell.column == column);
            cells.flat_map(|cell| &cell.lines).map(|(_, tokens)| tokens.len()).sum()
        };
        let is_text = |column: &usize| {
            !columns[*column].is_other
                && columns[*column].key.is_none_or(|key| is_item(&self.schema.keys[key]))
                && words(*column) >= MIN_TEXT_WORDS * rows.len()
        };
        if (0..columns.len()).any(|column| is_text(&column)) || keys().any(is_item) {
            return Some(TableKind::Item);
        }
        keys().any(|key| key.scope == Scope::Visit).then_some(TableKind::Entry)
    }

    /// The column below these words.
    pub(super) fn column_head(&self, lines: &[TokenSpan]) -> RuledColumn {
        let flow = self.flow_of(lines);
        let meaning = self.meaning_of_head(&flow.tokens);
        let key = meaning.and_then(|meaning| self.key_of_visits(meaning).or(meaning.key));
        let is_date = meaning.is_some_and(|meaning| {
            BARE_DATE_LABELS.contains(&meaning.words.as_str())
                || (key.is_some() && key == self.schema.visit_date())
        });
        RuledColumn {
            key: key.filter(|_| !is_date),
            is_date,
            is_other: meaning.is_some() && key.is_none(),
            label_words: meaning.map(|meaning| meaning.words.clone()).unwrap_or_default(),
            label: lines.first().map(|(cell, _)| *cell),
            meaning: meaning.cloned(),
            is_joined: flow
                .tokens
                .iter()
                .any(|token| JOINING_WORDS.contains(&token.word.as_str()) || matches!(token.text, "/" | "&")),
        }
    }

    /// The key of visits that a label means.
    pub(super) fn key_of_visits(&self, meaning: &LabelMeaning) -> Option<usize> {
        let is_of_visit = |key: &usize| self.schema.keys[*key].scope != Scope::Document;
        meaning.key.into_iter().chain(meaning.shared.iter().copied()).find(is_of_visit)
    }

    /// The label that the head of a column is, or that it contains.
    fn meaning_of_head(&self, tokens: &[Token<'_>]) -> Option<&LabelMeaning> {
        let (meaning, count) = self.labels.label_at_start(tokens)?;
        let can_go_on = meaning.key.is_some_and(|key| can_be_embedded(self.schema, key));
        let is_whole = tokens.get(count).is_none_or(|next| {
            next.text.starts_with(['(', '/', '&', '+']) || JOINING_WORDS.contains(&next.word.as_str())
        });
        (is_whole || can_go_on).then_some(meaning)
    }

    /// The key of visits that a cell names: "Vaccination" in a column of kinds.
    pub(super) fn key_of_words(&self, lines: &TokenSpans) -> Option<usize> {
        let [(cell, tokens)] = &lines[..] else { return None };
        let words = &self.layout.cells[*cell].tokens[tokens.clone()];
        let (meaning, count) = self.labels.label_at_start(words)?;
        let key = self.key_of_visits(meaning).filter(|_| count == words.len())?;
        (self.schema.keys[key].scope == Scope::Visit).then_some(key)
    }

    pub(super) fn date_of_cell(&self, cell: &RuledCell) -> Option<(Date, TokenSpan)> {
        let (place, tokens) = cell.lines.first()?;
        let words = &self.layout.cells[*place].tokens[..tokens.end];
        let first = tokens.clone().find(|at| !words[*at].is_separator())?;
        let (date, count) = date_at(words, first, self.dates.order)?;
        Some((date, (*place, first..first + count)))
    }
}

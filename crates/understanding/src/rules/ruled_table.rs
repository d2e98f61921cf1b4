//! Reads tables with lines around their cells and a date in each row: a row for each visit, for each thing that was done at one,
//! or for each entry of a list with its own days, such as vaccinations.

use std::collections::HashMap;

use jiff::civil::Date;
use quire_domain::reading::{Page, Rect, Table};

use super::candidate::Provenance;
use super::labelled::has_weight_unit;
use super::labels::LabelMeaning;
use super::layout::Token;
use super::segments::can_be_embedded;
use super::value_position::{TokenSpan, TokenSpans};
use super::visit_opening::BARE_DATE_LABELS;
use super::visit_start::{date_at, time_behind};
use super::{FieldFinder, LABELLED_RANK};
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

/// The longest word that something must follow, in bytes: "de", "con".
const MAX_SMALL_WORD: usize = 3;

/// The most areas of cells in which a word is looked for.
const MAX_AREAS: usize = 200;

/// A table, with the words of the layout in its cells.
pub(super) struct RuledTable {
    columns: Vec<RuledColumn>,
    /// The rows below the head.
    rows: Vec<Vec<RuledCell>>,
    kind: TableKind,
}

/// What a row of a table is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableKind {
    /// A visit.
    Visit,
    /// Something that was done at a visit: rows of one day belong to one visit.
    Item,
    /// An entry of a list. It belongs to the visit of its day, if there is one.
    Entry,
}

pub(super) struct RuledColumn {
    key: Option<usize>,
    pub is_date: bool,
    /// Whether the schema has its label, but no key for it.
    is_other: bool,
    label_words: String,
    /// The cell of the layout with its label.
    label: Option<usize>,
    /// The meaning of its label, which may be several keys.
    meaning: Option<LabelMeaning>,
    /// Whether its head has several labels: "Pruebas y diagnóstico".
    is_joined: bool,
}

impl RuledColumn {
    pub(super) fn key(&self) -> Option<usize> {
        self.key
    }
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
}

impl RuledTable {
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
        if keys().any(|key| key.scope == Scope::Metadata && key.normaliser != Normaliser::Date) {
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
    fn key_of_visits(&self, meaning: &LabelMeaning) -> Option<usize> {
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
    fn key_of_words(&self, lines: &TokenSpans) -> Option<usize> {
        let [(cell, tokens)] = &lines[..] else { return None };
        let words = &self.layout.cells[*cell].tokens[tokens.clone()];
        let (meaning, count) = self.labels.label_at_start(words)?;
        let key = self.key_of_visits(meaning).filter(|_| count == words.len())?;
        (self.schema.keys[key].scope == Scope::Visit).then_some(key)
    }

    fn date_of_cell(&self, cell: &RuledCell) -> Option<(Date, TokenSpan)> {
        let (place, tokens) = cell.lines.first()?;
        let words = &self.layout.cells[*place].tokens[..tokens.end];
        let first = tokens.clone().find(|at| !words[*at].is_separator())?;
        let (date, count) = date_at(words, first, self.dates.order)?;
        Some((date, (*place, first..first + count)))
    }

    /// Reads the tables that start in a row.
    pub(super) fn read_ruled_tables(&mut self, row: usize) {
        for mut table in self.ruled_tables.remove(&row).unwrap_or_default() {
            let before = (self.visit.take(), self.is_in_history);
            self.is_in_history = false;
            let mut last: Option<Date> = None;
            for cells in std::mem::take(&mut table.rows) {
                let dated = cells.iter().find(|cell| table.columns[cell.column].is_date);
                if let Some((date, span)) = dated.and_then(|cell| self.date_of_cell(cell)) {
                    let is_new = table.kind == TableKind::Visit || last != Some(date);
                    match table.kind {
                        TableKind::Entry => self.day = Some(date),
                        _ if is_new => self.open_visit_of_row(date, &span, &table),
                        _ => {}
                    }
                    last = Some(date);
                }
                self.read_ruled_row(&table, &cells);
                self.weights_below_date(&table, &cells);
            }
            self.day = None;
            let is_list = table.kind == TableKind::Entry;
            (self.visit, self.is_in_history) = if is_list { before } else { (None, false) };
        }
    }

    /// Reads a weight below the date of a row: "Fecha / peso".
    fn weights_below_date(&mut self, table: &RuledTable, cells: &[RuledCell]) {
        let dated = cells.iter().filter(|cell| table.columns[cell.column].is_date && self.visit.is_some());
        let lines: Vec<TokenSpan> = dated.flat_map(|cell| cell.lines.iter().skip(1).cloned()).collect();
        let weight = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
        for line in lines {
            if has_weight_unit(&self.text_of(std::slice::from_ref(&line))) {
                self.add_unlabelled(weight, &line, None, "weight_line");
            }
        }
    }

    fn open_visit_of_row(&mut self, date: Date, span: &TokenSpan, table: &RuledTable) {
        let label =
            table.columns.iter().find(|column| column.is_date).map(|column| column.label_words.clone());
        self.open_visit(date, None, std::slice::from_ref(span), label.as_deref());
        let time = time_behind(&self.layout.cells[span.0].tokens, span.1.end).0;
        if let Some(visit) = self.visits.last_mut() {
            visit.time = time;
        }
    }

    fn read_ruled_row(&mut self, table: &RuledTable, cells: &[RuledCell]) {
        let named = cells.iter().find_map(|cell| {
            let is_free = table.columns[cell.column].key.is_none();
            self.key_of_words(&cell.lines).filter(|_| is_free).map(|key| (cell.column, key))
        });
        for cell in cells {
            let column = &table.columns[cell.column];
            if column.is_date || column.is_other || named.is_some_and(|(name, _)| name == cell.column) {
                continue;
            }
            let key = column.key.or(named.map(|(_, key)| key));
            let items = self.items_of_cell(cell, key);
            for item in &items {
                self.read_ruled_item(column, key, item, items.len() > 1);
            }
        }
    }

    /// Reads one value of a cell. A label before it says what it is: "Lab: Creatinina 1,1 mg/dL".
    fn read_ruled_item(
        &mut self,
        column: &RuledColumn,
        key: Option<usize>,
        item: &[TokenSpan],
        is_one_of_several: bool,
    ) {
        let flow = self.flow_of(item);
        let Some(first) = flow.tokens.iter().position(|token| !token.is_separator()) else { return };
        let own = self
            .labels
            .label_at_start(&flow.tokens[first..])
            .filter(|(_, count)| flow.tokens[first + count - 1].colon && first + count < flow.tokens.len());
        let own = own.and_then(|(meaning, count)| {
            Some((self.key_of_visits(meaning)?, meaning.words.clone(), first + count))
        });
        // Below "Pruebas y diagnóstico", the words of an item tell what it is.
        let is_of_lists = column.is_joined && column.key.is_some_and(|key| self.is_list_of_visits(key));
        let told = || self.told_key(&flow.tokens[first..]).filter(|_| is_of_lists).map(|(key, _)| key);
        let key = if own.is_none() { told().or(key) } else { key };
        let (key, words, from) = match own {
            Some((key, words, from)) => (Some(key), words, from),
            None => (key, column.label_words.clone(), first),
        };
        let Some(key) = key else {
            let (cell, tokens) = item[0].clone();
            if self.visit.is_some() {
                self.read_visit_text(cell, &tokens);
            }
            return;
        };
        let spans = flow.spans(from..flow.tokens.len());
        let mapping = format!("label_regex::{}", words.replace(' ', "_"));
        let meaning = column.meaning.clone().filter(|meaning| words == meaning.words);
        let mixed = meaning.filter(|meaning| self.is_mixed(key, meaning));
        let (values, _) = self.only_told(key, vec![spans]);
        let values = self.split_values(key, values, mixed.is_some());
        let is_list = is_one_of_several || values.len() > 1;
        for spans in values {
            let provenance =
                Provenance { rank: LABELLED_RANK, mapping: mapping.clone(), label: column.label, text: None };
            let key = mixed.as_ref().map_or(key, |meaning| {
                self.key_of_part(key, meaning, Some(key), &self.flow_of(&spans).tokens, is_list)
            });
            let it = &self.schema.keys[key];
            let is_text = it.scope == Scope::Visit && !it.repeatable && it.optional;
            self.add_candidate(key, &spans, provenance);
            if is_text {
                self.read_told_values(&spans, &[]);
            }
        }
    }

    /// The values of a cell: a line that had no room for the next word goes on in the next line.
    fn items_of_cell(&self, cell: &RuledCell, key: Option<usize>) -> Vec<TokenSpans> {
        let ends_item = |(place, tokens): &TokenSpan| {
            self.layout.cells[*place].tokens[tokens.clone()].iter().any(|token| token.text.ends_with(';'))
        };
        // Where semicolons separate the items, lines do not.
        let is_list =
            key.is_some_and(|key| self.schema.keys[key].repeatable) && !cell.lines.iter().any(ends_item);
        let mut items: Vec<TokenSpans> = Vec::new();
        let mut last_row = None;
        for (place, tokens) in &cell.lines {
            let it = &self.layout.cells[*place];
            let goes_on = items.last().and_then(|item| item.last()).is_some_and(|(above, range)| {
                let line = &self.layout.cells[*above].tokens[range.clone()];
                last_row == Some(it.row) || goes_on(line, &it.tokens[tokens.clone()], cell.right)
            });
            match items.last_mut() {
                Some(item) if goes_on || !(is_list || key.is_none()) => item.push((*place, tokens.clone())),
                _ => items.push(vec![(*place, tokens.clone())]),
            }
            last_row = Some(it.row);
        }
        items
    }
}

/// Whether a line goes on in the next: its first word is small or had no room.
fn goes_on(line: &[Token<'_>], next: &[Token<'_>], right: f32) -> bool {
    let (Some(last), Some(first)) = (line.last(), next.first()) else { return false };
    let has_no_room = last.rect.x1 + (first.rect.x1 - first.rect.x0) + 2.0 > right;
    let starts_small = first.text.chars().next().is_some_and(|c| c.is_lowercase() || c == '(');
    let is_open = !last.text.ends_with(['.', ';', '!', '?']);
    let is_label = first.colon;
    // In a list, a capital letter starts the next thing, unless a small word stands before it: "Citología de / Malassezia".
    let is_small_word =
        last.text.len() <= MAX_SMALL_WORD && last.text.chars().all(|c| c.is_lowercase() && c.is_alphabetic());
    let is_next = first.is_capital() && !is_small_word;
    let is_number = first.text.starts_with(|c: char| c.is_ascii_digit());
    let goes_on = is_open && (is_number || (has_no_room && !is_next));
    !is_label && (starts_small || last.text.ends_with([',', '-']) || goes_on)
}

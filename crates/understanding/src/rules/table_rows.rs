//! Reads the rows of the tables that [`ruled_table`](super::ruled_table) and [`headed_table`](super::headed_table) have found.

use jiff::civil::Date;

use super::candidate::Provenance;
use super::labelled::has_weight_unit;
use super::layout::Token;
use super::ruled_table::{RuledCell, RuledColumn, RuledTable, TableKind};
use super::value_position::{TokenSpan, TokenSpans};
use super::visit_start::time_behind;
use super::{FieldFinder, LABELLED_RANK};
use crate::{Normaliser, Scope};

/// The longest word that something must follow, in bytes: "de", "con".
const MAX_SMALL_WORD: usize = 3;

impl FieldFinder<'_> {
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

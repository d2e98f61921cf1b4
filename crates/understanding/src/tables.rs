//! Finds the tables of a schema among the tables of the pages: the head of a table names the columns.

use std::collections::HashSet;

use quire_domain::reading::{AnalysedTable, EmbeddedData, Page, Rect, Table, TableCell};

use crate::claims::insert_position;
use crate::normal::{DateOrder, DateStyle, folded_words};
use crate::table_value::tidy;
use crate::{
    Evidence, Field, FixedReason, Origin, Schema, SchemaKey, TableColumn, TableRow, Value, ValueType,
};

/// The heads of a table are not further down, in rows.
const MAX_HEAD_ROWS: usize = 4;
/// The most rows that are read.
const MAX_ROWS: usize = 1_000;
/// The confidence of a table in which every cell is a value of its column.
const SURE: f64 = 0.95;
/// The part of the confidence that a table keeps which has only few of the columns.
const FEW_COLUMNS: f64 = 0.6;
/// The confidence of a table from the data of the file.
const EMBEDDED: f64 = 0.97;

/// Adds the tables of a document. A key that has a value already keeps it.
pub fn add_tables(fields: &mut Vec<Field>, pages: &[Page], schema: &Schema) {
    let of_data = |key: &SchemaKey| {
        let mut data = pages.iter().flat_map(|page| &page.data);
        data.find_map(|data| from_data(key, data))
    };
    add_found(fields, pages, schema, of_data, || Table::find(pages));
}

/// Adds the tables that a document analysis service found. A key that has a value already keeps it.
pub fn add_analysed_tables(
    fields: &mut Vec<Field>,
    tables: &[AnalysedTable],
    pages: &[Page],
    schema: &Schema,
) {
    add_found(fields, pages, schema, |_| None, || tables.iter().map(Table::from).collect());
}

/// Adds the data of a key, or else the table that fits it best. The pages show in which order the document writes dates.
fn add_found(
    fields: &mut Vec<Field>,
    pages: &[Page],
    schema: &Schema,
    of_data: impl Fn(&SchemaKey) -> Option<Field>,
    find: impl FnOnce() -> Vec<Table>,
) {
    let is_empty = |key: &&SchemaKey| fields.iter().all(|field| field.key != key.key);
    let tables_of_schema = schema.keys.iter().filter(|key| key.value_type == ValueType::Table);
    let keys: Vec<&SchemaKey> = tables_of_schema.filter(is_empty).collect();
    if keys.is_empty() {
        return;
    }
    let (tables, sums) = (find(), sum_labels(schema));
    let lines = pages.iter().flat_map(|page| &page.lines);
    let words = lines.flat_map(|line| line.words.iter().map(|word| word.text.as_str()));
    let order = DateStyle::of(words, schema.language_of(None)).order;
    for key in keys {
        let found = of_data(key).or_else(|| {
            let found = tables.iter().filter_map(|table| MatchedTable::of(key, table));
            let best = found.max_by_key(|found| (found.columns.len(), found.table.rows))?;
            best.field(key, &sums, order)
        });
        if let Some(field) = found {
            let place = insert_position(fields, schema, &field);
            fields.insert(place, field);
        }
    }
}

/// The labels of sums, without the figures behind them. A row with one of them is a total and no item.
fn sum_labels(schema: &Schema) -> HashSet<Vec<String>> {
    let sums = schema.keys.iter().filter(|key| key.normaliser.is_sum());
    sums.flat_map(|key| key.labels.iter()).map(|label| folded_words(label)).collect()
}

/// A table of the pages whose head names columns of a key.
struct MatchedTable<'t> {
    table: &'t Table,
    /// The column of the key and the place of the column in the table.
    columns: Vec<(&'t TableColumn, usize)>,
    /// The first row below the head.
    first_row: usize,
}

impl<'t> MatchedTable<'t> {
    fn of(key: &'t SchemaKey, table: &'t Table) -> Option<Self> {
        let mut columns: Vec<(&TableColumn, usize)> = Vec::new();
        let mut first_row = 0;
        let limit = MAX_HEAD_ROWS.max(table.head_rows).min(table.rows);
        let heads: Vec<&TableCell> = table.cells.iter().filter(|cell| cell.row < limit).collect();
        for column in &key.columns {
            let is_free = |place: usize| columns.iter().all(|(_, taken)| *taken != place);
            let fit = |cell: &&&TableCell| label_fit(column, table, cell);
            let Some(best) = heads.iter().filter(|cell| is_free(cell.column)).max_by_key(|cell| fit(cell))
            else {
                continue;
            };
            if fit(&best) > 0 {
                columns.push((column, best.column));
                first_row = first_row.max(best.row + best.row_span);
            }
        }
        // Few columns alone may be those of another table, if none of them says what the rows are.
        let is_named = |(column, _): &(&TableColumn, usize)| column.key == key.columns[0].key;
        let is_clear = 2 * columns.len() > key.columns.len() || columns.iter().any(is_named);
        let is_enough = columns.len() >= key.columns.len().min(2) && is_clear && first_row < table.rows;
        is_enough.then_some(Self { table, columns, first_row })
    }

    fn field(&self, key: &SchemaKey, sums: &HashSet<Vec<String>>, order: DateOrder) -> Option<Field> {
        let (mut rows, mut boxes, mut page) = (Vec::new(), Vec::new(), None);
        let (mut right, mut all) = (0_usize, 0_usize);
        for number in self.first_row..self.table.rows.min(self.first_row + MAX_ROWS) {
            let cells: Vec<&TableCell> = self.table.cells.iter().filter(|cell| cell.row == number).collect();
            if cells.iter().any(|cell| is_sum_label(&cell.text, sums)) {
                continue;
            }
            let mut row = TableRow::new();
            for (column, place) in &self.columns {
                let Some(cell) = cells.iter().find(|cell| cell.column == *place) else { continue };
                let normal = column.normaliser.apply_in(&cell.text, order);
                all += 1;
                right += usize::from(normal.is_some());
                // A text that is no value of its column is left out. The table is less certain then.
                let value = normal.map(|normal| column.value_type.parse_normal_form(normal));
                row.extend(value.map(|value| (column.key.clone(), value)));
            }
            // One cell alone is the heading of a group of rows.
            if row.len() < self.columns.len().min(2) {
                continue;
            }
            rows.push(row);
            let first = *page.get_or_insert(cells.first()?.page);
            let on_page = cells.iter().filter(|cell| cell.page == first).map(|cell| cell.rect);
            boxes.extend(on_page.reduce(Rect::union));
        }
        let rows = tidy(rows);
        let page = page.filter(|_| !rows.is_empty())?;
        #[allow(clippy::cast_precision_loss)] // Small counts.
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let columns = share(self.columns.len(), key.columns.len());
        let confidence = SURE * share(right, all) * (FEW_COLUMNS + (1.0 - FEW_COLUMNS) * columns);
        let confidence = (confidence * 1000.0).round() / 1000.0;
        let mut field =
            Field::new(&key.key, Value::Table(rows), ValueType::Table, Origin::Machine, confidence);
        let head = self.table.cells.iter().filter(|cell| cell.row < self.first_row);
        let head: Vec<&str> = head.map(|cell| cell.text.as_str()).collect();
        let mut evidence = Evidence::new(u32::try_from(page).ok()?, &head.join(" | "), boxes);
        evidence.reasons.push(FixedReason::TableHead.stated());
        let cells = if right == all { FixedReason::CellsFit } else { FixedReason::CellsUnread };
        evidence.reasons.push(cells.stated());
        if self.columns.len() < key.columns.len() {
            evidence.reasons.push(FixedReason::FewColumns.stated());
        }
        field.evidence = Some(evidence);
        field.mapping_id = Some(format!("table::{}", key.key));
        field.is_critical = key.critical;
        Some(field)
    }
}

/// How well a cell of a head is the label of a column: 0 if it is none. A label may stand in two rows of the head.
fn label_fit(column: &TableColumn, table: &Table, cell: &TableCell) -> usize {
    let words = folded_words(&cell.text);
    let above = table.cells.iter().rfind(|above| {
        above.row + above.row_span <= cell.row
            && (above.column..above.column + above.column_span).contains(&cell.column)
    });
    let joined = above.map(|above| [folded_words(&above.text), words.clone()].concat());
    let fit = |label: &String| {
        let label = folded_words(label);
        let is_start = |words: &[String]| !label.is_empty() && words.starts_with(&label);
        match &joined {
            _ if words == label => 100 + label.len(),
            Some(joined) if *joined == label => 100 + label.len(),
            _ if is_start(&words) => label.len(),
            _ => 0,
        }
    };
    column.labels.iter().map(fit).max().unwrap_or_default()
}

/// Whether a text is the label of a sum, apart from figures behind it: "IVA 21%".
fn is_sum_label(text: &str, sums: &HashSet<Vec<String>>) -> bool {
    let words = folded_words(text);
    let is_word = |word: &&String| !word.bytes().any(|byte| byte.is_ascii_digit());
    let words: Vec<String> = words.iter().take_while(is_word).cloned().collect();
    sums.contains(&words)
}

/// The rows of the data of a file, such as the lines of an e-invoice.
fn from_data(key: &SchemaKey, data: &EmbeddedData) -> Option<Field> {
    let mut rows: Vec<(u32, TableRow)> = Vec::new();
    for value in data.values.iter().filter(|value| value.group > 0) {
        let Some(column) = key.columns.iter().find(|column| column.terms.contains(&value.term)) else {
            continue;
        };
        let index = match rows.iter().rposition(|(group, _)| *group == value.group) {
            Some(index) => index,
            None if rows.len() < MAX_ROWS => {
                rows.push((value.group, TableRow::new()));
                rows.len() - 1
            }
            None => continue,
        };
        let cell = column.value_type.parse_normal_form(value.text.clone());
        rows[index].1.entry(column.key.clone()).or_insert(cell);
    }
    let rows = tidy(rows.into_iter().map(|(_, row)| row).collect());
    if rows.is_empty() {
        return None;
    }
    let mut field = Field::new(&key.key, Value::Table(rows), ValueType::Table, Origin::Embedded, EMBEDDED);
    let reasons = vec![FixedReason::InData.stated()];
    field.evidence = Some(Evidence { reasons, ..Evidence::new(1, &data.file, Vec::new()) });
    field.mapping_id = Some(format!("data::{}", key.key));
    field.is_critical = key.critical;
    Some(field)
}

#[cfg(test)]
mod tests;

//! Compares tables cell by cell.

use std::collections::BTreeSet;

use super::judge::{Judgement, Outcome, is_same};
use crate::{Field, TableRow, Value};

/// Judges the cells of the tables of a key. The key of a judgement is that of the table with that of the column: `lines/amount`.
pub(super) fn judge_table(key: &str, truth: &[TableRow], found: &[&Field], judgements: &mut Vec<Judgement>) {
    let rows: Vec<(&Field, &TableRow)> = found.iter().flat_map(|field| rows_of(field)).collect();
    let mut open: Vec<bool> = vec![true; rows.len()];
    let nothing = TableRow::new();
    for wanted in truth {
        let same = |row: &TableRow| {
            wanted
                .iter()
                .filter(|(column, cell)| row.get(*column).is_some_and(|found| is_same(found, cell)))
                .count()
        };
        let best = (0..rows.len())
            .filter(|place| open[*place])
            .max_by_key(|place| (same(rows[*place].1), usize::MAX - place));
        match best.filter(|place| same(rows[*place].1) > 0) {
            Some(place) => {
                open[place] = false;
                judge_row(key, wanted, Some(rows[place].0), rows[place].1, judgements);
            }
            None => judge_row(key, wanted, None, &nothing, judgements),
        }
    }
    for ((field, row), _) in rows.iter().zip(open).filter(|(_, is_open)| *is_open) {
        judge_row(key, &nothing, Some(field), row, judgements);
    }
}

fn rows_of(field: &Field) -> Vec<(&Field, &TableRow)> {
    match &field.value {
        Value::Table(rows) => rows.iter().map(|row| (field, row)).collect(),
        _ => Vec::new(),
    }
}

fn judge_row(
    key: &str,
    wanted: &TableRow,
    field: Option<&Field>,
    found: &TableRow,
    judgements: &mut Vec<Judgement>,
) {
    let columns: BTreeSet<&String> = wanted.keys().chain(found.keys()).collect();
    for column in columns {
        let (truth, cell) = (wanted.get(column), found.get(column));
        let judgement = |outcome: Outcome| Judgement {
            key: format!("{key}/{column}"),
            outcome,
            expected: truth.cloned().into_iter().collect(),
            found: cell.cloned(),
            confidence: field.map(|field| field.confidence).filter(|_| cell.is_some()),
            evidence: field.and_then(|field| field.evidence.clone()),
            is_page_right: None,
            true_page: None,
        };
        match (truth, cell) {
            (Some(truth), Some(cell)) if is_same(truth, cell) => judgements.push(judgement(Outcome::Right)),
            (truth, cell) => {
                judgements.extend(cell.map(|_| judgement(Outcome::Wrong)));
                judgements.extend(truth.map(|_| Judgement {
                    found: None,
                    confidence: None,
                    ..judgement(Outcome::Missed)
                }));
            }
        }
    }
}

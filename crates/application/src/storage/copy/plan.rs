//! Which column of the source becomes which column of the target.

use quire_ports::{CellType, Column, DatabaseCell, DatabaseRow, DatabaseTable, PortResult};

use super::CopyError;

/// The column in which PostgreSQL stores the transaction of an event. Events that come from elsewhere are older than all.
const TRANSACTION_OF_EVENT: (&str, &str) = ("events", "transaction_id");

/// How a table is copied.
pub(super) struct TablePlan {
    pub(super) source: DatabaseTable,
    pub(super) target: DatabaseTable,
    /// For each column of the target, where its value comes from and its type.
    columns: Vec<(ColumnSource, CellType)>,
}

/// Where a value comes from.
enum ColumnSource {
    /// This column of the source.
    Column(usize),
    /// It is always the same.
    Fixed(DatabaseCell),
}

impl TablePlan {
    fn of(source: &DatabaseTable, target: &DatabaseTable) -> Result<Self, CopyError> {
        let different = |column: &Column| {
            CopyError::DifferentTables(format!("the column {} of {}", column.name, target.name))
        };
        let mut columns = Vec::with_capacity(target.columns.len());
        for column in &target.columns {
            let place = source.columns.iter().position(|one| one.name == column.name);
            columns.push(match place {
                Some(place) => {
                    (ColumnSource::Column(place), common(source.columns[place].cell_type, column.cell_type))
                }
                None if is_transaction(target, column) => {
                    (ColumnSource::Fixed(DatabaseCell::Integer(0)), CellType::Integer)
                }
                None => return Err(different(column)),
            });
        }
        let is_copied = |column: &&Column| {
            is_transaction(source, column) || target.columns.iter().any(|one| one.name == column.name)
        };
        match source.columns.iter().find(|column| !is_copied(column)) {
            Some(lost) => Err(different(lost)),
            None => Ok(Self { source: source.clone(), target: target.clone(), columns }),
        }
    }

    /// A row of the source as a row of the target.
    pub(super) fn convert(&self, mut row: DatabaseRow) -> PortResult<DatabaseRow> {
        let cells = self.columns.iter().map(|(origin, cell_type)| match origin {
            ColumnSource::Column(place) => {
                std::mem::replace(&mut row[*place], DatabaseCell::Null).into_type(*cell_type)
            }
            ColumnSource::Fixed(cell) => Ok(cell.clone()),
        });
        cells.collect()
    }

    /// A row that was read from the target, with the types of a converted row.
    pub(super) fn typed(&self, row: DatabaseRow) -> PortResult<DatabaseRow> {
        row.into_iter().zip(&self.columns).map(|(cell, (_, cell_type))| cell.into_type(*cell_type)).collect()
    }

    /// The key of a row of the source.
    pub(super) fn source_key(&self, row: &DatabaseRow) -> DatabaseRow {
        self.source.key_of(row)
    }
}

/// The plans for all tables, in the order of the target.
pub(super) fn plans(source: &[DatabaseTable], target: &[DatabaseTable]) -> Result<Vec<TablePlan>, CopyError> {
    let lost = source.iter().find(|table| target.iter().all(|one| one.name != table.name));
    if let Some(lost) = lost {
        return Err(CopyError::DifferentTables(lost.name.clone()));
    }
    let plan = |table: &DatabaseTable| match source.iter().find(|one| one.name == table.name) {
        Some(source) => TablePlan::of(source, table),
        None => Err(CopyError::DifferentTables(table.name.clone())),
    };
    target.iter().map(plan).collect()
}

fn is_transaction(table: &DatabaseTable, column: &Column) -> bool {
    (table.name.as_str(), column.name.as_str()) == TRANSACTION_OF_EVENT
}

/// The type that one of two databases knows.
fn common(one: CellType, other: CellType) -> CellType {
    if one == CellType::Unknown { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, columns: &[(&str, CellType)]) -> DatabaseTable {
        let column =
            |(name, cell_type): &(&str, CellType)| Column { name: (*name).to_owned(), cell_type: *cell_type };
        DatabaseTable { name: name.to_owned(), columns: columns.iter().map(column).collect(), key: vec![0] }
    }

    #[test]
    fn values_travel_by_the_names_of_their_columns_and_get_the_known_type() {
        let source = table("t", &[("a", CellType::Unknown), ("b", CellType::Unknown)]);
        let target = table("t", &[("b", CellType::Boolean), ("a", CellType::Text)]);
        let there = TablePlan::of(&source, &target).unwrap();
        let stored = vec![DatabaseCell::Text("x".to_owned()), DatabaseCell::Integer(1)];
        let typed = vec![DatabaseCell::Boolean(true), DatabaseCell::Text("x".to_owned())];
        assert_eq!(there.convert(stored.clone()).unwrap(), typed);
        assert_eq!(there.source_key(&stored), [DatabaseCell::Text("x".to_owned())]);
        let back = TablePlan::of(&target, &source).unwrap();
        assert_eq!(
            back.typed(stored).unwrap(),
            [DatabaseCell::Text("x".to_owned()), DatabaseCell::Boolean(true)]
        );
    }

    #[test]
    fn a_column_that_would_be_lost_or_empty_is_refused() {
        let (one, two) = (
            table("t", &[("a", CellType::Text)]),
            table("t", &[("a", CellType::Text), ("b", CellType::Text)]),
        );
        for (source, target) in [(&one, &two), (&two, &one)] {
            let refused = TablePlan::of(source, target).err().unwrap().to_string();
            assert!(refused.contains("the column b of t"), "{refused}");
        }
        assert!(plans(&[], std::slice::from_ref(&one)).is_err() && plans(&[one], &[]).is_err());
    }

    #[test]
    fn events_that_come_from_elsewhere_are_older_than_every_transaction() {
        let (without, with) = (
            table("events", &[("id", CellType::Unknown)]),
            table("events", &[("id", CellType::Integer), ("transaction_id", CellType::Integer)]),
        );
        let plan = TablePlan::of(&without, &with).unwrap();
        assert_eq!(
            plan.convert(vec![DatabaseCell::Integer(7)]).unwrap(),
            [DatabaseCell::Integer(7), DatabaseCell::Integer(0)]
        );
        assert!(TablePlan::of(&with, &without).is_ok());
    }
}

//! The rows of every table, as they are stored: for copies from one database to another, of any kind, and for checks.

mod cell;

use async_trait::async_trait;
use quire_domain::InstallationId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use self::cell::{CellType, DatabaseCell, canonical_json};
use crate::PortResult;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub cell_type: CellType,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseTable {
    /// Its name.
    pub name: String,
    /// Its columns, except those that the database computes.
    pub columns: Vec<Column>,
    /// The indexes of the columns of its primary key.
    pub key: Vec<usize>,
}

impl DatabaseTable {
    /// The key of a row.
    pub fn key_of(&self, row: &DatabaseRow) -> DatabaseRow {
        self.key.iter().map(|index| row[*index].clone()).collect()
    }
}

/// The values of a row, in the order of the columns.
pub type DatabaseRow = Vec<DatabaseCell>;

/// Reads and writes whole tables.
#[async_trait]
pub trait DatabaseTables: Send + Sync {
    /// Begins to read the database as it is now, whatever others write meanwhile.
    async fn snapshot(&self) -> PortResult<Box<dyn TableSnapshot>>;

    /// Begins to copy another installation into this database, or continues. `Conflict` if the database has rows, unless
    /// they come from an unfinished copy of the same installation.
    async fn receive(&self, source: InstallationId) -> PortResult<Box<dyn TableReceiver>>;

    /// The installation that is being copied into this database, if that copy is not finished. Such a database must not be
    /// used for anything else.
    async fn unfinished_copy(&self) -> PortResult<Option<InstallationId>>;

    /// Forgets that a copy into this database is not finished. Its rows stay.
    async fn forget_copy(&self) -> PortResult<()>;

    /// What contradicts itself in the stored history, in plain words, at most `limit` sentences.
    async fn contradictions(&self, limit: usize) -> PortResult<Vec<String>>;
}

/// A database at one moment.
#[async_trait]
pub trait TableSnapshot: Send {
    /// Every table. A table comes after those that its rows refer to.
    fn tables(&self) -> &[DatabaseTable];

    /// The rows whose key follows `after`, in the order of their keys, at most `limit`.
    async fn rows(
        &mut self,
        table: &DatabaseTable,
        after: Option<&DatabaseRow>,
        limit: u32,
    ) -> PortResult<Vec<DatabaseRow>>;

    /// How many rows a table has.
    async fn count(&mut self, table: &DatabaseTable) -> PortResult<u64>;

    /// The ids of documents and other subjects that follow `after`, in order, at most `limit`.
    async fn subjects(&mut self, after: Option<Uuid>, limit: u32) -> PortResult<Vec<Uuid>>;

    /// How many documents and other subjects there are.
    async fn subject_count(&mut self) -> PortResult<u64>;

    /// The highest id that an event ever had.
    async fn last_event_id(&mut self) -> PortResult<i64>;
}

/// How far a part of a copy has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CopyProgress {
    /// The key of the last row or file that was copied.
    pub last: Option<DatabaseRow>,
    /// Whether nothing is left.
    pub is_done: bool,
}

/// A database that gets the rows of another one.
#[async_trait]
pub trait TableReceiver: Send {
    /// Every table. A table comes after those that its rows refer to.
    fn tables(&self) -> &[DatabaseTable];

    /// How far this part, a table or something else, has come.
    async fn progress(&mut self, part: &str) -> PortResult<CopyProgress>;

    /// Stores how far a part that is no table has come.
    async fn record(&mut self, part: &str, progress: &CopyProgress) -> PortResult<()>;

    /// Adds rows and stores the progress of the table with them. The values have the types of the columns. No trigger
    /// acts on the rows; afterwards every trigger is in force.
    async fn insert(
        &mut self,
        table: &DatabaseTable,
        rows: Vec<DatabaseRow>,
        progress: &CopyProgress,
    ) -> PortResult<()>;

    /// Ends the copy: later events get ids above `last_event_id`, workers of the other installation hold no lease any
    /// more, and the database can be used.
    async fn finish(&mut self, last_event_id: i64) -> PortResult<()>;
}

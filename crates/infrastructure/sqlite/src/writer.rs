//! The only writer. Operations queue up. A thread takes all waiting operations, up to a limit, and commits them
//! together.
//!
//! A refused operation must not undo the others in its group. A savepoint for each operation would ensure that, but
//! savepoints make SQLite keep a copy of every page that an operation touches. So the writer uses savepoints only when
//! it needs them: if an operation of a group fails, the writer rolls the group back and runs it again with a savepoint
//! for each operation. The writer answers callers only after the commit, so an answer means that the change is on the
//! disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::Duration;

use quire_ports::{PortError, PortResult};
use quire_sql::panicked;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::{mpsc, oneshot};

use crate::SqliteOptions;
use crate::error::{stopped, translate};

/// How many operations may wait in the queue. Further callers wait until there is room.
const WAITING: usize = 4096;

/// One operation of a transaction. A caller waits for its result.
trait WriteOperation: Send {
    /// Runs the operation. It may run a second time, after the first run was rolled back.
    fn run(&mut self, connection: &Connection, isolation: Isolation);
    /// Why the operation failed, if it did.
    fn failure(&self) -> Option<&PortError>;
    /// Sends the result to the caller, after the commit has succeeded or failed.
    fn answer(self: Box<Self>, committed: PortResult<()>);
}

/// How the writer keeps a failed operation from undoing the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Isolation {
    /// No isolation: if the operation fails, the writer runs the whole group again.
    None,
    /// Each operation has a savepoint.
    Savepoint,
}

struct Call<T, F> {
    operation: F,
    outcome: PortResult<T>,
    caller: oneshot::Sender<PortResult<T>>,
}

impl<T, F> WriteOperation for Call<T, F>
where
    T: Send,
    F: FnMut(&Connection) -> PortResult<T> + Send,
{
    fn run(&mut self, connection: &Connection, isolation: Isolation) {
        // A panic must not end the thread: every later write would fail.
        let mut operation = |connection: &Connection| {
            let caught = catch_unwind(AssertUnwindSafe(|| (self.operation)(connection)));
            caught.unwrap_or_else(|_| Err(panicked()))
        };
        self.outcome = match isolation {
            Isolation::None => operation(connection),
            Isolation::Savepoint => in_savepoint(connection, &mut operation),
        };
    }

    fn failure(&self) -> Option<&PortError> {
        self.outcome.as_ref().err()
    }

    fn answer(self: Box<Self>, committed: PortResult<()>) {
        // The send fails only if the caller has gone away, and then it needs no answer.
        let _ = self.caller.send(committed.and(self.outcome));
    }
}

pub(crate) struct Writer {
    operations: mpsc::Sender<Box<dyn WriteOperation>>,
}

impl Writer {
    pub(crate) fn open(path: &Path, options: SqliteOptions) -> PortResult<Self> {
        let connection = connect(path, OpenFlags::default(), options.busy_timeout)?;
        // A write-ahead log with an fsync at each commit: an acknowledged change survives a power cut.
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; \
                 PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;",
            )
            .map_err(translate)?;
        let (operations, queue) = mpsc::channel(WAITING);
        thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || write_until_closed(&connection, queue, options.group_limit.max(1)))
            .map_err(|_| PortError::Unavailable {
                service: "database",
                reason: "no thread could be started for it".to_owned(),
                contention: false,
            })?;
        Ok(Self { operations })
    }

    /// Runs one operation as an isolated part of a shared transaction. The operation may run twice; the writer then
    /// rolls the first run back.
    pub(crate) async fn write<T, F>(&self, operation: F) -> PortResult<T>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> PortResult<T> + Send + 'static,
    {
        let (caller, answered) = oneshot::channel();
        let call = Call { operation, outcome: Err(stopped()), caller };
        self.operations.send(Box::new(call)).await.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }
}

/// Opens a connection with the settings that the writer and the readers share.
pub(crate) fn connect(path: &Path, flags: OpenFlags, busy_timeout: Duration) -> PortResult<Connection> {
    let connection = Connection::open_with_flags(path, flags).map_err(translate)?;
    connection.busy_timeout(busy_timeout).map_err(translate)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(translate)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(connection)
}

fn write_until_closed(
    connection: &Connection,
    mut queue: mpsc::Receiver<Box<dyn WriteOperation>>,
    group_limit: usize,
) {
    let mut group = Vec::with_capacity(group_limit);
    while let Some(first) = queue.blocking_recv() {
        group.push(first);
        while group.len() < group_limit
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        commit_together(connection, &mut group);
    }
}

/// Runs the whole group in one transaction.
fn commit_together(connection: &Connection, group: &mut Vec<Box<dyn WriteOperation>>) {
    let mut committed = transact(connection, group, Isolation::None);
    if committed == Ok(GroupOutcome::RolledBack) {
        committed = transact(connection, group, Isolation::Savepoint);
    }
    for operation in group.drain(..) {
        operation.answer(committed.clone().map(drop));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupOutcome {
    /// All operations are on the disk, except the refused ones.
    Committed,
    /// An operation was refused and could not be rolled back alone, so the whole group was rolled back.
    RolledBack,
}

fn transact(
    connection: &Connection,
    group: &mut [Box<dyn WriteOperation>],
    isolation: Isolation,
) -> PortResult<GroupOutcome> {
    run(connection, "BEGIN IMMEDIATE")?;
    for operation in group {
        operation.run(connection, isolation);
        // On a full or failing disk SQLite rolls the whole transaction back by itself.
        if connection.is_autocommit() {
            return Err(match operation.failure() {
                Some(full @ PortError::Full { .. }) => full.clone(),
                _ => PortError::Unavailable {
                    service: "database",
                    reason: "the disk is failing".to_owned(),
                    contention: false,
                },
            });
        }
        if isolation == Isolation::None && operation.failure().is_some() {
            run(connection, "ROLLBACK")?;
            return Ok(GroupOutcome::RolledBack);
        }
    }
    let committed = run(connection, "COMMIT");
    if !connection.is_autocommit() {
        // A failed COMMIT can leave the transaction open, and the next group needs a closed one. If this ROLLBACK
        // fails too, the next BEGIN also fails, and its callers get that error.
        let _ = run(connection, "ROLLBACK");
    }
    committed.map(|()| GroupOutcome::Committed)
}

fn in_savepoint<T>(
    connection: &Connection,
    operation: &mut impl FnMut(&Connection) -> PortResult<T>,
) -> PortResult<T> {
    run(connection, "SAVEPOINT operation")?;
    let outcome = operation(connection);
    if outcome.is_err() && !connection.is_autocommit() {
        run(connection, "ROLLBACK TO operation")?;
    }
    if !connection.is_autocommit() {
        run(connection, "RELEASE operation")?;
    }
    outcome
}

fn run(connection: &Connection, statement: &str) -> PortResult<()> {
    connection
        .prepare_cached(statement)
        .and_then(|mut prepared| prepared.execute([]))
        .map(drop)
        .map_err(translate)
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;

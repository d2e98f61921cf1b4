//! The one writer. Operations queue up; a thread takes all that wait, up to a limit, and commits them together.
//!
//! One operation that is refused must not undo its neighbours. Savepoints would see to that, but they make SQLite
//! keep a copy of every page that each operation touches, so they are used only when needed: a group in which
//! something fails is undone and run again, then with a savepoint for each. Callers are answered after the commit,
//! never before: an answer means that it is on the disk.

use std::path::Path;
use std::thread;
use std::time::Duration;

use quire_ports::{PortError, PortResult};
use rusqlite::{Connection, OpenFlags};
use tokio::sync::{mpsc, oneshot};

use crate::Options;
use crate::error::{stopped, translate};

/// How many operations may wait before callers have to.
const WAITING: usize = 4096;

/// Part of a transaction that somebody waits for.
trait Operation: Send {
    /// Does it; perhaps not for the first time, then on a clean slate.
    fn run(&mut self, connection: &Connection, guard: Guard);
    /// Whether it was done.
    fn succeeded(&self) -> bool;
    /// Tells the caller how it ended, once the commit is through or has failed.
    fn answer(self: Box<Self>, committed: PortResult<()>);
}

/// How an operation is kept from harming its neighbours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// Not at all: if it fails, the whole group is run again.
    None,
    /// By a savepoint of its own.
    Savepoint,
}

struct Call<T, F> {
    operation: F,
    outcome: PortResult<T>,
    caller: oneshot::Sender<PortResult<T>>,
}

impl<T, F> Operation for Call<T, F>
where
    T: Send,
    F: FnMut(&Connection) -> PortResult<T> + Send,
{
    fn run(&mut self, connection: &Connection, guard: Guard) {
        self.outcome = match guard {
            Guard::None => (self.operation)(connection),
            Guard::Savepoint => in_savepoint(connection, &mut self.operation),
        };
    }

    fn succeeded(&self) -> bool {
        self.outcome.is_ok()
    }

    fn answer(self: Box<Self>, committed: PortResult<()>) {
        // A caller that has gone away does not need to know.
        let _ = self.caller.send(committed.and(self.outcome));
    }
}

pub(crate) struct Writer {
    operations: mpsc::Sender<Box<dyn Operation>>,
}

impl Writer {
    pub(crate) fn open(path: &Path, options: Options) -> PortResult<Self> {
        let connection = connect(path, OpenFlags::default(), options.busy_timeout)?;
        // Write-ahead log with an fsync at each commit: what was acknowledged survives a power cut.
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

    /// Runs one operation as a transaction of its own, or rather as its own part of a shared one. It may be run
    /// twice, the first time without effect.
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

/// A connection with the settings that every use shares.
pub(crate) fn connect(path: &Path, flags: OpenFlags, busy_timeout: Duration) -> PortResult<Connection> {
    let connection = Connection::open_with_flags(path, flags).map_err(translate)?;
    connection.busy_timeout(busy_timeout).map_err(translate)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(translate)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn write_until_closed(
    connection: &Connection,
    mut queue: mpsc::Receiver<Box<dyn Operation>>,
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

/// One transaction for the whole group.
fn commit_together(connection: &Connection, group: &mut Vec<Box<dyn Operation>>) {
    let mut committed = transact(connection, group, Guard::None);
    if committed == Ok(Transacted::Undone) {
        committed = transact(connection, group, Guard::Savepoint);
    }
    for operation in group.drain(..) {
        operation.answer(committed.clone().map(drop));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transacted {
    /// All of it is on the disk, but for what was refused.
    Committed,
    /// Something was refused that could not be taken back by itself, so nothing was done.
    Undone,
}

fn transact(
    connection: &Connection,
    group: &mut [Box<dyn Operation>],
    guard: Guard,
) -> PortResult<Transacted> {
    run(connection, "BEGIN IMMEDIATE")?;
    for operation in group {
        operation.run(connection, guard);
        // A full disk or a failing one makes SQLite undo the whole transaction by itself.
        if connection.is_autocommit() {
            return Err(PortError::Unavailable {
                service: "database",
                reason: "the disk is full or failing".to_owned(),
                contention: false,
            });
        }
        if guard == Guard::None && !operation.succeeded() {
            run(connection, "ROLLBACK")?;
            return Ok(Transacted::Undone);
        }
    }
    let committed = run(connection, "COMMIT");
    if !connection.is_autocommit() {
        // A failed COMMIT can leave the transaction open; the next group must find none. If even this fails, so
        // will the next BEGIN, and its callers hear of it.
        let _ = run(connection, "ROLLBACK");
    }
    committed.map(|()| Transacted::Committed)
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

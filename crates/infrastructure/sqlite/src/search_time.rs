//! Searches take a limited time and a limited number of connections, so that other reads never wait for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quire_ports::PortResult;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::error::{stopped, took_too_long, translate};
use crate::reader::ReadPool;

/// How many steps of a query pass before the time is looked at.
const STEPS: i32 = 1_000;

/// The share of the connections that searches may use, and their time.
pub(crate) struct SearchTime {
    limit: Duration,
    permits: Arc<Semaphore>,
}

impl SearchTime {
    /// Searches use at most half of the connections.
    pub(crate) fn new(limit: Duration, readers: usize) -> Self {
        Self { limit, permits: Arc::new(Semaphore::new((readers / 2).max(1))) }
    }

    /// Reads for a search. A search that takes too long ends with an error.
    pub(crate) async fn read<T, F>(&self, readers: &ReadPool, search: F) -> PortResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> PortResult<T> + Send + 'static,
    {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| stopped())?;
        let limit = self.limit;
        readers
            .read(move |connection| {
                let _permit = permit;
                let deadline = InterruptGuard::start(connection, limit)?;
                let found = search(connection)?;
                // A search that ends within a few steps is never asked for its time.
                if Instant::now() >= deadline.end { Err(took_too_long()) } else { Ok(found) }
            })
            .await
    }

    /// Reads for a search, however long it takes: the first search by meaning reads all vectors.
    pub(crate) async fn read_unlimited<T, F>(&self, readers: &ReadPool, search: F) -> PortResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> PortResult<T> + Send + 'static,
    {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| stopped())?;
        let search = move |connection: &Connection| {
            let _permit = permit;
            search(connection)
        };
        readers.read(search).await
    }
}

/// Interrupts the queries of a connection when the time is over, until it is dropped.
struct InterruptGuard<'c> {
    connection: &'c Connection,
    end: Instant,
}

impl<'c> InterruptGuard<'c> {
    fn start(connection: &'c Connection, limit: Duration) -> PortResult<Self> {
        let end = Instant::now() + limit;
        connection.progress_handler(STEPS, Some(move || Instant::now() >= end)).map_err(translate)?;
        Ok(Self { connection, end })
    }
}

impl Drop for InterruptGuard<'_> {
    fn drop(&mut self) {
        // It fails only for a connection that belongs to somebody else.
        let _ = self.connection.progress_handler(0, None::<fn() -> bool>);
    }
}

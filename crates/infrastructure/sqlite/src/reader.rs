//! A pool of connections for reading. One caller at a time uses a connection, and no query runs on an async thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use quire_ports::PortResult;
use quire_sql::panicked;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::Semaphore;

use crate::SqliteOptions;
use crate::error::stopped;
use crate::writer::connect;

pub(crate) struct ReadPool {
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl ReadPool {
    pub(crate) fn open(path: &Path, options: SqliteOptions) -> PortResult<Self> {
        let flags =
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let count = options.readers.max(1);
        let mut idle = Vec::with_capacity(count);
        for _ in 0..count {
            let connection = connect(path, flags, options.busy_timeout)?;
            connection.pragma_update(None, "query_only", true).map_err(crate::error::translate)?;
            // The cache keeps the pages of a large database that are read repeatedly. A negative size is in KiB.
            connection.pragma_update(None, "cache_size", -16_000).map_err(crate::error::translate)?;
            idle.push(connection);
        }
        Ok(Self { idle: Arc::new(Mutex::new(idle)), permits: Arc::new(Semaphore::new(count)) })
    }

    pub(crate) async fn read<T, F>(&self, query: F) -> PortResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> PortResult<T> + Send + 'static,
    {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| stopped())?;
        let idle = self.idle.clone();
        let work = move || {
            let connection = idle.lock().unwrap_or_else(PoisonError::into_inner).pop().ok_or_else(stopped)?;
            // The connection must go back even if the query panics.
            let outcome = catch_unwind(AssertUnwindSafe(|| query(&connection)));
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            drop(permit);
            outcome.unwrap_or_else(|_| Err(panicked()))
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| stopped())?
    }
}

//! Quire's store on SQLite: one file, one writer, full durability.
//!
//! Every change goes through the [`writer`]. The writer is a thread that takes all waiting operations, runs them in
//! one `BEGIN IMMEDIATE` transaction, commits once and only then answers. The more operations wait, the more of them
//! share one `fsync`.

mod calibration;
mod credentials;
mod document_fields;
mod documents;
mod error;
mod governance;
mod history;
mod installation;
mod lanes;
mod links;
mod lock;
mod metrics;
mod migrations;
mod model_calls;
mod new_documents;
mod proposals;
mod queue;
mod reader;
mod recovery;
mod review_marks;
mod reviews;
mod row;
mod search;
mod search_entry;
mod search_facets;
mod search_matches;
mod search_time;
mod seeding;
mod sessions;
mod tables;
#[cfg(feature = "testing")]
pub mod testing;
mod transition;
mod vectors;
mod workers;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use quire_ports::{PortResult, Store, SystemClock};
use tokio::sync::{Notify, watch};

pub use lock::{FileLock, LockError};
pub use tables::compact_copy;

use crate::reader::ReadPool;
use crate::search_time::SearchTime;
use crate::writer::Writer;

/// The text of a query, by entity and verb, with its column lists. They are expanded at the first use.
macro_rules! sql {
    ($name:literal) => {{
        static QUERY: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
            quire_sql::expand(include_str!(concat!("../queries/", $name, ".sql")))
        });
        QUERY.as_str()
    }};
}
pub(crate) use sql;

/// The settings of the store.
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    /// How many operations may share one commit.
    pub group_limit: usize,
    /// How long to wait while another process writes, before failing with the error that the database is busy.
    pub busy_timeout: Duration,
    /// How many connections the store reads with. Searches use at most half of them.
    pub readers: usize,
    /// How long a search may take.
    pub search_time: Duration,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            group_limit: 256,
            busy_timeout: Duration::from_secs(5),
            readers: 4,
            search_time: Duration::from_secs(2),
        }
    }
}

/// A database file behind every port of a store.
pub struct SqliteStore {
    /// The file, for connections of their own.
    path: PathBuf,
    writer: Writer,
    readers: ReadPool,
    search_time: SearchTime,
    wakeup: Arc<Notify>,
    vectors: Arc<vectors::Vectors>,
    /// Counts the running runs that were cancelled.
    cancellations: watch::Sender<u64>,
}

impl SqliteStore {
    /// Opens the file, and creates it if it does not exist. It does not migrate the tables; see
    /// [`quire_ports::Migrations`].
    pub fn open(path: &Path, options: SqliteOptions) -> PortResult<Self> {
        let writer = Writer::open(path, options)?;
        let readers = ReadPool::open(path, options)?;
        let path = path.to_owned();
        Ok(Self {
            path,
            writer,
            readers,
            search_time: SearchTime::new(options.search_time, options.readers),
            wakeup: Arc::new(Notify::new()),
            vectors: Arc::default(),
            cancellations: watch::Sender::new(0),
        })
    }

    /// This store as the set of all its ports, with the machine's clock.
    pub fn into_store(self) -> Store {
        Store::of(Arc::new(self), Arc::new(SystemClock))
    }
}

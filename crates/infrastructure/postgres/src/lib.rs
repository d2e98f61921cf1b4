//! Quire's store on PostgreSQL: many processes, one database.
//!
//! The frequent writes, [`new_documents`], [`enqueue`] and [`run_writes`], go through a [`batcher`] each. A batcher
//! writes all waiting operations with a few set-based statements in one transaction, so that they share one commit.
//! Every transaction first locks its runs in the order of their ids, and appends to the history last. That order
//! prevents deadlocks, and keeps the history in the order of the commits.

mod batcher;
mod calibration;
mod claim;
mod clock;
mod credentials;
mod database;
mod document_fields;
mod documents;
mod enqueue;
mod error;
mod find;
mod governance;
mod history;
mod installation;
mod installation_permits;
mod lanes;
mod links;
mod listener;
mod metrics;
mod migrations;
mod model_calls;
mod new_documents;
mod proposals;
mod queue;
mod recovery;
mod review_marks;
mod reviews;
mod row;
mod run_writes;
mod search;
mod search_entry;
mod seeding;
mod session;
mod sessions;
mod steps;
mod table_receiver;
mod table_snapshot;
mod tables;
mod transition;
mod vectors;
mod workers;

#[cfg(feature = "testing")]
pub mod testing;

use std::sync::Arc;
use std::time::Duration;

use quire_ports::{PortResult, Store};
use tokio::sync::{Notify, watch};

pub use clock::DatabaseClock;

use crate::batcher::Batcher;
use crate::database::Database;
use crate::enqueue::InsertRuns;
use crate::installation_permits::InstallationPermits;
use crate::listener::{Listener, Wakeups};
use crate::new_documents::AddDocuments;
use crate::run_writes::RunWriter;

/// The text of a query, by entity and verb, with its column lists. They are expanded at the first use.
macro_rules! sql {
    ($name:literal) => {{
        static QUERY: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
            quire_sql::expand(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/", $name, ".sql")))
        });
        QUERY.as_str()
    }};
}
pub(crate) use sql;

/// How many batches of writes about running runs are written at once. With one, two slots would take turns in waiting for
/// each other's commit.
const RUN_WRITE_BATCHES: usize = 2;

/// The settings of the store.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// How many connections this process may hold, not counting the one for listening.
    pub max_connections: u32,
    /// The schema to work in. Without one, the store uses the schema of the connection.
    pub schema: Option<String>,
    /// How long to wait for a free connection before failing.
    pub acquire_timeout: Duration,
    /// How long the server may work on one statement.
    pub statement_timeout: Duration,
    /// How many operations may share one commit.
    pub group_limit: usize,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            max_connections: 8,
            schema: None,
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(30),
            group_limit: 100,
        }
    }
}

/// A PostgreSQL database behind every port of a store.
pub struct PgStore {
    database: Database,
    /// A pool for heartbeats alone, so that a heartbeat never waits for a connection behind other work.
    heartbeats: Database,
    new_documents: Batcher<AddDocuments>,
    enqueues: Batcher<InsertRuns>,
    run_writes: Batcher<RunWriter>,
    installation_permits: InstallationPermits,
    wakeup: Arc<Notify>,
    /// Counts the messages that a running run was cancelled.
    cancellations: watch::Sender<u64>,
    clock: Arc<DatabaseClock>,
    _listener: Listener,
}

impl PgStore {
    /// Connects to the server, and refuses a pooler that does not keep sessions. It does not migrate the tables; see
    /// [`quire_ports::Migrations`].
    pub async fn connect(url: &str, options: PostgresOptions) -> PortResult<Self> {
        let database = Database::connect(url, &options).await?;
        // Two, because a heartbeat that got no answer leaves a connection that is still being closed.
        let heartbeats =
            Database::connect(url, &PostgresOptions { max_connections: 2, ..options.clone() }).await?;
        database.require_own_sessions(&heartbeats).await?;
        let clock = Arc::new(DatabaseClock::default());
        let mut transaction = database.begin().await?;
        clock.measure(&mut transaction).await?;
        database::commit(transaction).await?;
        let wakeup = Arc::new(Notify::new());
        let cancellations = watch::Sender::new(0);
        Ok(Self {
            new_documents: Batcher::start(AddDocuments(database.clone()), options.group_limit, 1),
            enqueues: Batcher::start(InsertRuns(database.clone()), options.group_limit, 1),
            run_writes: Batcher::start(RunWriter(database.clone()), options.group_limit, RUN_WRITE_BATCHES),
            _listener: Listener::start(
                url,
                &options,
                Wakeups { runs: wakeup.clone(), cancellations: cancellations.clone() },
            )?,
            installation_permits: InstallationPermits::start(database.clone()),
            database,
            heartbeats,
            wakeup,
            cancellations,
            clock,
        })
    }

    /// This store as the set of all its ports, with the server's clock.
    pub fn into_store(self) -> Store {
        let clock = self.clock.clone();
        Store::of(Arc::new(self), clock)
    }
}

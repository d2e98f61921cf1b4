//! Whether this process can do its work. Every check has a time limit, and a check that hangs holds at most one thread.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::RunId;
use quire_ports::{BlobStore, PortError, Store};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use crate::Result;

/// A check that takes longer has failed.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// Checks whether the database answers.
#[async_trait]
pub trait DatabaseCheck: Send + Sync {
    /// Sends it a small query.
    async fn check(&self) -> Result<()>;
}

#[async_trait]
impl DatabaseCheck for Store {
    /// Looks for a run that cannot exist: one look in one index, and "not found" is the right answer.
    async fn check(&self) -> Result<()> {
        match self.run_reader.run(RunId(Uuid::nil())).await {
            Ok(_) | Err(PortError::NotFound(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Checks whether files can be written. The check may block: it runs off the async threads, one at a time.
#[derive(Clone)]
pub struct StorageCheck {
    check: Arc<dyn Fn() -> io::Result<()> + Send + Sync>,
    running: Arc<Mutex<()>>,
}

impl StorageCheck {
    /// A check that passes when `check` does.
    pub fn new(check: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self { check: Arc::new(check), running: Arc::default() }
    }

    /// Whether it passes in time. While one check hangs, later ones wait for it instead of hanging beside it.
    async fn passes(&self, within: Duration) -> bool {
        let turn = async {
            let turn = self.running.clone().lock_owned().await;
            let check = self.check.clone();
            tokio::task::spawn_blocking(move || {
                let outcome = check();
                drop(turn);
                outcome
            })
            .await
        };
        matches!(timeout(within, turn).await, Ok(Ok(Ok(()))))
    }
}

/// The result of all checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether the database answers.
    pub database: bool,
    /// Whether files can be written.
    pub storage: bool,
}

impl Health {
    /// Whether everything works.
    pub fn is_ready(self) -> bool {
        self.database && self.storage
    }
}

/// The checks of a process.
#[derive(Clone)]
pub struct HealthChecks {
    database: Arc<dyn DatabaseCheck>,
    storage: StorageCheck,
    blobs: Option<Arc<dyn BlobStore>>,
    time_limit: Duration,
}

impl HealthChecks {
    /// These checks, two seconds for each.
    pub fn new(database: Arc<dyn DatabaseCheck>, storage: StorageCheck) -> Self {
        Self { database, storage, blobs: None, time_limit: TIME_LIMIT }
    }

    /// Also checks the storage of files.
    #[must_use]
    pub fn with_blobs(self, blobs: Arc<dyn BlobStore>) -> Self {
        Self { blobs: Some(blobs), ..self }
    }

    /// The same checks with another time limit.
    #[must_use]
    pub fn within(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// Runs all checks at the same time.
    pub async fn run(&self) -> Health {
        let (database, storage) = tokio::join!(
            timeout(self.time_limit, self.database.check()),
            self.storage.passes(self.time_limit)
        );
        // After the first check: a storage that hangs must not hold a second thread.
        let storage = storage && self.blobs_pass().await;
        Health { database: matches!(database, Ok(Ok(()))), storage }
    }

    async fn blobs_pass(&self) -> bool {
        match &self.blobs {
            Some(blobs) => matches!(timeout(self.time_limit, blobs.check()).await, Ok(Ok(()))),
            None => true,
        }
    }
}

//! Connections to the server and the settings they share.

use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::time::Duration;

use quire_ports::PortResult;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::query::Query;
use sqlx::{ConnectOptions, PgConnection, PgPool, Postgres};

use crate::PostgresOptions;
use crate::error::{is_broken, not_a_url, translate, unavailable};

/// How long to wait for an answer after the server's own limit on a statement has passed. Only this limit detects a
/// server that has vanished without closing the connection.
const ANSWER_GRACE: Duration = Duration::from_secs(5);

/// A transaction. If it is dropped unfinished, it closes its connection. The server then rolls the transaction back,
/// and no later caller gets a connection with an open transaction.
pub(crate) struct Tx {
    connection: PoolConnection<Postgres>,
    finished: bool,
}

impl Deref for Tx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if !self.finished {
            self.connection.close_on_drop();
        }
    }
}

/// The server and the pool of connections to it.
#[derive(Clone)]
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    /// How often to try to begin a transaction: once for each idle connection that may be broken, and once more.
    tries: u32,
    /// How long one operation may take.
    limit: Duration,
}

impl Database {
    pub(crate) async fn connect(url: &str, options: &PostgresOptions) -> PortResult<Self> {
        let max_connections = options.max_connections.max(1);
        let pool = PgPoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(options.acquire_timeout)
            // A test query before each use would cost as much as a small transaction; see `begin`.
            .test_before_acquire(false)
            .connect_with(settings(url, options)?)
            .await
            .map_err(translate)?;
        Ok(Self { pool, tries: max_connections + 1, limit: options.statement_timeout + ANSWER_GRACE })
    }

    /// Begins a transaction. A connection that broke while it was idle fails here, before it has run any statement, so
    /// it is safe to try the next connection.
    pub(crate) async fn begin(&self) -> PortResult<Tx> {
        let mut tries = self.tries;
        loop {
            match self.try_begin().await {
                Err(error) if is_broken(&error) && tries > 1 => tries -= 1,
                begun => return begun.map_err(translate),
            }
        }
    }

    async fn try_begin(&self) -> Result<Tx, sqlx::Error> {
        let mut transaction = Tx { connection: self.pool.acquire().await?, finished: false };
        sqlx::raw_sql("BEGIN").execute(&mut *transaction).await?;
        Ok(transaction)
    }

    /// Runs an operation, or fails after the time limit with the error that the server does not answer.
    pub(crate) async fn with_timeout<T>(&self, work: impl Future<Output = PortResult<T>>) -> PortResult<T> {
        match tokio::time::timeout(self.limit, work).await {
            Ok(outcome) => outcome,
            Err(_) => Err(unavailable("the server does not answer", false)),
        }
    }

    /// Opens a connection outside the pool.
    pub(crate) async fn fresh(&self) -> PortResult<PgConnection> {
        self.pool.connect_options().connect().await.map_err(translate)
    }

    /// Every row of a query that changes nothing. Such a query can be repeated when a connection breaks.
    pub(crate) async fn read<'q, Q>(&self, query: Q) -> PortResult<Vec<PgRow>>
    where
        Q: Fn() -> Query<'q, Postgres, PgArguments> + Send + Sync,
    {
        let mut tries = self.tries;
        let reading = async {
            loop {
                match self.try_read(query()).await {
                    Err(error) if is_broken(&error) && tries > 1 => tries -= 1,
                    rows => return rows.map_err(translate),
                }
            }
        };
        self.with_timeout(reading).await
    }

    async fn try_read(&self, query: Query<'_, Postgres, PgArguments>) -> Result<Vec<PgRow>, sqlx::Error> {
        let mut reading = Tx { connection: self.pool.acquire().await?, finished: false };
        let rows = query.fetch_all(&mut *reading).await?;
        reading.finished = true;
        Ok(rows)
    }
}

pub(crate) async fn commit(mut transaction: Tx) -> PortResult<()> {
    finish(&mut transaction, "COMMIT").await
}

/// Rolls back a transaction whose request was refused, although no statement failed.
pub(crate) async fn rollback(mut transaction: Tx) -> PortResult<()> {
    finish(&mut transaction, "ROLLBACK").await
}

async fn finish(transaction: &mut Tx, how: &'static str) -> PortResult<()> {
    sqlx::raw_sql(how).execute(&mut **transaction).await.map_err(translate)?;
    transaction.finished = true;
    Ok(())
}

/// The settings of every connection.
pub(crate) fn settings(url: &str, options: &PostgresOptions) -> PortResult<PgConnectOptions> {
    let statement_timeout = options.statement_timeout.as_millis().to_string();
    let mut settings = PgConnectOptions::from_str(url)
        .map_err(|_| not_a_url())?
        .application_name("quire")
        .disable_statement_logging()
        .options([
            ("statement_timeout", statement_timeout.as_str()),
            // A process that is stopped in the middle of a transaction must not block the others, because it may hold
            // the lock on the history. The others wait a little longer than such a transaction may stay idle.
            ("idle_in_transaction_session_timeout", "3s"),
            ("lock_timeout", "10s"),
            // Every query here walks an index. A plan made while a table was small, or before it was analysed, would
            // scan the table, and would still scan it after the table has grown.
            ("enable_seqscan", "off"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
            ("enable_incremental_sort", "off"),
            ("jit", "off"),
            // Starting parallel workers takes longer than answering a query from an index.
            ("max_parallel_workers_per_gather", "0"),
        ]);
    if let Some(schema) = &options.schema {
        settings = settings.options([("search_path", schema)]);
    }
    Ok(settings)
}

//! Connections to the server and the settings they share.

use std::str::FromStr;

use quire_ports::PortResult;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::query::Query;
use sqlx::{ConnectOptions, PgConnection, PgPool, Postgres, Transaction};

use crate::Options;
use crate::error::{is_broken, not_a_url, translate};

pub(crate) type Tx = Transaction<'static, Postgres>;

/// The server, reached through a few connections.
#[derive(Clone)]
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    /// As often as every idle connection can turn out to be broken, and once more.
    tries: u32,
}

impl Database {
    pub(crate) async fn connect(url: &str, options: &Options) -> PortResult<Self> {
        let max_connections = options.max_connections.max(2);
        let pool = PgPoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(options.acquire_timeout)
            // A question before each use would cost as much as a small transaction; see `begin`.
            .test_before_acquire(false)
            .connect_with(settings(url, options)?)
            .await
            .map_err(translate)?;
        Ok(Self { pool, tries: max_connections + 1 })
    }

    /// A transaction. Connections that broke while they were idle show it here, before anything was asked of them,
    /// so trying the next one is safe.
    pub(crate) async fn begin(&self) -> PortResult<Tx> {
        let mut tries = self.tries;
        loop {
            match self.pool.begin().await {
                Err(error) if is_broken(&error) && tries > 1 => tries -= 1,
                begun => return begun.map_err(translate),
            }
        }
    }

    /// A connection that belongs to nobody else and to no pool.
    pub(crate) async fn fresh(&self) -> PortResult<PgConnection> {
        self.pool.connect_options().connect().await.map_err(translate)
    }

    /// Every row of a query that changes nothing, and can therefore be asked again when a connection breaks.
    pub(crate) async fn read<'q, Q>(&self, query: Q) -> PortResult<Vec<PgRow>>
    where
        Q: Fn() -> Query<'q, Postgres, PgArguments> + Send + Sync,
    {
        let mut tries = self.tries;
        loop {
            match query().fetch_all(&self.pool).await {
                Err(error) if is_broken(&error) && tries > 1 => tries -= 1,
                rows => return rows.map_err(translate),
            }
        }
    }
}

pub(crate) async fn commit(transaction: Tx) -> PortResult<()> {
    transaction.commit().await.map_err(translate)
}

/// What every connection is set to.
pub(crate) fn settings(url: &str, options: &Options) -> PortResult<PgConnectOptions> {
    let statement_timeout = options.statement_timeout.as_millis().to_string();
    let mut settings = PgConnectOptions::from_str(url)
        .map_err(|_| not_a_url())?
        .application_name("quire")
        .disable_statement_logging()
        .options([
            ("statement_timeout", statement_timeout.as_str()),
            ("lock_timeout", "5s"),
            // A process that hangs in the middle of a transaction must not hold its locks for ever.
            ("idle_in_transaction_session_timeout", "60s"),
            // Every query here walks an index. A plan made while a table was small, or before it was analysed,
            // would scan it, and go on doing so while it grows.
            ("enable_seqscan", "off"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
            ("enable_incremental_sort", "off"),
            ("jit", "off"),
        ]);
    if let Some(schema) = &options.schema {
        settings = settings.options([("search_path", schema)]);
    }
    Ok(settings)
}

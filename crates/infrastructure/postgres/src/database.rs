//! Connections to the server and their transactions.

use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quire_ports::{PortError, PortResult};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::query::Query;
use sqlx::{ConnectOptions, PgConnection, PgPool, Postgres};

use crate::PostgresOptions;
use crate::error::{is_broken, not_a_url, translate, unavailable};
use crate::find::KeptStatistics;
use crate::session::{self, ConnectionSettings};

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
    settings: ConnectionSettings,
    /// The schema of the extension for vectors, once it is known.
    pub(crate) vector_schema: Arc<OnceLock<String>>,
    /// What the server knows about the words of the search index.
    pub(crate) statistics: KeptStatistics,
}

impl Database {
    pub(crate) async fn connect(url: &str, options: &PostgresOptions) -> PortResult<Self> {
        let max_connections = options.max_connections.max(1);
        let settings = ConnectionSettings::new(options);
        let pool = pool_options(&settings)
            .max_connections(max_connections)
            .acquire_timeout(options.acquire_timeout)
            // A test query before each use would cost as much as a small transaction; see `begin`.
            .test_before_acquire(false)
            .connect_lazy_with(connect_options(url)?);
        let limit = options.statement_timeout + ANSWER_GRACE;
        let tries = max_connections + 1;
        let (vector_schema, statistics) = (Arc::default(), KeptStatistics::default());
        let database = Self { pool, tries, limit, settings, vector_schema, statistics };
        database.connection().await.map_err(|error| database.translate(error))?;
        Ok(database)
    }

    /// Fails if a pooler in front of the server does not keep the sessions of these connections apart.
    pub(crate) async fn require_own_sessions(&self, other: &Self) -> PortResult<()> {
        let mut one = self.connection().await.map_err(|error| self.translate(error))?;
        let mut another = other.connection().await.map_err(|error| other.translate(error))?;
        self.with_timeout(session::require_own_sessions(&mut one, &mut another)).await
    }

    async fn connection(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        self.pool.acquire().await
    }

    /// The error for the application. A pool that refuses every new connection only says that time has passed.
    fn translate(&self, error: sqlx::Error) -> PortError {
        let may_be_refused = matches!(error, sqlx::Error::PoolTimedOut | sqlx::Error::Configuration(_));
        let refusal = if may_be_refused { self.settings.refusal() } else { None };
        refusal.unwrap_or_else(|| translate(error))
    }

    /// Begins a transaction. A connection that broke while it was idle fails here, before it has run any statement, so
    /// it is safe to try the next connection.
    pub(crate) async fn begin(&self) -> PortResult<Tx> {
        self.begin_with("BEGIN ISOLATION LEVEL READ COMMITTED").await
    }

    /// Begins a transaction of statements that find each row by its key, or along one index whatever their parameters are.
    /// A connection plans each of them once. Planning them for every execution would take as long as executing them.
    pub(crate) async fn begin_planned_once(&self) -> PortResult<Tx> {
        self.begin_with(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL plan_cache_mode = force_generic_plan",
        )
        .await
    }

    /// Begins a transaction by this statement, which may set something for it.
    pub(crate) async fn begin_with(&self, statement: &'static str) -> PortResult<Tx> {
        let mut tries = self.tries;
        loop {
            match self.try_begin(statement).await {
                Err(error) if is_broken(&error) && tries > 1 => tries -= 1,
                begun => return begun.map_err(|error| self.translate(error)),
            }
        }
    }

    async fn try_begin(&self, statement: &'static str) -> Result<Tx, sqlx::Error> {
        let mut transaction = Tx { connection: self.connection().await?, finished: false };
        sqlx::raw_sql(statement).execute(&mut *transaction).await?;
        Ok(transaction)
    }

    /// Runs an operation, or fails after the time limit with the error that the server does not answer.
    pub(crate) async fn with_timeout<T>(&self, work: impl Future<Output = PortResult<T>>) -> PortResult<T> {
        match tokio::time::timeout(self.limit, work).await {
            Ok(outcome) => outcome,
            Err(_) => Err(unavailable("the server does not answer", false)),
        }
    }

    /// Executes one statement in a transaction of its own, and returns how many rows it has changed.
    pub(crate) async fn execute(&self, query: Query<'_, Postgres, PgArguments>) -> PortResult<u64> {
        self.with_timeout(async {
            let mut transaction = self.begin().await?;
            let changed = query.execute(&mut *transaction).await.map_err(translate)?.rows_affected();
            commit(transaction).await?;
            Ok(changed)
        })
        .await
    }

    /// Opens a connection outside the pool.
    pub(crate) async fn fresh(&self) -> PortResult<PgConnection> {
        let mut connection = self.pool.connect_options().connect().await.map_err(translate)?;
        self.settings.establish(&mut connection).await.map_err(|error| self.translate(error))?;
        Ok(connection)
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
                    rows => return rows.map_err(|error| self.translate(error)),
                }
            }
        };
        self.with_timeout(reading).await
    }

    async fn try_read(&self, query: Query<'_, Postgres, PgArguments>) -> Result<Vec<PgRow>, sqlx::Error> {
        let mut reading = Tx { connection: self.connection().await?, finished: false };
        let rows = query.fetch_all(&mut *reading).await?;
        reading.finished = true;
        Ok(rows)
    }
}

/// A pool that sets up the session of each new connection.
pub(crate) fn pool_options(settings: &ConnectionSettings) -> PgPoolOptions {
    let settings = settings.clone();
    PgPoolOptions::new().after_connect(move |connection, _| {
        let settings = settings.clone();
        Box::pin(async move { settings.establish(connection).await })
    })
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

/// The server, user and database of a URL. What the sessions have in common is set after connecting.
pub(crate) fn connect_options(url: &str) -> PortResult<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url).map_err(|_| not_a_url())?;
    // A pooler refuses a connection that sets the digits of floats, and they only matter in text.
    Ok(options.application_name("quire").extra_float_digits(None).disable_statement_logging())
}

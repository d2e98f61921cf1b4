//! The settings of every session on the server, and the check that each connection has a session of its own.
//!
//! The settings are sent after connecting and not with the connection, because a pooler refuses or drops those that it
//! does not know. Then they are read back. A pooler that gives each transaction another session would lose them, and
//! with them the prepared statements, the notifications and the schema that the store works in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use quire_ports::{PortError, PortResult};
use sqlx::{AssertSqlSafe, PgConnection, Row};

use crate::PostgresOptions;
use crate::error::{is_protocol_violation, translate, unavailable};

/// The settings of every session, as the server shows them. Times are in milliseconds.
const SETTINGS: [(&str, &str); 9] = [
    // Each statement must see what others have committed before it: the turns of runs and the batches depend on that.
    ("default_transaction_isolation", "read committed"),
    // A process that is stopped in the middle of a transaction must not block the others, because it may hold
    // the lock on the history. The others wait a little longer than such a transaction may stay idle.
    ("idle_in_transaction_session_timeout", "3000"),
    ("lock_timeout", "10000"),
    // Every query here walks an index. A plan made while a table was small, or before it was analysed, would
    // scan the table, and would still scan it after the table has grown.
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_incremental_sort", "off"),
    ("jit", "off"),
    // Starting parallel workers takes longer than answering a query from an index.
    ("max_parallel_workers_per_gather", "0"),
];

/// A success is reported only when it is on the disk. A server that waits for more, until a standby shows the change, is
/// left as it is.
const SET_SYNCHRONOUS_COMMIT: &str = "SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') <> 'remote_apply'";
const DURABLE: [&str; 2] = ["on", "remote_apply"];

/// How often to check that a connection keeps its session. A busy pooler may give it the same one by chance.
const CHECKS: usize = 5;

/// The settings of the sessions of one store.
#[derive(Clone)]
pub(crate) struct ConnectionSettings {
    settings: Arc<[(&'static str, String)]>,
    /// Why the last new connection was refused. The pool retries and does not report it.
    refusal: Arc<Mutex<Option<PortError>>>,
}

impl ConnectionSettings {
    pub(crate) fn new(options: &PostgresOptions) -> Self {
        let mut settings: Vec<_> = SETTINGS.map(|(name, value)| (name, value.to_owned())).into();
        settings.push(("statement_timeout", options.statement_timeout.as_millis().to_string()));
        settings.extend(options.schema.iter().map(|schema| ("search_path", schema.clone())));
        Self { settings: settings.into(), refusal: Arc::default() }
    }

    /// Sets them on a new connection and reads them back. Sends no prepared statement, because a pooler may lose it.
    pub(crate) async fn establish(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        self.apply(connection).await?;
        let lost = self.lost(connection).await?;
        let refusal = lost.map(|name| refused(&format!("the setting {name}")));
        let failed = refusal.as_ref().map(|refusal| sqlx::Error::Configuration(refusal.to_string().into()));
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
        failed.map_or(Ok(()), Err)
    }

    /// Why new connections are refused at present.
    pub(crate) fn refusal(&self) -> Option<PortError> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn apply(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let set = |(name, value): &(&str, String)| {
            format!("SELECT set_config('{name}', '{}', false);", value.replace('\'', "''"))
        };
        let statements = self.settings.iter().map(set).collect::<String>() + SET_SYNCHRONOUS_COMMIT;
        sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection).await?;
        Ok(())
    }

    /// The name of a setting that the session does not have.
    async fn lost(&self, connection: &mut PgConnection) -> Result<Option<&'static str>, sqlx::Error> {
        let rows =
            sqlx::raw_sql("SELECT name, setting FROM pg_catalog.pg_settings").fetch_all(connection).await?;
        let mut shown: HashMap<String, String> = HashMap::new();
        for row in &rows {
            shown.insert(row.try_get(0)?, row.try_get(1)?);
        }
        let is_durable =
            shown.get("synchronous_commit").is_some_and(|value| DURABLE.contains(&value.as_str()));
        let mut lost = self.settings.iter().filter(|(name, value)| shown.get(*name) != Some(value));
        let lost = lost.next().map(|(name, _)| *name);
        Ok(lost.or((!is_durable).then_some("synchronous_commit")))
    }
}

/// Fails if a pooler gives sessions to transactions and not to connections. Then `one` is answered by the session that it
/// has just given back to `other`, or by another one.
pub(crate) async fn require_own_sessions(one: &mut PgConnection, other: &mut PgConnection) -> PortResult<()> {
    let own = session(one).await?;
    for _ in 0..CHECKS {
        // A pooler that gives sessions to statements refuses this.
        sqlx::raw_sql("BEGIN").execute(&mut *other).await.map_err(|error| {
            if is_protocol_violation(&error) { refused("the transaction") } else { translate(error) }
        })?;
        // If the other has this session, a pooler may have no second one: then asking would wait for the other.
        let is_own = session(other).await? != own && session(one).await? == own;
        sqlx::raw_sql("ROLLBACK").execute(&mut *other).await.map_err(translate)?;
        // Of two sessions in turns, the first of these answers may be by the own one.
        if !is_own || session(one).await? != own || session(one).await? != own {
            return Err(refused("the session"));
        }
    }
    Ok(())
}

/// Identifies the session that answers.
async fn session(connection: &mut PgConnection) -> PortResult<i32> {
    let row = sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await.map_err(translate)?;
    row.try_get(0).map_err(translate)
}

fn refused(what: &str) -> PortError {
    unavailable(
        &format!(
            "a connection pooler in front of PostgreSQL does not keep {what} of a connection; set the pooler to session \
             pooling (PgBouncer: pool_mode = session), or connect to PostgreSQL directly"
        ),
        false,
    )
}

//! Listens for runs that other processes enqueue or cancel.
//!
//! A message may be lost while the connection is down. So the listener wakes every waiting worker of this process once
//! after each new connection, and the workers also poll from time to time.

use std::sync::Arc;
use std::time::Duration;

use quire_ports::PortResult;
use sqlx::postgres::{PgListener, PgNotification};
use sqlx::{Error, PgPool};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::database::{connect_options, pool_options};
use crate::session::ConnectionSettings;
use crate::{PostgresOptions, sql};

/// How long to wait before connecting again to a server that does not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// The message that a running run was cancelled. Every other message means that there may be work.
const CANCELLED: &str = "cancelled";

/// Whom a message wakes.
#[derive(Clone)]
pub(crate) struct Wakeups {
    pub(crate) runs: Arc<Notify>,
    pub(crate) cancellations: watch::Sender<u64>,
}

impl Wakeups {
    fn cancelled(&self) {
        self.cancellations.send_modify(|count| *count += 1);
    }
}

/// A task that listens until this value is dropped.
pub(crate) struct Listener(JoinHandle<()>);

impl Listener {
    pub(crate) fn start(url: &str, options: &PostgresOptions, wakeups: Wakeups) -> PortResult<Self> {
        // The listener has a pool of its own, because it occupies a connection all the time.
        let pool = pool_options(&ConnectionSettings::new(options))
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .acquire_timeout(options.acquire_timeout)
            .connect_lazy_with(connect_options(url)?);
        Ok(Self(tokio::spawn(listen_for_ever(pool, wakeups))))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn listen_for_ever(pool: PgPool, wakeups: Wakeups) {
    loop {
        if let Err(error) = listen(&pool, &wakeups).await {
            let error = crate::error::translate(error);
            tracing::debug!(%error, "listening for new runs was interrupted");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Listens until the connection is lost and cannot be restored.
async fn listen(pool: &PgPool, wakeups: &Wakeups) -> Result<(), Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    // The result is NULL while the schema does not exist.
    let channel: Option<String> = sqlx::query_scalar(sql!("runs/channel")).fetch_one(&mut listener).await?;
    let Some(channel) = channel else { return Ok(()) };
    listener.listen(&channel).await?;
    let mut message = None;
    loop {
        // Without a message the connection is new: there may be work, and runs may have been cancelled.
        let is_cancelled = message.as_ref().map(|message: &PgNotification| message.payload() == CANCELLED);
        if is_cancelled != Some(true) {
            wakeups.runs.notify_one();
        }
        if is_cancelled != Some(false) {
            wakeups.cancelled();
        }
        message = listener.try_recv().await?;
    }
}

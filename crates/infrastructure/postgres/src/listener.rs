//! Listens for runs that other processes enqueue.
//!
//! A message may be lost while the connection is down. So the listener wakes every waiting worker of this process once
//! after each new connection, and the workers also poll from time to time.

use std::sync::Arc;
use std::time::Duration;

use quire_ports::PortResult;
use sqlx::postgres::PgListener;
use sqlx::{Error, PgPool};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::database::{connect_options, pool_options};
use crate::session::ConnectionSettings;
use crate::{PostgresOptions, sql};

/// How long to wait before connecting again to a server that does not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// A task that listens until this value is dropped.
pub(crate) struct Listener(JoinHandle<()>);

impl Listener {
    pub(crate) fn start(url: &str, options: &PostgresOptions, wakeup: Arc<Notify>) -> PortResult<Self> {
        // The listener has a pool of its own, because it occupies a connection all the time.
        let pool = pool_options(&ConnectionSettings::new(options))
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .acquire_timeout(options.acquire_timeout)
            .connect_lazy_with(connect_options(url)?);
        Ok(Self(tokio::spawn(listen_for_ever(pool, wakeup))))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn listen_for_ever(pool: PgPool, wakeup: Arc<Notify>) {
    loop {
        if let Err(error) = listen(&pool, &wakeup).await {
            let error = crate::error::translate(error);
            tracing::debug!(%error, "listening for new runs was interrupted");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Listens until the connection is lost and cannot be restored.
async fn listen(pool: &PgPool, wakeup: &Notify) -> Result<(), Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    // The result is NULL while the schema does not exist.
    let channel: Option<String> = sqlx::query_scalar(sql!("runs/channel")).fetch_one(&mut listener).await?;
    let Some(channel) = channel else { return Ok(()) };
    listener.listen(&channel).await?;
    loop {
        wakeup.notify_one();
        // The result is a message, or none if the connection was lost and restored. In both cases there may be work.
        listener.try_recv().await?;
    }
}

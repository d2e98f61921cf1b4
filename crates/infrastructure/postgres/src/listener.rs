//! Listens for runs that other processes enqueue.
//!
//! A message may be lost while the connection is: whoever waits for work also looks from time to time. So after
//! each new connection everybody is woken once.

use std::sync::Arc;
use std::time::Duration;

use quire_ports::PortResult;
use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{Error, PgPool};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::database::settings;
use crate::{Options, sql};

/// How long to wait before the next try at a server that does not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// A task that listens for as long as this lives.
pub(crate) struct Listener(JoinHandle<()>);

impl Listener {
    pub(crate) fn start(url: &str, options: &Options, wakeup: Arc<Notify>) -> PortResult<Self> {
        // A pool of its own: listening occupies a connection all the time.
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .acquire_timeout(options.acquire_timeout)
            .connect_lazy_with(settings(url, options)?);
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

/// Until the connection cannot be had back.
async fn listen(pool: &PgPool, wakeup: &Notify) -> Result<(), Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    // Null while the schema does not exist.
    let channel: Option<String> = sqlx::query_scalar(sql!("runs/channel")).fetch_one(&mut listener).await?;
    let Some(channel) = channel else { return Ok(()) };
    listener.listen(&channel).await?;
    loop {
        wakeup.notify_one();
        // A message, or nothing when the connection was lost and is there again: a reason to look in both cases.
        listener.try_recv().await?;
    }
}

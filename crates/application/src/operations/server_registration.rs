//! A server that leaves runs to other processes is registered as a worker without slots, so that commands which replace or migrate
//! the database see that somebody uses it.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{ClaimScope, WorkerId};
use quire_ports::{Lease, PortResult, Store, Worker};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long the last write may take.
const LAST_WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// The registration of a server, renewed until it ends. Dropping it without [`ServerRegistration::end`] leaves a lease that
/// expires.
pub struct ServerRegistration {
    stop: CancellationToken,
    renewing: JoinHandle<()>,
}

/// What is registered again after another process has ended the lease.
struct RegisteredServer {
    store: Store,
    name: String,
    term: SignedDuration,
    id: WorkerId,
}

impl ServerRegistration {
    /// Registers a server of this name. Its lease lasts for `term` and is renewed after each `heartbeat`.
    pub async fn start(
        store: Store,
        name: String,
        term: SignedDuration,
        heartbeat: Duration,
    ) -> PortResult<Self> {
        let mut server = RegisteredServer { store, name, term, id: WorkerId::new() };
        server.register().await?;
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let renewing = tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = server.store.clock.sleep(heartbeat) => {}
                    () = stopped.cancelled() => break,
                }
                if let Err(error) = server.renew().await {
                    tracing::warn!(%error, "server registration: renewal failed, will retry");
                    metrics::counter!("quire_store_errors_total", "doing" => "heartbeat").increment(1);
                }
            }
            server.resign().await;
        });
        Ok(Self { stop, renewing })
    }

    /// Ends the registration.
    pub async fn end(self) {
        self.stop.cancel();
        if tokio::time::timeout(LAST_WRITE_TIMEOUT, self.renewing).await.is_err() {
            tracing::warn!("server registration: the store does not answer; the lease will expire");
        }
    }
}

impl RegisteredServer {
    async fn register(&mut self) -> PortResult<()> {
        let now = self.store.clock.now();
        let id = WorkerId::new();
        let server = Worker {
            id,
            name: self.name.clone(),
            slots: 0,
            started_at: now,
            seen_at: now,
            lease: Some(self.lease_from(now)),
            program: Some(self.store.migrations.newest_known()),
            scope: ClaimScope::default(),
        };
        self.store.workers.register(&server).await?;
        self.id = id;
        Ok(())
    }

    async fn renew(&mut self) -> PortResult<()> {
        let now = self.store.clock.now();
        if self.store.workers.renew(self.id, now, self.lease_from(now)).await? {
            return Ok(());
        }
        self.register().await
    }

    async fn resign(&self) {
        if let Err(error) = self.store.workers.resign(self.id, self.store.clock.now()).await {
            tracing::warn!(%error, "server registration: the server could not resign; its lease will expire");
        }
    }

    fn lease_from(&self, now: Timestamp) -> Lease {
        Lease::Until(now.saturating_add(self.term).unwrap_or(Timestamp::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn listed(store: &Store) -> Vec<(WorkerId, u32, bool)> {
        let now = store.clock.now();
        let workers = store.workers.list().await.unwrap();
        workers.iter().map(|worker| (worker.id, worker.slots, worker.is_live(now))).collect()
    }

    #[tokio::test]
    async fn a_server_is_registered_again_after_its_lease_was_ended_and_resigns_at_its_end() {
        let fixture = quire_sqlite::testing::store_fixture().await;
        let store = fixture.store.clone();
        let (term, heartbeat) = (SignedDuration::from_mins(5), Duration::from_millis(1));
        let server =
            ServerRegistration::start(store.clone(), "here:1".to_owned(), term, heartbeat).await.unwrap();
        let first = listed(&store).await;
        let [(id, 0, true)] = first[..] else { panic!("{first:?}") };
        store.workers.resign(id, store.clock.now()).await.unwrap();
        let again = loop {
            match listed(&store).await[..] {
                [(_, 0, false)] => tokio::task::yield_now().await,
                [(again, 0, true), (ended, 0, false)] if ended == id => break again,
                ref other => panic!("{other:?}"),
            }
        };
        server.end().await;
        let left = listed(&store).await;
        assert_eq!(left, [(again, 0, false), (id, 0, false)], "nobody uses the database any more");
    }
}

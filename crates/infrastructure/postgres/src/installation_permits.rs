//! The permits that all processes of an installation share in a lane: session locks on one connection of this process.
//!
//! A permit is a number below the limit of its lane, and the process that has the lock of that number has the permit. The
//! server frees the locks of a process that dies, because its connection ends. If only the connection breaks, other
//! processes can take permits that this one still uses: the limit is exceeded for a while, and no call is lost.

use std::collections::HashSet;

use quire_domain::LaneName;
use quire_ports::{InstallationPermit, PortResult};
use sqlx::PgConnection;
use tokio::sync::{mpsc, oneshot};

use crate::database::Database;
use crate::error::{translate, unavailable};
use crate::sql;

/// Sends requests to the task that owns the connection. The task ends when nobody can send any more.
pub(crate) struct InstallationPermits(mpsc::UnboundedSender<Request>);

enum Request {
    Acquire {
        lane: LaneName,
        limit: u32,
        /// Where the permit is released.
        permits: mpsc::UnboundedSender<Request>,
        answer: oneshot::Sender<PortResult<Option<HeldPermit>>>,
    },
    Release(Permit),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Permit {
    /// The connection that has the lock: a new one knows nothing of the permits before it.
    session: u64,
    lane: LaneName,
    number: i32,
}

/// Releases its permit when it is dropped.
struct HeldPermit {
    permit: Permit,
    permits: mpsc::UnboundedSender<Request>,
}

impl Drop for HeldPermit {
    fn drop(&mut self) {
        // The task is gone only if the connection is, and the lock with it.
        let _ = self.permits.send(Request::Release(self.permit.clone()));
    }
}

impl InstallationPermits {
    pub(crate) fn start(database: Database) -> Self {
        let (sender, requests) = mpsc::unbounded_channel();
        tokio::spawn(
            PermitSession { database, number: 0, connection: None, held: HashSet::new() }.serve(requests),
        );
        Self(sender)
    }

    pub(crate) async fn acquire(
        &self,
        lane: &LaneName,
        limit: u32,
    ) -> PortResult<Option<InstallationPermit>> {
        let (answer, taken) = oneshot::channel();
        let stopped = || unavailable("the connection for lanes has stopped", false);
        let request = Request::Acquire { lane: lane.clone(), limit, permits: self.0.clone(), answer };
        self.0.send(request).map_err(|_| stopped())?;
        let permit = taken.await.map_err(|_| stopped())??;
        Ok(permit.map(|permit| Box::new(permit) as InstallationPermit))
    }
}

/// The connection that has the locks. It is opened at the first use.
struct PermitSession {
    database: Database,
    number: u64,
    connection: Option<PgConnection>,
    held: HashSet<Permit>,
}

impl PermitSession {
    async fn serve(mut self, mut requests: mpsc::UnboundedReceiver<Request>) {
        while let Some(request) = requests.recv().await {
            match request {
                Request::Acquire { lane, limit, permits, answer } => {
                    let taken = self.acquire(lane, limit).await;
                    let held = taken.map(|permit| permit.map(|permit| HeldPermit { permit, permits }));
                    // If nobody waits for it any more, now or before it is taken from the channel, dropping it releases it.
                    let _ = answer.send(held);
                }
                Request::Release(permit) => self.release(&permit).await,
            }
        }
    }

    async fn acquire(&mut self, lane: LaneName, limit: u32) -> PortResult<Option<Permit>> {
        let held: Vec<i32> =
            self.held.iter().filter(|permit| permit.lane == lane).map(|permit| permit.number).collect();
        let database = self.database.clone();
        let locking = async {
            let connection = self.connection().await?;
            sqlx::query_scalar::<_, i32>(sql!("lanes/acquire_installation_permit"))
                .bind(lane.as_str())
                .bind(i32::try_from(limit).unwrap_or(i32::MAX))
                .bind(held)
                .fetch_optional(connection)
                .await
                .map_err(translate)
        };
        match database.with_timeout(locking).await {
            Ok(number) => {
                let permit = number.map(|number| Permit { session: self.number, lane, number });
                self.held.extend(permit.clone());
                Ok(permit)
            }
            Err(error) => {
                self.disconnect();
                Err(error)
            }
        }
    }

    async fn release(&mut self, permit: &Permit) {
        if !self.held.remove(permit) {
            return;
        }
        let database = self.database.clone();
        let unlocking = async {
            let connection = self.connection().await?;
            sqlx::query(sql!("lanes/release_installation_permit"))
                .bind(permit.lane.as_str())
                .bind(permit.number)
                .execute(connection)
                .await
                .map_err(translate)
        };
        if let Err(error) = database.with_timeout(unlocking).await {
            tracing::warn!(%error, "lanes: a permit could not be released, opening a new connection");
            self.disconnect();
        }
    }

    async fn connection(&mut self) -> PortResult<&mut PgConnection> {
        if self.connection.is_none() {
            self.connection = Some(self.database.fresh().await?);
        }
        self.connection.as_mut().ok_or_else(|| unavailable("no connection", false))
    }

    /// Ends the connection and with it every lock.
    fn disconnect(&mut self) {
        self.connection = None;
        self.held.clear();
        self.number += 1;
    }
}

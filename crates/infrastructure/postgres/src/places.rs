//! The places that all processes of an installation share in a lane: session locks on one connection of this process.
//!
//! A place is a number below the limit of its lane, and the process that has the lock of that number has the place. The
//! server frees the locks of a process that dies, because its connection ends. If only the connection breaks, other
//! processes can take places that this one still uses: the limit is exceeded for a while, and no call is lost.

use std::collections::HashSet;

use quire_domain::LaneName;
use quire_ports::{InstallationPlace, PortResult};
use sqlx::PgConnection;
use tokio::sync::{mpsc, oneshot};

use crate::database::Database;
use crate::error::{translate, unavailable};
use crate::sql;

/// Sends requests to the task that owns the connection. The task ends when nobody can send any more.
pub(crate) struct Places(mpsc::UnboundedSender<Request>);

enum Request {
    Take { lane: LaneName, places: u32, answer: oneshot::Sender<PortResult<Option<Place>>> },
    Return(Place),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// The connection that has the lock: a new one knows nothing of the places before it.
    session: u64,
    lane: LaneName,
    number: i32,
}

/// Returns its place when it is dropped.
struct HeldPlace {
    place: Place,
    places: mpsc::UnboundedSender<Request>,
}

impl Drop for HeldPlace {
    fn drop(&mut self) {
        // The task is gone only if the connection is, and the lock with it.
        let _ = self.places.send(Request::Return(self.place.clone()));
    }
}

impl Places {
    pub(crate) fn start(database: Database) -> Self {
        let (sender, requests) = mpsc::unbounded_channel();
        tokio::spawn(Session { database, number: 0, connection: None, held: HashSet::new() }.serve(requests));
        Self(sender)
    }

    pub(crate) async fn take(&self, lane: &LaneName, places: u32) -> PortResult<Option<InstallationPlace>> {
        let (answer, taken) = oneshot::channel();
        let stopped = || unavailable("the connection for lanes has stopped", false);
        let request = Request::Take { lane: lane.clone(), places, answer };
        self.0.send(request).map_err(|_| stopped())?;
        let place = taken.await.map_err(|_| stopped())??;
        Ok(place.map(|place| Box::new(HeldPlace { place, places: self.0.clone() }) as InstallationPlace))
    }
}

/// The connection that has the locks. It is opened at the first use.
struct Session {
    database: Database,
    number: u64,
    connection: Option<PgConnection>,
    held: HashSet<Place>,
}

impl Session {
    async fn serve(mut self, mut requests: mpsc::UnboundedReceiver<Request>) {
        while let Some(request) = requests.recv().await {
            match request {
                Request::Take { lane, places, answer } => {
                    let taken = self.take(lane, places).await;
                    if let Err(Ok(Some(place))) = answer.send(taken) {
                        self.give_back(&place).await;
                    }
                }
                Request::Return(place) => self.give_back(&place).await,
            }
        }
    }

    async fn take(&mut self, lane: LaneName, places: u32) -> PortResult<Option<Place>> {
        let held: Vec<i32> =
            self.held.iter().filter(|place| place.lane == lane).map(|place| place.number).collect();
        let database = self.database.clone();
        let locking = async {
            let connection = self.connection().await?;
            sqlx::query_scalar::<_, i32>(sql!("lanes/take_place"))
                .bind(lane.as_str())
                .bind(i32::try_from(places).unwrap_or(i32::MAX))
                .bind(held)
                .fetch_optional(connection)
                .await
                .map_err(translate)
        };
        match database.with_timeout(locking).await {
            Ok(number) => {
                let place = number.map(|number| Place { session: self.number, lane, number });
                self.held.extend(place.clone());
                Ok(place)
            }
            Err(error) => {
                self.disconnect();
                Err(error)
            }
        }
    }

    async fn give_back(&mut self, place: &Place) {
        if !self.held.remove(place) {
            return;
        }
        let database = self.database.clone();
        let unlocking = async {
            let connection = self.connection().await?;
            sqlx::query(sql!("lanes/return_place"))
                .bind(place.lane.as_str())
                .bind(place.number)
                .execute(connection)
                .await
                .map_err(translate)
        };
        if let Err(error) = database.with_timeout(unlocking).await {
            tracing::warn!(%error, "lanes: a place could not be returned, opening a new connection");
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

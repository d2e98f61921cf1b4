//! Everything that a database offers, in one hand.

use std::sync::Arc;

use crate::{
    Calibration, Clock, Credentials, Documents, Figures, Governance, History, Rescue, Reviews, RunQueue,
    Schema, Sessions, Workers,
};

/// A database behind its ports. One adapter object usually stands behind all of them.
#[derive(Clone)]
#[allow(missing_docs)] // Each field is the port it is named after.
pub struct Store {
    pub queue: Arc<dyn RunQueue>,
    pub rescue: Arc<dyn Rescue>,
    pub workers: Arc<dyn Workers>,
    pub history: Arc<dyn History>,
    pub figures: Arc<dyn Figures>,
    pub documents: Arc<dyn Documents>,
    pub reviews: Arc<dyn Reviews>,
    pub calibration: Arc<dyn Calibration>,
    pub governance: Arc<dyn Governance>,
    pub credentials: Arc<dyn Credentials>,
    pub sessions: Arc<dyn Sessions>,
    pub schema: Arc<dyn Schema>,
    /// The clock by which this database's leases are judged.
    pub clock: Arc<dyn Clock>,
}

impl Store {
    /// A store whose every port is the same object.
    pub fn of<S>(store: Arc<S>, clock: Arc<dyn Clock>) -> Self
    where
        S: RunQueue
            + Rescue
            + Workers
            + History
            + Figures
            + Documents
            + Reviews
            + Calibration
            + Governance
            + Credentials
            + Sessions
            + Schema
            + 'static,
    {
        Self {
            queue: store.clone(),
            rescue: store.clone(),
            workers: store.clone(),
            history: store.clone(),
            figures: store.clone(),
            documents: store.clone(),
            reviews: store.clone(),
            calibration: store.clone(),
            governance: store.clone(),
            credentials: store.clone(),
            sessions: store.clone(),
            schema: store,
            clock,
        }
    }
}

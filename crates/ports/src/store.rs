//! All ports of a database together.

use std::sync::Arc;

use crate::{
    Calibration, Clock, Credentials, DatabaseTables, Documents, Governance, Installation, Lanes, Links,
    MetricsHistory, Migrations, ModelCalls, Proposals, Reviews, RunQueue, RunReader, RunRecovery,
    SearchIndex, Sessions, Workers,
};

/// A database behind its ports. Usually one adapter implements all of them.
#[derive(Clone)]
#[allow(missing_docs)] // Each field is the port it is named after.
pub struct Store {
    pub queue: Arc<dyn RunQueue>,
    pub recovery: Arc<dyn RunRecovery>,
    pub workers: Arc<dyn Workers>,
    pub run_reader: Arc<dyn RunReader>,
    pub lanes: Arc<dyn Lanes>,
    pub metrics: Arc<dyn MetricsHistory>,
    pub documents: Arc<dyn Documents>,
    pub reviews: Arc<dyn Reviews>,
    pub proposals: Arc<dyn Proposals>,
    pub links: Arc<dyn Links>,
    pub calibration: Arc<dyn Calibration>,
    pub governance: Arc<dyn Governance>,
    pub credentials: Arc<dyn Credentials>,
    pub sessions: Arc<dyn Sessions>,
    pub installation: Arc<dyn Installation>,
    pub migrations: Arc<dyn Migrations>,
    pub model_calls: Arc<dyn ModelCalls>,
    pub search: Arc<dyn SearchIndex>,
    pub tables: Arc<dyn DatabaseTables>,
    /// The clock that decides when a lease of this database has expired.
    pub clock: Arc<dyn Clock>,
}

impl Store {
    /// A store with one adapter behind every port.
    pub fn of<S>(store: Arc<S>, clock: Arc<dyn Clock>) -> Self
    where
        S: RunQueue
            + RunRecovery
            + Workers
            + RunReader
            + Lanes
            + MetricsHistory
            + Documents
            + Reviews
            + Proposals
            + Links
            + Calibration
            + Governance
            + Credentials
            + Sessions
            + Installation
            + Migrations
            + ModelCalls
            + SearchIndex
            + DatabaseTables
            + 'static,
    {
        Self {
            queue: store.clone(),
            recovery: store.clone(),
            workers: store.clone(),
            run_reader: store.clone(),
            lanes: store.clone(),
            metrics: store.clone(),
            documents: store.clone(),
            reviews: store.clone(),
            proposals: store.clone(),
            links: store.clone(),
            calibration: store.clone(),
            governance: store.clone(),
            credentials: store.clone(),
            sessions: store.clone(),
            installation: store.clone(),
            migrations: store.clone(),
            model_calls: store.clone(),
            search: store.clone(),
            tables: store,
            clock,
        }
    }
}

//! The identity of an installation.

use async_trait::async_trait;
use quire_domain::InstallationId;

use crate::PortResult;

/// The id that a database shares with the storage of its files.
#[async_trait]
pub trait Installation: Send + Sync {
    /// The id of the database, if it has one.
    async fn installation_id(&self) -> PortResult<Option<InstallationId>>;

    /// Gives the database this id, unless it has one. Returns the id that it has then. The id never changes.
    async fn set_installation_id(&self, id: InstallationId) -> PortResult<InstallationId>;
}

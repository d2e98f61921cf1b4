//! API keys of people and programs.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{KeyId, Roles};

use crate::PortResult;

/// A key to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Its identity.
    pub id: KeyId,
    /// The name of its holder. A name is never used twice.
    pub name: String,
    /// What its holder may do.
    pub roles: Roles,
    /// SHA-256 of its secret. The secret has as much entropy as the hash, so a slower hash is not needed.
    pub secret_hash: [u8; 32],
    /// When it was made.
    pub created_at: Timestamp,
}

/// A stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The key as it was created.
    pub key: NewKey,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Stores API keys. Keys are never deleted, because the history names them.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Stores a key. `Conflict` if a key of that name exists or existed.
    async fn create(&self, key: &NewKey) -> PortResult<()>;

    /// The key of that id, even if it was revoked.
    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>>;

    /// All keys, oldest first.
    async fn list(&self) -> PortResult<Vec<ApiKey>>;

    /// Revokes the key of that name or id and returns it. An already revoked key does not change.
    async fn revoke(&self, name_or_id: &str, at: Timestamp) -> PortResult<ApiKey>;

    /// Whether a key was ever created. From then on the server requires authentication.
    async fn any(&self) -> PortResult<bool>;
}

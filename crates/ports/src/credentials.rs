//! Keys that people and programs ask with.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{KeyId, Roles};

use crate::PortResult;

/// A key to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Its identity.
    pub id: KeyId,
    /// Under which its holder is remembered; never given twice.
    pub name: String,
    /// What it is good for.
    pub roles: Roles,
    /// SHA-256 of its secret. The secret has the entropy of the hash, so that nothing slower is needed.
    pub secret_hash: [u8; 32],
    /// When it was made.
    pub created_at: Timestamp,
}

/// A key that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// As it was made.
    pub key: NewKey,
    /// Since when it is good for nothing.
    pub revoked_at: Option<Timestamp>,
}

/// The keys. None is ever forgotten: the history names them.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Keeps a key. `Conflict` if there ever was one of that name.
    async fn create(&self, key: &NewKey) -> PortResult<()>;

    /// The key of that id, also when it was revoked.
    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>>;

    /// All of them, oldest first.
    async fn list(&self) -> PortResult<Vec<ApiKey>>;

    /// Makes the key of that name, or of that id, good for nothing, and answers it. One that was revoked before stays as
    /// it is.
    async fn revoke(&self, name_or_id: &str, at: Timestamp) -> PortResult<ApiKey>;

    /// Whether there ever was a key. A server that once asked who is asking goes on doing so.
    async fn any(&self) -> PortResult<bool>;
}

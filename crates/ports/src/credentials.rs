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
    /// When its secret expires; never without a time.
    pub expires_at: Option<Timestamp>,
}

/// A stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The key as it was created, with its current secret.
    pub key: NewKey,
    /// When it got its current secret, if that is not the first one.
    pub rotated_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Its last recorded use.
    pub last_used_at: Option<Timestamp>,
    /// The secret that it had before its last rotation.
    pub previous: Option<PreviousSecret>,
}

impl ApiKey {
    /// A key that was never used, rotated or revoked.
    pub fn unused(key: NewKey) -> Self {
        Self { key, rotated_at: None, revoked_at: None, last_used_at: None, previous: None }
    }

    /// Whether its secret has expired.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.key.expires_at.is_some_and(|expires_at| expires_at <= now)
    }
}

/// A secret that a rotation replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    /// SHA-256 of the secret.
    pub secret_hash: [u8; 32],
    /// Until when it is still accepted.
    pub until: Timestamp,
}

/// Another secret for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRotation {
    /// The current secret, which is replaced.
    pub replaces: PreviousSecret,
    /// SHA-256 of the new secret.
    pub secret_hash: [u8; 32],
    /// When it replaces the current one.
    pub at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
}

/// Stores API keys. Keys are never deleted, because the history names them.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Stores a key. `Conflict` if a key of that name exists or existed.
    async fn create(&self, key: &NewKey) -> PortResult<()>;

    /// The key of that id, even if it was revoked.
    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>>;

    /// The key of that name or id, even if it was revoked. `NotFound` if there is none.
    async fn named(&self, name_or_id: &str) -> PortResult<ApiKey>;

    /// All keys, oldest first.
    async fn list(&self) -> PortResult<Vec<ApiKey>>;

    /// Gives a key another secret. `Conflict` if it was revoked, or no longer has the secret that is replaced.
    async fn rotate(&self, id: KeyId, rotation: &KeyRotation) -> PortResult<()>;

    /// Revokes the key of that name or id and returns it. An already revoked key does not change.
    async fn revoke(&self, name_or_id: &str, at: Timestamp) -> PortResult<ApiKey>;

    /// Records a use of a key that is not revoked.
    async fn used(&self, id: KeyId, at: Timestamp) -> PortResult<()>;

    /// Whether a key was ever created. From then on the server requires authentication.
    async fn any(&self) -> PortResult<bool>;
}

//! Login sessions of the pages.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::KeyId;

use crate::{ApiKey, PortResult};

/// The credential that began a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionOwner {
    /// An API key. The session ends with the secret that began it.
    Key {
        /// The key.
        id: KeyId,
        /// SHA-256 of the secret that was presented.
        secret_hash: [u8; 32],
    },
    /// The token of the settings. The hash covers this session's secret and that token.
    Token([u8; 32]),
}

/// A login session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the secret in the browser's cookie.
    pub secret_hash: [u8; 32],
    /// The credential that began it.
    pub owner: SessionOwner,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, as of the last recorded use.
    pub seen_at: Timestamp,
    /// When it expires unless it is used again.
    pub expires_at: Timestamp,
}

/// Stores sessions. Expired sessions are deleted.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Stores a session, deletes the session that it replaces, and deletes some expired sessions.
    async fn begin(&self, session: &Session, replaces: Option<[u8; 32]>) -> PortResult<()>;

    /// The session with that hash and the key that began it, as they are. None if the session has expired.
    async fn session(
        &self,
        secret_hash: [u8; 32],
        now: Timestamp,
    ) -> PortResult<Option<(Session, Option<ApiKey>)>>;

    /// Records a use of a session and its new expiry time.
    async fn used(&self, secret_hash: [u8; 32], at: Timestamp, expires_at: Timestamp) -> PortResult<()>;

    /// Deletes a session.
    async fn end(&self, secret_hash: [u8; 32]) -> PortResult<()>;
}

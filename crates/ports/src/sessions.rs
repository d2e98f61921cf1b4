//! Who is logged in on the pages.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::KeyId;

use crate::{ApiKey, PortResult};

/// With what somebody logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionOwner {
    /// A key. When it is revoked, the session is nobody's.
    Key(KeyId),
    /// The token of the settings: a hash that only this session's secret and that token give.
    Token([u8; 32]),
}

/// Somebody who is logged in, for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the secret that the browser keeps.
    pub secret_hash: [u8; 32],
    /// Whose it is.
    pub of: SessionOwner,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last known to be used.
    pub seen_at: Timestamp,
    /// From when on it is over, unless it is used before.
    pub expires_at: Timestamp,
}

/// The sessions. They are as many as there are people at work, and go when they are over.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Keeps a session in place of another one, if one is named, and forgets some that were over before it began.
    async fn begin(&self, session: &Session, replaces: Option<[u8; 32]>) -> PortResult<()>;

    /// The session with that hash and the key that it was begun with. None if it is over, or its key was revoked.
    async fn session(
        &self,
        secret_hash: [u8; 32],
        now: Timestamp,
    ) -> PortResult<Option<(Session, Option<ApiKey>)>>;

    /// Notes that a session was used, and until when it goes on.
    async fn used(&self, secret_hash: [u8; 32], at: Timestamp, expires_at: Timestamp) -> PortResult<()>;

    /// Forgets a session.
    async fn end(&self, secret_hash: [u8; 32]) -> PortResult<()>;
}

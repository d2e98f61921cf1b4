//! Sessions of the pages: a browser exchanges a key for a secret. Only the hash of the secret is stored.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quire_domain::credential::from_hex;
use quire_domain::hex;
use quire_ports::{ApiKey, Clock, NewKey, PortResult, Session, SessionOwner, Sessions, Store};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::credential::{KeyHolder, SecretHash, check};

/// The shortest time between two recorded uses of a session: reading must not cost a commit.
const NOTED_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// Prefixes of hashed secrets, so that a hash for one purpose is useless for another.
const FOR_FORMS: &[u8] = b"quire form";
const FOR_TOKEN: &[u8] = b"quire token";

/// How long a session lasts.
#[derive(Clone, Copy, Debug)]
pub struct SessionSettings {
    /// The time without use after which it ends.
    pub idle: SignedDuration,
    /// The time after which it ends even if it is used.
    pub lifetime: SignedDuration,
}

impl SessionSettings {
    /// The end of a session that began at `began` and is used now.
    fn end(&self, began: Timestamp, now: Timestamp) -> Timestamp {
        let after = |start: Timestamp, time| start.saturating_add(time).unwrap_or(Timestamp::MAX);
        after(now, self.idle).min(after(began, self.lifetime))
    }
}

/// The secret of a session. Only the browser has it.
#[derive(Clone)]
pub struct SessionSecret([u8; 32]);

impl SessionSecret {
    /// Parses a secret as `reveal` writes it.
    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text).map(Self)
    }

    /// The secret as text, for the cookie.
    pub fn reveal(&self) -> String {
        hex(&self.0)
    }

    /// The token that pages of this session send with every change. Other sites cannot know it.
    pub fn form_token(&self) -> String {
        hex(&self.hashed(FOR_FORMS, &[]))
    }

    /// Whether this is the form token, in constant time.
    pub fn is_form_token(&self, given: &str) -> bool {
        self.form_token().as_bytes().ct_eq(given.as_bytes()).into()
    }

    fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    fn hashed(&self, purpose: &[u8], with: &[u8]) -> [u8; 32] {
        Sha256::new().chain_update(purpose).chain_update(self.0).chain_update(with).finalize().into()
    }
}

/// Who uses a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionUse {
    /// A person, who thereby renews it.
    Person,
    /// A page by itself. A browser that nobody uses must not keep its session alive.
    Background,
}

/// The credential of a login.
#[derive(Clone, Copy)]
pub enum LoginCredential<'a> {
    /// An API key, with the secret that was presented.
    Key(&'a NewKey),
    /// The token of the settings.
    Token(&'a SecretHash),
}

/// Begins, finds and ends sessions.
#[derive(Clone)]
pub struct SessionService {
    sessions: Arc<dyn Sessions>,
    clock: Arc<dyn Clock>,
    settings: SessionSettings,
}

impl SessionService {
    /// The sessions of that store.
    pub fn new(store: &Store, settings: SessionSettings) -> Self {
        Self { sessions: store.sessions.clone(), clock: store.clock.clone(), settings }
    }

    /// How long a browser may keep the secret.
    pub fn lifetime(&self) -> SignedDuration {
        self.settings.lifetime
    }

    /// Begins a session that replaces `before`.
    pub async fn begin(
        &self,
        by: LoginCredential<'_>,
        before: Option<&SessionSecret>,
    ) -> PortResult<SessionSecret> {
        let secret = SessionSecret(rand::random());
        let now = self.clock.now();
        let owner = match by {
            LoginCredential::Key(key) => SessionOwner::Key { id: key.id, secret_hash: key.secret_hash },
            LoginCredential::Token(token) => SessionOwner::Token(secret.hashed(FOR_TOKEN, token.bytes())),
        };
        let expires_at = self.settings.end(now, now);
        let session =
            Session { secret_hash: secret.hash(), owner, created_at: now, seen_at: now, expires_at };
        self.sessions.begin(&session, before.map(SessionSecret::hash)).await?;
        Ok(secret)
    }

    /// The holder of a session. None if it has ended, its key no longer accepts the secret that began it, or the token of
    /// the settings has changed.
    pub async fn holder(
        &self,
        secret: &SessionSecret,
        token: Option<&SecretHash>,
        activity: SessionUse,
    ) -> PortResult<Option<KeyHolder>> {
        let now = self.clock.now();
        let Some((session, key)) = self.sessions.session(secret.hash(), now).await? else { return Ok(None) };
        let holder = match (&session.owner, key) {
            (SessionOwner::Key { secret_hash, .. }, key) => {
                let proves = |key: &ApiKey| check(key, &SecretHash::stored(*secret_hash), now).is_ok();
                key.filter(proves).map(|found| KeyHolder::of(found.key))
            }
            (SessionOwner::Token(proof), _) => {
                let proves =
                    |token: &&SecretHash| bool::from(secret.hashed(FOR_TOKEN, token.bytes()).ct_eq(proof));
                token.filter(proves).map(|_| KeyHolder::of_token())
            }
        };
        if holder.is_some() && activity == SessionUse::Person {
            self.note(&session, now).await;
        }
        Ok(holder)
    }

    /// Records the use of a session from time to time. If the write fails, the visitor can still read.
    async fn note(&self, session: &Session, now: Timestamp) {
        let rarely = NOTED_EVERY.min(self.settings.idle / 10);
        if now.duration_since(session.seen_at) < rarely {
            return;
        }
        let expires_at = self.settings.end(session.created_at, now);
        if let Err(error) = self.sessions.used(session.secret_hash, now, expires_at).await {
            tracing::warn!(%error, "session: recording its use failed");
        }
    }

    /// Ends a session.
    pub async fn end(&self, secret: &SessionSecret) -> PortResult<()> {
        self.sessions.end(secret.hash()).await
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;

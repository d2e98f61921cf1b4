//! Logging in on the pages: a secret for the browser, of which only the hash is kept, in exchange for a key.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quire_domain::credential::from_hex;
use quire_domain::{KeyId, hex};
use quire_ports::{Clock, PortResult, Session, SessionOwner, Sessions, Store};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::credential::{KeyHolder, SecretHash};

/// A use is written down when the last one that was is this long ago: reading must not cost a commit.
const NOTED_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// What is hashed with a session's secret, so that no hash can stand for another.
const FOR_FORMS: &[u8] = b"quire form";
const FOR_TOKEN: &[u8] = b"quire token";

/// How long a session lasts.
#[derive(Clone, Copy, Debug)]
pub struct SessionSettings {
    /// Without being used.
    pub idle: SignedDuration,
    /// At most.
    pub lifetime: SignedDuration,
}

impl SessionSettings {
    /// When a session that began then, and is used now, is over.
    fn end(&self, began: Timestamp, now: Timestamp) -> Timestamp {
        let after = |start: Timestamp, time| start.saturating_add(time).unwrap_or(Timestamp::MAX);
        after(now, self.idle).min(after(began, self.lifetime))
    }
}

/// What a browser keeps, and nobody else has.
#[derive(Clone)]
pub struct SessionSecret([u8; 32]);

impl SessionSecret {
    /// The secret that this text is, written as it was given out.
    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text).map(Self)
    }

    /// As the browser gets it.
    pub fn reveal(&self) -> String {
        hex(&self.0)
    }

    /// What pages of this session send back with whatever changes something. Pages of other sites cannot know it.
    pub fn form_token(&self) -> String {
        hex(&self.hashed(FOR_FORMS, &[]))
    }

    /// Whether it is that, in the same time whatever the answer is.
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

/// With what somebody logs in.
#[derive(Clone, Copy)]
pub enum Entry<'a> {
    /// That key.
    Key(KeyId),
    /// The token of the settings.
    Token(&'a SecretHash),
}

/// Begins, finds and ends sessions.
#[derive(Clone)]
pub struct SessionService {
    sessions: Arc<dyn Sessions>,
    clock: Arc<dyn Clock>,
    terms: SessionSettings,
}

impl SessionService {
    /// The sessions of that store.
    pub fn new(store: &Store, terms: SessionSettings) -> Self {
        Self { sessions: store.sessions.clone(), clock: store.clock.clone(), terms }
    }

    /// How long a browser may keep its secret.
    pub fn lifetime(&self) -> SignedDuration {
        self.terms.lifetime
    }

    /// Begins a session with a secret of its own, in place of the one that the browser had.
    pub async fn begin(&self, by: Entry<'_>, before: Option<&SessionSecret>) -> PortResult<SessionSecret> {
        let secret = SessionSecret(rand::random());
        let now = self.clock.now();
        let of = match by {
            Entry::Key(id) => SessionOwner::Key(id),
            Entry::Token(token) => SessionOwner::Token(secret.hashed(FOR_TOKEN, token.bytes())),
        };
        let expires_at = self.terms.end(now, now);
        let session = Session { secret_hash: secret.hash(), of, created_at: now, seen_at: now, expires_at };
        self.sessions.begin(&session, before.map(SessionSecret::hash)).await?;
        Ok(secret)
    }

    /// Whose session this is. Nobody's, if it is over, its key was revoked, or the token of the settings is another.
    pub async fn holder(
        &self,
        secret: &SessionSecret,
        token: Option<&SecretHash>,
    ) -> PortResult<Option<KeyHolder>> {
        let now = self.clock.now();
        let Some((session, key)) = self.sessions.session(secret.hash(), now).await? else { return Ok(None) };
        let holder = match (&session.of, key) {
            (SessionOwner::Key(_), key) => key.map(|found| KeyHolder::of(found.key)),
            (SessionOwner::Token(proof), _) => {
                let proves =
                    |token: &&SecretHash| bool::from(secret.hashed(FOR_TOKEN, token.bytes()).ct_eq(proof));
                token.filter(proves).map(|_| KeyHolder::of_token())
            }
        };
        if holder.is_some() {
            self.note(&session, now).await;
        }
        Ok(holder)
    }

    /// Writes down that it was used, now and then. Whoever only reads is not kept from it by a database that takes nothing.
    async fn note(&self, session: &Session, now: Timestamp) {
        let rarely = NOTED_EVERY.min(self.terms.idle / 10);
        if now.duration_since(session.seen_at) < rarely {
            return;
        }
        let expires_at = self.terms.end(session.created_at, now);
        if let Err(error) = self.sessions.used(session.secret_hash, now, expires_at).await {
            tracing::warn!(%error, "the use of a session could not be noted");
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

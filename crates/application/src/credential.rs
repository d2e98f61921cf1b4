//! API keys and the token of the settings: creating keys, and finding the holder of a presented credential.

use std::sync::Arc;

use jiff::SignedDuration;
use quire_domain::credential::check_key_name;
use quire_domain::{KeyId, PlaintextKey, Roles};
use quire_ports::{Credentials, NewKey, PortError, PortResult, Store};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::Result;
use crate::session::{Entry, SessionSecret, SessionService, SessionUse};

/// The name of the holder of the settings' token.
const TOKEN_NAME: &str = "auth-token";

/// The hash of a secret, for storing and comparing.
#[derive(Clone)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Hashes a secret.
    pub fn of(secret: &[u8]) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// The bytes of the hash.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether it is the hash of `secret`, in constant time.
    pub fn is_of(&self, secret: &[u8]) -> bool {
        self.0.ct_eq(&Self::of(secret).0).into()
    }
}

/// The holder of a valid credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    /// The name of the key.
    pub name: String,
    /// The roles of the key.
    pub roles: Roles,
}

impl KeyHolder {
    /// The holder of that key.
    pub fn of(key: NewKey) -> Self {
        Self { name: key.name, roles: key.roles }
    }

    /// The holder of the settings' token.
    pub fn of_token() -> Self {
        Self { name: TOKEN_NAME.to_owned(), roles: Roles::admin() }
    }
}

/// Creates a key. Its text is in the result and is not stored.
pub async fn create(store: &Store, name: &str, roles: Roles) -> PortResult<PlaintextKey> {
    check_key_name(name).map_err(PortError::Conflict)?;
    let key = PlaintextKey { id: KeyId::new(), secret: rand::random() };
    let kept = NewKey {
        id: key.id,
        name: name.to_owned(),
        roles,
        secret_hash: SecretHash::of(&key.secret).0,
        created_at: store.clock.now(),
    };
    store.credentials.create(&kept).await?;
    Ok(key)
}

/// Why a presented key is refused. For the log: a client does not learn it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    /// There is no such key, or it has another secret.
    Unknown,
    /// It was revoked.
    Revoked,
}

/// The key of a presented text, or why it is refused. The time taken does not tell which.
pub async fn proved(
    credentials: &dyn Credentials,
    presented: &str,
) -> PortResult<Result<NewKey, KeyRefusal>> {
    let Some(presented) = PlaintextKey::parse(presented) else { return Ok(Err(KeyRefusal::Unknown)) };
    let found = credentials.find(presented.id).await?;
    let kept = found.as_ref().map_or([0; 32], |found| found.key.secret_hash);
    let is_proved = SecretHash(kept).is_of(&presented.secret);
    Ok(match found.filter(|_| is_proved) {
        None => Err(KeyRefusal::Unknown),
        Some(found) if found.revoked_at.is_some() => Err(KeyRefusal::Revoked),
        Some(found) => Ok(found.key),
    })
}

/// Finds out who presents a credential: an API key, the token of the settings, or a session of the pages.
pub struct Authenticator {
    credentials: Arc<dyn Credentials>,
    token: Option<SecretHash>,
    sessions: Option<SessionService>,
}

impl Authenticator {
    /// Accepts the keys of that store, and the token if there is one.
    pub fn new(credentials: Arc<dyn Credentials>, token: Option<&str>) -> Self {
        let token = token.map(|token| SecretHash::of(token.as_bytes()));
        Self { credentials, token, sessions: None }
    }

    /// The same with sessions, for servers that have pages to log in on.
    #[must_use]
    pub fn with_sessions(self, sessions: SessionService) -> Self {
        Self { sessions: Some(sessions), ..self }
    }

    /// Whether the settings have a token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Whether any key was ever created. Revoked keys count.
    pub async fn has_keys(&self) -> Result<bool> {
        Ok(self.credentials.any().await?)
    }

    /// The holder of a key or of the token, or why it is refused.
    pub async fn holder(&self, presented: &str) -> Result<Result<KeyHolder, KeyRefusal>> {
        if self.presented_token(presented).is_some() {
            return Ok(Ok(KeyHolder::of_token()));
        }
        Ok(proved(&*self.credentials, presented).await?.map(KeyHolder::of))
    }

    /// The holder of a session that has not ended.
    pub async fn session_holder(
        &self,
        secret: &SessionSecret,
        activity: SessionUse,
    ) -> Result<Option<KeyHolder>> {
        match &self.sessions {
            Some(sessions) => Ok(sessions.holder(secret, self.token.as_ref(), activity).await?),
            None => Ok(None),
        }
    }

    /// Exchanges a key or the token for a new session that replaces `before`: the holder's name and the session's secret.
    pub async fn log_in(
        &self,
        presented: &str,
        before: Option<&SessionSecret>,
    ) -> Result<Option<(String, SessionSecret)>> {
        let Some(sessions) = &self.sessions else { return Ok(None) };
        if let Some(token) = self.presented_token(presented) {
            let secret = sessions.begin(Entry::Token(token), before).await?;
            return Ok(Some((KeyHolder::of_token().name, secret)));
        }
        let Ok(key) = proved(&*self.credentials, presented).await? else { return Ok(None) };
        let secret = sessions.begin(Entry::Key(key.id), before).await?;
        Ok(Some((key.name, secret)))
    }

    /// Ends a session.
    pub async fn log_out(&self, secret: &SessionSecret) -> Result<()> {
        match &self.sessions {
            Some(sessions) => Ok(sessions.end(secret).await?),
            None => Ok(()),
        }
    }

    /// How long a browser may keep the secret of a session.
    pub fn session_lifetime(&self) -> SignedDuration {
        self.sessions.as_ref().map_or(SignedDuration::ZERO, SessionService::lifetime)
    }

    fn presented_token(&self, presented: &str) -> Option<&SecretHash> {
        self.token.as_ref().filter(|token| token.is_of(presented.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use quire_sqlite::testing::store_fixture;

    use super::*;

    /// Proves R077 for keys.
    #[tokio::test]
    async fn only_a_created_key_that_is_not_revoked_has_a_holder() {
        let fixture = store_fixture().await;
        let credentials = &*fixture.store.credentials;
        let key = create(&fixture.store, "scanner", Roles::parse("operate").unwrap()).await.unwrap();
        let other = create(&fixture.store, "other", Roles::admin()).await.unwrap();
        let holder_of =
            async |text: String| proved(credentials, &text).await.unwrap().map(|found| found.name);
        assert_eq!(holder_of(key.reveal()).await.as_deref(), Ok("scanner"));
        let swapped = PlaintextKey { id: key.id, secret: other.secret };
        let unknown = PlaintextKey { id: KeyId::new(), secret: key.secret };
        for wrong in [swapped.reveal(), unknown.reveal(), "scanner".to_owned(), String::new()] {
            assert_eq!(holder_of(wrong).await, Err(KeyRefusal::Unknown));
        }
        let kept = credentials.find(key.id).await.unwrap().unwrap();
        assert_ne!(kept.key.secret_hash, key.secret, "the secret itself is not kept");
        credentials.revoke("scanner", fixture.store.clock.now()).await.unwrap();
        assert_eq!(holder_of(key.reveal()).await, Err(KeyRefusal::Revoked));
        assert!(matches!(create(&fixture.store, "local", Roles::admin()).await, Err(PortError::Conflict(_))));
    }
}

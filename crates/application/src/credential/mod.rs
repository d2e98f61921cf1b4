//! API keys and the token of the settings: finding the holder of a presented credential.

mod keys;
mod last_use;

use std::sync::Arc;

use jiff::SignedDuration;
use quire_domain::{KeyId, Roles};
use quire_ports::{Clock, Credentials, NewKey};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

pub(crate) use self::keys::check;
pub use self::keys::{KeyRefusal, RotationSettings, create, prove, revoke, rotate};
use self::last_use::LastUses;
use crate::Result;
use crate::session::{LoginCredential, SessionSecret, SessionService, SessionUse};

/// The name of the holder of the settings' token.
const TOKEN_NAME: &str = "auth-token";

/// The name of a client on this machine that needed no credential.
pub const LOCAL_NAME: &str = "local";

/// Whether a client of that name, which no key has, is the operator: on this machine without a credential, or with the token
/// of the settings.
pub(crate) fn is_operator(name: &str) -> bool {
    matches!(name, LOCAL_NAME | TOKEN_NAME)
}

/// The hash of a secret, for storing and comparing.
#[derive(Clone)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Hashes a secret.
    pub fn of(secret: &[u8]) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// A hash that was stored.
    pub(crate) fn stored(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// The bytes of the hash.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether it is the hash of `secret`, in constant time.
    pub fn is_of(&self, secret: &[u8]) -> bool {
        Self::of(secret).equals(&self.0)
    }

    /// Whether the hashes are equal, in constant time.
    fn equals(&self, stored: &[u8; 32]) -> bool {
        self.0.ct_eq(stored).into()
    }
}

/// The holder of a valid credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    /// The key; none for the settings' token.
    pub key: Option<KeyId>,
    /// The name of the key.
    pub name: String,
    /// The roles of the key.
    pub roles: Roles,
}

impl KeyHolder {
    /// The holder of that key.
    pub fn of(key: NewKey) -> Self {
        Self { key: Some(key.id), name: key.name, roles: key.roles }
    }

    /// The holder of the settings' token.
    pub fn of_token() -> Self {
        Self { key: None, name: TOKEN_NAME.to_owned(), roles: Roles::admin() }
    }
}

/// Finds out who presents a credential: an API key, the token of the settings, or a session of the pages.
pub struct Authenticator {
    credentials: Arc<dyn Credentials>,
    clock: Arc<dyn Clock>,
    last_uses: LastUses,
    token: Option<SecretHash>,
    sessions: Option<SessionService>,
}

impl Authenticator {
    /// Accepts the keys of that store, and the token if there is one.
    pub fn new(credentials: Arc<dyn Credentials>, clock: Arc<dyn Clock>, token: Option<&str>) -> Self {
        let token = token.map(|token| SecretHash::of(token.as_bytes()));
        Self { credentials, clock, last_uses: LastUses::default(), token, sessions: None }
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
        let proved = prove(&*self.credentials, presented, self.clock.now()).await?;
        Ok(proved.map(|key| self.recorded(KeyHolder::of(key))))
    }

    /// Records that the holder's key was used.
    fn recorded(&self, holder: KeyHolder) -> KeyHolder {
        if let Some(key) = holder.key {
            self.last_uses.record(&self.credentials, key, self.clock.now());
        }
        holder
    }

    /// The holder of a session that has not ended.
    pub async fn session_holder(
        &self,
        secret: &SessionSecret,
        activity: SessionUse,
    ) -> Result<Option<KeyHolder>> {
        let Some(sessions) = &self.sessions else { return Ok(None) };
        let holder = sessions.holder(secret, self.token.as_ref(), activity).await?;
        Ok(match activity {
            SessionUse::Person => holder.map(|holder| self.recorded(holder)),
            SessionUse::Background => holder,
        })
    }

    /// Exchanges a key or the token for a new session that replaces `before`: the holder's name and the session's secret.
    pub async fn log_in(
        &self,
        presented: &str,
        before: Option<&SessionSecret>,
    ) -> Result<Result<(String, SessionSecret), KeyRefusal>> {
        let Some(sessions) = &self.sessions else { return Ok(Err(KeyRefusal::Unknown)) };
        if let Some(token) = self.presented_token(presented) {
            let secret = sessions.begin(LoginCredential::Token(token), before).await?;
            return Ok(Ok((KeyHolder::of_token().name, secret)));
        }
        let key = match prove(&*self.credentials, presented, self.clock.now()).await? {
            Ok(key) => key,
            Err(refused) => return Ok(Err(refused)),
        };
        let secret = sessions.begin(LoginCredential::Key(&key), before).await?;
        Ok(Ok((key.name, secret)))
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

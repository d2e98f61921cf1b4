//! Making keys, and telling whose a presented one is.

use quire_domain::credential::check_key_name;
use quire_domain::{KeyId, PlaintextKey, Roles};
use quire_ports::{Credentials, NewKey, PortError, PortResult, Store};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Under which name the holder of the settings' token is remembered.
const TOKEN_NAME: &str = "auth-token";

/// The hash of a secret, as it is kept and compared.
#[derive(Clone)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Of these bytes.
    pub fn of(secret: &[u8]) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// Itself.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether it is the hash of `secret`, in the same time whatever the answer is.
    pub fn is_of(&self, secret: &[u8]) -> bool {
        self.0.ct_eq(&Self::of(secret).0).into()
    }
}

/// Whoever holds a key that is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    /// The name of the key.
    pub name: String,
    /// What it is good for.
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

/// Makes a key. Its text is in the answer and nowhere else.
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

/// Whose key this is. Nobody's, if it is unknown, revoked, or has another secret; how long that takes to find out does not
/// tell which.
pub async fn holder(credentials: &dyn Credentials, presented: &str) -> PortResult<Option<KeyHolder>> {
    Ok(proved(credentials, presented).await?.map(KeyHolder::of))
}

/// The key that this is, under the same conditions.
pub async fn proved(credentials: &dyn Credentials, presented: &str) -> PortResult<Option<NewKey>> {
    let Some(presented) = PlaintextKey::parse(presented) else { return Ok(None) };
    let found = credentials.find(presented.id).await?;
    let kept = found.as_ref().map_or([0; 32], |found| found.key.secret_hash);
    let is_proved = SecretHash(kept).is_of(&presented.secret);
    let good = found.filter(|found| is_proved && found.revoked_at.is_none());
    Ok(good.map(|found| found.key))
}

#[cfg(test)]
mod tests {
    use quire_sqlite::testing::bed;

    use super::*;

    /// Proves R077 for keys.
    #[tokio::test]
    async fn only_the_very_key_that_was_made_and_not_revoked_is_somebodys() {
        let bed = bed().await;
        let credentials = &*bed.store.credentials;
        let key = create(&bed.store, "scanner", Roles::parse("operate").unwrap()).await.unwrap();
        let other = create(&bed.store, "other", Roles::admin()).await.unwrap();
        let holder_of =
            async |text: String| holder(credentials, &text).await.unwrap().map(|found| found.name);
        assert_eq!(holder_of(key.reveal()).await.as_deref(), Some("scanner"));
        let swapped = PlaintextKey { id: key.id, secret: other.secret };
        let unknown = PlaintextKey { id: KeyId::new(), secret: key.secret };
        for wrong in [swapped.reveal(), unknown.reveal(), "scanner".to_owned(), String::new()] {
            assert_eq!(holder_of(wrong).await, None);
        }
        let kept = credentials.find(key.id).await.unwrap().unwrap();
        assert_ne!(kept.key.secret_hash, key.secret, "the secret itself is not kept");
        credentials.revoke("scanner", bed.store.clock.now()).await.unwrap();
        assert_eq!(holder_of(key.reveal()).await, None);
        assert!(matches!(create(&bed.store, "local", Roles::admin()).await, Err(PortError::Conflict(_))));
    }
}

//! Keys: creating, rotating and revoking them, and checking the secret that a client presents.

use jiff::{SignedDuration, Timestamp};
use quire_domain::credential::check_key_name;
use quire_domain::{KeyId, PlaintextKey, Roles};
use quire_ports::{ApiKey, Credentials, KeyRotation, NewKey, PortError, PortResult, PreviousSecret, Store};

use super::SecretHash;

/// Creates a key that expires after some time, or never. Its text is in the result and is not stored.
pub async fn create(
    store: &Store,
    name: &str,
    roles: Roles,
    expires_in: Option<SignedDuration>,
) -> PortResult<PlaintextKey> {
    check_key_name(name).map_err(PortError::Conflict)?;
    let key = PlaintextKey { id: KeyId::new(), secret: rand::random() };
    let now = store.clock.now();
    let kept = NewKey {
        id: key.id,
        name: name.to_owned(),
        roles,
        secret_hash: SecretHash::of(&key.secret).0,
        created_at: now,
        expires_at: expires_in.map(|time| after(now, time)),
    };
    store.credentials.create(&kept).await?;
    Ok(key)
}

/// Revokes a key permanently. Its name cannot be used again.
pub async fn revoke(store: &Store, name_or_id: &str) -> PortResult<ApiKey> {
    store.credentials.revoke(name_or_id, store.clock.now()).await
}

/// How long the secrets of a rotated key last.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotationSettings {
    /// How long the old secret still works.
    pub keep_old: SignedDuration,
    /// When the new one expires. Without a time it lasts as long as the old one was given for.
    pub expires_in: Option<SignedDuration>,
}

/// Gives a key a new secret. Its name and roles stay, so that the history goes on naming the same person. Returns the key
/// as it is now, and its new text, which is not stored.
pub async fn rotate(
    store: &Store,
    name_or_id: &str,
    settings: RotationSettings,
) -> PortResult<(ApiKey, PlaintextKey)> {
    let found = store.credentials.named(name_or_id).await?;
    let old = &found.key;
    if found.revoked_at.is_some() {
        let message = format!("the key {} is revoked for good; create one with another name", old.name);
        return Err(PortError::Conflict(message));
    }
    let now = store.clock.now();
    let lifetime = old.expires_at.map(|end| end.duration_since(found.rotated_at.unwrap_or(old.created_at)));
    // Keeping the old secret must not prolong it.
    let until = after(now, settings.keep_old).min(old.expires_at.unwrap_or(Timestamp::MAX));
    let new = PlaintextKey { id: old.id, secret: rand::random() };
    let rotation = KeyRotation {
        replaces: PreviousSecret { secret_hash: old.secret_hash, until },
        secret_hash: SecretHash::of(&new.secret).0,
        at: now,
        expires_at: settings.expires_in.or(lifetime).map(|time| after(now, time)),
    };
    store.credentials.rotate(old.id, &rotation).await?;
    Ok((store.credentials.named(name_or_id).await?, new))
}

fn after(now: Timestamp, time: SignedDuration) -> Timestamp {
    now.saturating_add(time).unwrap_or(Timestamp::MAX)
}

/// Why a presented key is refused. The name of its holder is known if the secret was once right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    /// There is no such key, or it never had this secret.
    Unknown,
    /// The key of this holder was revoked.
    Revoked(String),
    /// The secret of this holder has expired.
    Expired(String),
    /// The key of this holder has another secret now.
    Replaced(String),
}

/// The key of a presented text with the hash of the presented secret, or why it is refused.
pub async fn prove(
    credentials: &dyn Credentials,
    presented: &str,
    now: Timestamp,
) -> PortResult<Result<NewKey, KeyRefusal>> {
    let Some(presented) = PlaintextKey::parse(presented) else { return Ok(Err(KeyRefusal::Unknown)) };
    let secret = SecretHash::of(&presented.secret);
    let Some(found) = credentials.find(presented.id).await? else { return Ok(Err(KeyRefusal::Unknown)) };
    Ok(check(&found, &secret, now).map(|()| NewKey { secret_hash: secret.0, ..found.key }))
}

/// Whether a secret of that hash still proves the key: for requests with the key, and for sessions that began with it.
pub(crate) fn check(found: &ApiKey, secret: &SecretHash, now: Timestamp) -> Result<(), KeyRefusal> {
    let name = || found.key.name.clone();
    let is_current = secret.equals(&found.key.secret_hash);
    let previous = found.previous.filter(|previous| secret.equals(&previous.secret_hash));
    match previous {
        None if !is_current => Err(KeyRefusal::Unknown),
        _ if found.revoked_at.is_some() => Err(KeyRefusal::Revoked(name())),
        Some(previous) if previous.until <= now => Err(KeyRefusal::Replaced(name())),
        None if found.has_expired(now) => Err(KeyRefusal::Expired(name())),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quire_ports::Clock as _;
    use quire_sqlite::testing::store_fixture;
    use quire_testkit::FakeClock;

    use super::*;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);
    const DAY: SignedDuration = SignedDuration::from_hours(24);

    async fn holder(store: &Store, text: &str) -> Result<String, KeyRefusal> {
        prove(&*store.credentials, text, store.clock.now()).await.unwrap().map(|found| found.name)
    }

    /// Proves R077 for keys.
    #[tokio::test]
    async fn only_a_created_key_that_is_not_revoked_has_a_holder() {
        let fixture = store_fixture().await;
        let store = &fixture.store;
        let key = create(store, "scanner", Roles::parse("operate").unwrap(), None).await.unwrap();
        let other = create(store, "other", Roles::admin(), None).await.unwrap();
        assert_eq!(holder(store, &key.reveal()).await.as_deref(), Ok("scanner"));
        let swapped = PlaintextKey { id: key.id, secret: other.secret };
        let unknown = PlaintextKey { id: KeyId::new(), secret: key.secret };
        for wrong in [swapped.reveal(), unknown.reveal(), "scanner".to_owned(), String::new()] {
            assert_eq!(holder(store, &wrong).await, Err(KeyRefusal::Unknown));
        }
        let kept = store.credentials.find(key.id).await.unwrap().unwrap();
        assert_ne!(kept.key.secret_hash, key.secret, "the secret itself is not kept");
        store.credentials.revoke("scanner", store.clock.now()).await.unwrap();
        assert_eq!(holder(store, &key.reveal()).await, Err(KeyRefusal::Revoked("scanner".to_owned())));
        assert_eq!(holder(store, &swapped.reveal()).await, Err(KeyRefusal::Unknown), "it proves nothing");
        let reserved = create(store, "local", Roles::admin(), None).await;
        assert!(matches!(reserved, Err(PortError::Conflict(_))), "{reserved:?}");
    }

    /// Proves R077 for keys that expire or get another secret: the name of their holder stays.
    #[tokio::test]
    async fn a_key_expires_and_a_rotation_renews_it_under_the_same_name() {
        let (fixture, clock) = (store_fixture().await, FakeClock::at(Timestamp::UNIX_EPOCH));
        let store = &Store { clock: Arc::new(clock.clone()), ..fixture.store.clone() };
        let alma = || "alma".to_owned();
        let first = create(store, "alma", Roles::parse("read").unwrap(), Some(DAY)).await.unwrap();
        clock.advance(DAY - HOUR);
        let keep_old = RotationSettings { keep_old: HOUR / 2, expires_in: None };
        let (rotated, second) = rotate(store, "alma", keep_old).await.unwrap();
        assert_eq!((second.id, rotated.key.name.as_str()), (first.id, "alma"));
        assert_eq!(rotated.key.expires_at, Some(after(clock.now(), DAY)), "it lasts as long as the first");
        assert_ne!(first.secret, second.secret);
        for key in [&first, &second] {
            assert_eq!(holder(store, &key.reveal()).await, Ok(alma()), "both work for half an hour");
        }
        clock.advance(HOUR / 2);
        assert_eq!(holder(store, &first.reveal()).await, Err(KeyRefusal::Replaced(alma())));
        assert_eq!(holder(store, &second.reveal()).await, Ok(alma()));

        clock.advance(DAY);
        assert_eq!(holder(store, &second.reveal()).await, Err(KeyRefusal::Expired(alma())));
        let generous = RotationSettings { keep_old: DAY, expires_in: Some(HOUR) };
        let (_, third) = rotate(store, &first.id.to_string(), generous).await.unwrap();
        assert_eq!(holder(store, &third.reveal()).await, Ok(alma()), "an expired key can be renewed");
        assert_eq!(
            holder(store, &second.reveal()).await,
            Err(KeyRefusal::Replaced(alma())),
            "an expired secret stays expired"
        );
        assert_eq!(holder(store, &first.reveal()).await, Err(KeyRefusal::Unknown), "only one is remembered");

        store.credentials.revoke("alma", clock.now()).await.unwrap();
        assert_eq!(holder(store, &third.reveal()).await, Err(KeyRefusal::Revoked(alma())));
        let refused = rotate(store, "alma", keep_old).await;
        assert!(
            matches!(&refused, Err(PortError::Conflict(message)) if message.contains("alma")),
            "{refused:?}"
        );
        assert!(matches!(rotate(store, "nobody", keep_old).await, Err(PortError::NotFound(_))));
    }
}

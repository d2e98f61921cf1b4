//! API keys.

use quire_domain::{KeyId, Roles};
use quire_ports::{ApiKey, KeyRotation, NewKey, PortError, PreviousSecret};

use crate::fixture::{StoreFixture, at};

fn key(name: &str) -> NewKey {
    NewKey {
        id: KeyId::new(),
        name: name.to_owned(),
        roles: Roles::parse("operate,review").unwrap(),
        secret_hash: [7; 32],
        created_at: at(1),
        expires_at: None,
    }
}

/// A key is returned as it was created. A second key with the same name is refused.
pub async fn a_key_is_found_by_id_and_its_name_is_unique(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    assert_eq!((credentials.any().await, credentials.list().await), (Ok(false), Ok(Vec::new())));
    let first = key("scanner");
    credentials.create(&first).await.unwrap();
    let found = ApiKey::unused(first.clone());
    assert_eq!(credentials.find(first.id).await, Ok(Some(found.clone())));
    assert_eq!(credentials.find(KeyId::new()).await, Ok(None));
    for name_or_id in ["scanner", &first.id.to_string()] {
        assert_eq!(credentials.named(name_or_id).await, Ok(found.clone()));
    }
    assert!(matches!(credentials.named("nobody").await, Err(PortError::NotFound(_))));
    let second = credentials.create(&key("scanner")).await;
    assert!(
        matches!(&second, Err(PortError::Conflict(message)) if message.contains("scanner")),
        "{second:?}"
    );
    let other = NewKey { created_at: at(2), expires_at: Some(at(9)), ..key("reviewer") };
    credentials.create(&other).await.unwrap();
    let listed = credentials.list().await.unwrap();
    assert_eq!(listed, [found, ApiKey::unused(other)], "oldest first");
    assert_eq!(credentials.any().await, Ok(true));
}

/// Proves R077 in the store: a revoked key still exists, so revoking the last key does not open the API.
pub async fn a_key_is_revoked_by_name_or_id_and_never_deleted(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    let (by_name, by_id) = (key("by-name"), key("by-id"));
    for key in [&by_name, &by_id] {
        credentials.create(key).await.unwrap();
    }
    let revoked = credentials.revoke("by-name", at(5)).await.unwrap();
    assert_eq!(revoked, ApiKey { revoked_at: Some(at(5)), ..ApiKey::unused(by_name.clone()) });
    assert_eq!(
        credentials.revoke("by-name", at(6)).await,
        Ok(revoked.clone()),
        "revoking again changes nothing"
    );
    assert_eq!(credentials.find(by_name.id).await, Ok(Some(revoked)));
    credentials.revoke(&by_id.id.to_string(), at(7)).await.unwrap();
    let revoked: Vec<_> = credentials.list().await.unwrap().into_iter().map(|key| key.revoked_at).collect();
    assert_eq!(revoked, [Some(at(5)), Some(at(7))]);
    for unknown in ["nobody", "", &KeyId::new().to_string()] {
        let missing = credentials.revoke(unknown, at(8)).await;
        assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    }
    assert_eq!(credentials.any().await, Ok(true));
    let reused = credentials.create(&key("by-name")).await;
    assert!(
        matches!(reused, Err(PortError::Conflict(_))),
        "the name of a revoked key stays reserved: {reused:?}"
    );
}

/// A rotation changes the secret and its end, and nothing else. It replaces only the secret that the caller saw.
pub async fn a_rotation_replaces_a_secret_once_and_keeps_the_holder(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    let first = key("alma");
    credentials.create(&first).await.unwrap();
    let rotation = KeyRotation {
        replaces: PreviousSecret { secret_hash: [7; 32], until: at(50) },
        secret_hash: [8; 32],
        at: at(40),
        expires_at: Some(at(90)),
    };
    credentials.rotate(first.id, &rotation).await.unwrap();
    let key = NewKey { secret_hash: [8; 32], expires_at: Some(at(90)), ..first.clone() };
    let previous = Some(rotation.replaces);
    let rotated = ApiKey { rotated_at: Some(at(40)), previous, ..ApiKey::unused(key) };
    assert_eq!(credentials.named("alma").await, Ok(rotated.clone()));
    let again = credentials.rotate(first.id, &KeyRotation { secret_hash: [9; 32], ..rotation }).await;
    assert!(matches!(again, Err(PortError::Conflict(_))), "another rotation came first: {again:?}");
    assert_eq!(credentials.find(first.id).await, Ok(Some(rotated)));
    credentials.revoke("alma", at(60)).await.unwrap();
    let replaces = PreviousSecret { secret_hash: [8; 32], until: at(61) };
    let revoked = credentials.rotate(first.id, &KeyRotation { replaces, ..rotation }).await;
    assert!(matches!(revoked, Err(PortError::Conflict(_))), "it is revoked: {revoked:?}");
}

/// The last use of a key never goes back, and ends with the key.
pub async fn the_last_use_of_a_key_is_recorded(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    let key = key("alma");
    credentials.create(&key).await.unwrap();
    let last_use = async || credentials.find(key.id).await.unwrap().unwrap().last_used_at;
    for (used, recorded) in [(20, 20), (30, 30), (25, 30)] {
        credentials.used(key.id, at(used)).await.unwrap();
        assert_eq!(last_use().await, Some(at(recorded)));
    }
    credentials.revoke("alma", at(40)).await.unwrap();
    credentials.used(key.id, at(50)).await.unwrap();
    assert_eq!(last_use().await, Some(at(30)), "a revoked key is not used");
}

/// Proves R077 in the database.
pub async fn the_database_refuses_to_delete_or_change_a_key(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    credentials.create(&key("scanner")).await.unwrap();
    let changes =
        ["DELETE FROM api_keys", "UPDATE api_keys SET roles = 'admin'", "UPDATE api_keys SET name = 'x'"];
    fixture.assert_refused(&changes, "key").await;
    credentials.revoke("scanner", at(5)).await.unwrap();
    for change in ["revoked_at = NULL", "secret_hash = previous_hash", "expires_at = NULL"] {
        let revived = fixture.sql.execute(&format!("UPDATE api_keys SET {change}")).await;
        assert!(revived.is_err(), "{change}: {revived:?}");
    }
}

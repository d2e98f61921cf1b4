//! Keys that people and programs ask with.

use quire_domain::{KeyId, Roles};
use quire_ports::{ApiKey, NewKey, PortError};

use crate::fixture::{StoreFixture, at};

fn key(name: &str) -> NewKey {
    NewKey {
        id: KeyId::new(),
        name: name.to_owned(),
        roles: Roles::parse("operate,review").unwrap(),
        secret_hash: [7; 32],
        created_at: at(1),
    }
}

/// What was kept comes back, and a name is given once.
pub async fn a_key_is_found_by_its_id_and_its_name_is_given_once(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    assert_eq!((credentials.any().await, credentials.list().await), (Ok(false), Ok(Vec::new())));
    let first = key("scanner");
    credentials.create(&first).await.unwrap();
    let found = ApiKey { key: first.clone(), revoked_at: None };
    assert_eq!(credentials.find(first.id).await, Ok(Some(found.clone())));
    assert_eq!(credentials.find(KeyId::new()).await, Ok(None));
    let second = credentials.create(&key("scanner")).await;
    assert!(matches!(&second, Err(PortError::Conflict(said)) if said.contains("scanner")), "{second:?}");
    let other = NewKey { created_at: at(2), ..key("reviewer") };
    credentials.create(&other).await.unwrap();
    let listed = credentials.list().await.unwrap();
    assert_eq!(listed, [found, ApiKey { key: other, revoked_at: None }], "oldest first");
    assert_eq!(credentials.any().await, Ok(true));
}

/// Proves R077 for what is stored: revoking the last key does not make it as if there had been none.
pub async fn a_key_is_revoked_once_by_name_or_id_and_never_forgotten(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    let (by_name, by_id) = (key("by-name"), key("by-id"));
    for key in [&by_name, &by_id] {
        credentials.create(key).await.unwrap();
    }
    let revoked = credentials.revoke("by-name", at(5)).await.unwrap();
    assert_eq!(revoked, ApiKey { key: by_name.clone(), revoked_at: Some(at(5)) });
    assert_eq!(credentials.revoke("by-name", at(6)).await, Ok(revoked.clone()), "it stays as it was");
    assert_eq!(credentials.find(by_name.id).await, Ok(Some(revoked)));
    credentials.revoke(&by_id.id.to_string(), at(7)).await.unwrap();
    let ended: Vec<_> = credentials.list().await.unwrap().into_iter().map(|key| key.revoked_at).collect();
    assert_eq!(ended, [Some(at(5)), Some(at(7))]);
    for unknown in ["nobody", "", &KeyId::new().to_string()] {
        let missing = credentials.revoke(unknown, at(8)).await;
        assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    }
    assert_eq!(credentials.any().await, Ok(true));
    let taken = credentials.create(&key("by-name")).await;
    assert!(matches!(taken, Err(PortError::Conflict(_))), "the history goes on naming it: {taken:?}");
}

/// Proves R077 in the database.
pub async fn the_database_itself_refuses_to_forget_or_change_a_key(fixture: &StoreFixture) {
    let credentials = &fixture.store.credentials;
    credentials.create(&key("scanner")).await.unwrap();
    for statement in ["DELETE FROM api_keys", "UPDATE api_keys SET roles = 'admin'"] {
        let done = fixture.sql.execute(statement).await;
        assert!(done.as_ref().is_err_and(|said| said.contains("key")), "{statement}: {done:?}");
    }
    credentials.revoke("scanner", at(5)).await.unwrap();
    let revived = fixture.sql.execute("UPDATE api_keys SET revoked_at = NULL").await;
    assert!(revived.is_err(), "{revived:?}");
}

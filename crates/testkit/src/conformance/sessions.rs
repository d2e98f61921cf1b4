//! Login sessions.

use quire_domain::{KeyId, Roles};
use quire_ports::{ApiKey, NewKey, Session, SessionOwner};

use crate::fixture::{StoreFixture, at};

pub(super) async fn create_key(fixture: &StoreFixture, name: &str) -> NewKey {
    let (id, roles) = (KeyId::new(), Roles::parse("operate,review").unwrap());
    let (name, secret_hash) = (name.to_owned(), [7; 32]);
    let key = NewKey { id, name, roles, secret_hash, created_at: at(0), expires_at: None };
    fixture.store.credentials.create(&key).await.unwrap();
    key
}

pub(super) fn owner(key: &NewKey) -> SessionOwner {
    SessionOwner::Key { id: key.id, secret_hash: key.secret_hash }
}

/// A session that lasts from second 1 to second 10.
pub(super) fn session(secret: u8, owner: SessionOwner) -> Session {
    Session { secret_hash: [secret; 32], owner, created_at: at(1), seen_at: at(1), expires_at: at(10) }
}

/// A session is found with its key until it expires or is ended.
pub async fn a_session_is_found_with_its_key_until_it_expires(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    let key = create_key(fixture, "alma").await;
    let (by_key, by_token) = (session(1, owner(&key)), session(2, SessionOwner::Token([9; 32])));
    for session in [&by_key, &by_token] {
        sessions.begin(session, None).await.unwrap();
    }
    let found = (by_key, Some(ApiKey::unused(key)));
    assert_eq!(sessions.session([1; 32], at(9)).await, Ok(Some(found.clone())));
    assert_eq!(sessions.session([2; 32], at(9)).await, Ok(Some((by_token, None))));
    assert_eq!(sessions.session([3; 32], at(9)).await, Ok(None), "an unknown session");
    assert_eq!(sessions.session([1; 32], at(10)).await, Ok(None), "it has expired");
    sessions.end([1; 32]).await.unwrap();
    assert_eq!(sessions.session([1; 32], at(9)).await, Ok(None), "it was ended");
    sessions.end([1; 32]).await.unwrap();
    assert!(sessions.session([2; 32], at(9)).await.unwrap().is_some(), "other sessions continue");
}

/// Using a session extends it. A late report of an earlier use does not shorten it.
pub async fn using_a_session_extends_it(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    sessions.begin(&session(1, SessionOwner::Token([9; 32])), None).await.unwrap();
    sessions.used([1; 32], at(8), at(18)).await.unwrap();
    sessions.used([1; 32], at(6), at(16)).await.unwrap();
    let (used, _) = sessions.session([1; 32], at(17)).await.unwrap().unwrap();
    assert_eq!((used.created_at, used.seen_at, used.expires_at), (at(1), at(8), at(18)));
    sessions.used([2; 32], at(8), at(18)).await.unwrap();
    assert_eq!(
        sessions.session([2; 32], at(9)).await,
        Ok(None),
        "using an unknown session does not create it"
    );
}

/// Proves R077 for sessions: a session comes with its key as it is now, so that a revoked one is noticed at once.
pub async fn a_session_comes_with_the_current_state_of_its_key(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    let (revoked, stays) = (create_key(fixture, "revoked").await, create_key(fixture, "stays").await);
    sessions.begin(&session(1, owner(&revoked)), None).await.unwrap();
    sessions.begin(&session(2, owner(&stays)), None).await.unwrap();
    fixture.store.credentials.revoke("revoked", at(5)).await.unwrap();
    for (secret, revoked_at) in [([1; 32], Some(at(5))), ([2; 32], None)] {
        let (_, key) = sessions.session(secret, at(6)).await.unwrap().unwrap();
        assert_eq!(key.map(|key| key.revoked_at), Some(revoked_at));
    }
}

/// A login replaces the session before it and deletes expired sessions.
pub async fn a_new_session_replaces_the_old_one_and_deletes_expired_ones(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    let kept = async || fixture.count("sessions").await;
    for secret in 1..=3 {
        sessions.begin(&session(secret, SessionOwner::Token([9; 32])), None).await.unwrap();
    }
    let renewed = session(4, SessionOwner::Token([9; 32]));
    sessions.begin(&renewed, Some([3; 32])).await.unwrap();
    assert_eq!(sessions.session([3; 32], at(2)).await, Ok(None));
    assert_eq!(kept().await, 3);
    let later = Session { created_at: at(10), seen_at: at(10), expires_at: at(20), ..renewed };
    sessions.begin(&Session { secret_hash: [5; 32], ..later }, None).await.unwrap();
    assert_eq!(kept().await, 1, "expired sessions are deleted");
}

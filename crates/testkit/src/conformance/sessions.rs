//! Who is logged in.

use quire_domain::{KeyId, Roles};
use quire_ports::{ApiKey, NewKey, Session, SessionOwner};

use crate::fixture::{StoreFixture, at};

async fn key(fixture: &StoreFixture, name: &str) -> NewKey {
    let (id, roles) = (KeyId::new(), Roles::parse("operate,review").unwrap());
    let key = NewKey { id, name: name.to_owned(), roles, secret_hash: [7; 32], created_at: at(0) };
    fixture.store.credentials.create(&key).await.unwrap();
    key
}

/// A session from the first second to the tenth.
fn session(secret: u8, of: SessionOwner) -> Session {
    Session { secret_hash: [secret; 32], of, created_at: at(1), seen_at: at(1), expires_at: at(10) }
}

/// What was begun is found with its key, until it is over or ended.
pub async fn a_session_is_found_with_its_key_until_it_is_over(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    let key = key(fixture, "alma").await;
    let (by_key, by_token) =
        (session(1, SessionOwner::Key(key.id)), session(2, SessionOwner::Token([9; 32])));
    for session in [&by_key, &by_token] {
        sessions.begin(session, None).await.unwrap();
    }
    let found = (by_key, Some(ApiKey { key, revoked_at: None }));
    assert_eq!(sessions.session([1; 32], at(9)).await, Ok(Some(found.clone())));
    assert_eq!(sessions.session([2; 32], at(9)).await, Ok(Some((by_token, None))));
    assert_eq!(sessions.session([3; 32], at(9)).await, Ok(None), "nobody's");
    assert_eq!(sessions.session([1; 32], at(10)).await, Ok(None), "it is over");
    sessions.end([1; 32]).await.unwrap();
    assert_eq!(sessions.session([1; 32], at(9)).await, Ok(None), "it was ended");
    sessions.end([1; 32]).await.unwrap();
    assert!(sessions.session([2; 32], at(9)).await.unwrap().is_some(), "others go on");
}

/// A session goes on when it is used; whoever says so late takes nothing back.
pub async fn a_session_that_is_used_goes_on(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    sessions.begin(&session(1, SessionOwner::Token([9; 32])), None).await.unwrap();
    sessions.used([1; 32], at(8), at(18)).await.unwrap();
    sessions.used([1; 32], at(6), at(16)).await.unwrap();
    let (used, _) = sessions.session([1; 32], at(17)).await.unwrap().unwrap();
    assert_eq!((used.created_at, used.seen_at, used.expires_at), (at(1), at(8), at(18)));
    sessions.used([2; 32], at(8), at(18)).await.unwrap();
    assert_eq!(sessions.session([2; 32], at(9)).await, Ok(None), "using what is not there begins nothing");
}

/// Proves R077 for people who are logged in: a key that is revoked takes its sessions along, and no others.
pub async fn a_key_that_is_revoked_ends_its_sessions_at_once(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    let (gone, stays) = (key(fixture, "gone").await, key(fixture, "stays").await);
    sessions.begin(&session(1, SessionOwner::Key(gone.id)), None).await.unwrap();
    sessions.begin(&session(2, SessionOwner::Key(stays.id)), None).await.unwrap();
    fixture.store.credentials.revoke("gone", at(5)).await.unwrap();
    assert_eq!(sessions.session([1; 32], at(6)).await, Ok(None));
    assert!(sessions.session([2; 32], at(6)).await.unwrap().is_some());
}

/// A login takes the place of the one before it, and what is over is not kept.
pub async fn a_session_that_begins_replaces_one_and_clears_up(fixture: &StoreFixture) {
    let sessions = &fixture.store.sessions;
    let kept = async || fixture.sql.number("SELECT count(*) FROM sessions").await;
    for secret in 1..=3 {
        sessions.begin(&session(secret, SessionOwner::Token([9; 32])), None).await.unwrap();
    }
    let renewed = session(4, SessionOwner::Token([9; 32]));
    sessions.begin(&renewed, Some([3; 32])).await.unwrap();
    assert_eq!(sessions.session([3; 32], at(2)).await, Ok(None));
    assert_eq!(kept().await, 3);
    let later = Session { created_at: at(10), seen_at: at(10), expires_at: at(20), ..renewed };
    sessions.begin(&Session { secret_hash: [5; 32], ..later }, None).await.unwrap();
    assert_eq!(kept().await, 1, "all that were over are gone");
}

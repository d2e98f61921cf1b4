use quire_domain::Roles;
use quire_ports::Store;
use quire_sqlite::testing::store_fixture;
use quire_testkit::FakeClock;

use super::*;
use crate::credential::{self, RotationSettings};

const TERMS: SessionSettings =
    SessionSettings { idle: SignedDuration::from_hours(12), lifetime: SignedDuration::from_hours(24) };

fn store_by(clock: &FakeClock, store: &Store) -> Store {
    Store { clock: Arc::new(clock.clone()), ..store.clone() }
}

/// A new key with this role.
async fn key(store: &Store, role: &str) -> NewKey {
    let key = credential::create(store, "alma", Roles::parse(role).unwrap(), None).await.unwrap();
    store.credentials.find(key.id).await.unwrap().unwrap().key
}

async fn name(book: &SessionService, secret: &SessionSecret) -> Option<String> {
    book.holder(secret, None, SessionUse::Person).await.unwrap().map(|holder| holder.name)
}

/// Proves how logins work: a session ends without use, and after its maximum time in any case.
#[tokio::test]
async fn a_session_ends_when_nobody_uses_it_and_at_last_in_any_case() {
    let (fixture, clock) = (store_fixture().await, FakeClock::at(Timestamp::UNIX_EPOCH));
    let store = store_by(&clock, &fixture.store);
    let key = key(&store, "read").await;
    let book = SessionService::new(&store, TERMS);
    let secret = book.begin(LoginCredential::Key(&key), None).await.unwrap();
    let unused = book.begin(LoginCredential::Key(&key), None).await.unwrap();
    for _ in 0..2 {
        clock.advance(SignedDuration::from_hours(11));
        assert_eq!(name(&book, &secret).await.as_deref(), Some("alma"), "it was used in time");
    }
    assert_eq!(name(&book, &unused).await, None);
    clock.advance(SignedDuration::from_hours(2));
    assert_eq!(name(&book, &secret).await, None, "a day is all there is");
}

/// A page that is left open asks for news again and again. That keeps no session alive.
#[tokio::test]
async fn a_session_that_only_pages_use_ends() {
    let (fixture, clock) = (store_fixture().await, FakeClock::at(Timestamp::UNIX_EPOCH));
    let store = store_by(&clock, &fixture.store);
    let key = key(&store, "read").await;
    let book = SessionService::new(&store, TERMS);
    let secret = book.begin(LoginCredential::Key(&key), None).await.unwrap();
    for _ in 0..11 {
        clock.advance(SignedDuration::from_hours(1));
        let holder = book.holder(&secret, None, SessionUse::Background).await.unwrap();
        assert!(holder.is_some(), "it still has time");
    }
    clock.advance(SignedDuration::from_hours(1));
    assert_eq!(book.holder(&secret, None, SessionUse::Background).await, Ok(None));
}

/// Frequent use of a session does not cause frequent writes.
#[tokio::test]
async fn uses_are_noted_rarely() {
    let (fixture, clock) = (store_fixture().await, FakeClock::at(Timestamp::UNIX_EPOCH));
    let store = store_by(&clock, &fixture.store);
    let key = key(&store, "read").await;
    let book = SessionService::new(&store, TERMS);
    let secret = book.begin(LoginCredential::Key(&key), None).await.unwrap();
    let seen = async || store.sessions.session(secret.hash(), clock.now()).await.unwrap().unwrap().0.seen_at;
    clock.advance(SignedDuration::from_mins(4));
    assert!(name(&book, &secret).await.is_some());
    assert_eq!(seen().await, Timestamp::UNIX_EPOCH);
    clock.advance(SignedDuration::from_mins(1));
    assert!(name(&book, &secret).await.is_some());
    assert_eq!(seen().await, clock.now());
}

/// Proves R077 for people who are logged in.
#[tokio::test]
async fn a_session_is_good_only_as_long_as_what_it_was_begun_with() {
    let fixture = store_fixture().await;
    let book = SessionService::new(&fixture.store, TERMS);
    let key = key(&fixture.store, "review").await;
    let secret = book.begin(LoginCredential::Key(&key), None).await.unwrap();
    assert_eq!(name(&book, &secret).await.as_deref(), Some("alma"));
    fixture.store.credentials.revoke("alma", fixture.store.clock.now()).await.unwrap();
    assert_eq!(name(&book, &secret).await, None);

    let (token, other) = (SecretHash::of(b"a token of sixteen"), SecretHash::of(b"another token"));
    let secret = book.begin(LoginCredential::Token(&token), None).await.unwrap();
    let holder = book.holder(&secret, Some(&token), SessionUse::Person).await.unwrap().unwrap();
    assert_eq!(holder, KeyHolder::of_token());
    assert_eq!(
        book.holder(&secret, Some(&other), SessionUse::Person).await,
        Ok(None),
        "the settings have another one"
    );
    assert_eq!(book.holder(&secret, None, SessionUse::Person).await, Ok(None), "the settings have none");

    let renewed = book.begin(LoginCredential::Token(&token), Some(&secret)).await.unwrap();
    assert_eq!(
        book.holder(&secret, Some(&token), SessionUse::Person).await,
        Ok(None),
        "who logs in again has another one"
    );
    book.end(&renewed).await.unwrap();
    assert_eq!(book.holder(&renewed, Some(&token), SessionUse::Person).await, Ok(None));
}

/// A session that began with a secret ends with it. The other secret of the same key has its own sessions.
#[tokio::test]
async fn a_session_ends_with_the_secret_that_began_it() {
    let (fixture, clock) = (store_fixture().await, FakeClock::at(Timestamp::UNIX_EPOCH));
    let store = store_by(&clock, &fixture.store);
    let hour = SignedDuration::from_hours(1);
    let old = key(&store, "read").await;
    let book = SessionService::new(&store, TERMS);
    let before = book.begin(LoginCredential::Key(&old), None).await.unwrap();
    let settings = RotationSettings { keep_old: hour, expires_in: Some(hour * 2) };
    let (rotated, _) = credential::rotate(&store, "alma", settings).await.unwrap();
    let by_old = book.begin(LoginCredential::Key(&old), None).await.unwrap();
    let by_new = book.begin(LoginCredential::Key(&rotated.key), None).await.unwrap();
    for session in [&before, &by_old, &by_new] {
        assert_eq!(name(&book, session).await.as_deref(), Some("alma"));
    }
    clock.advance(hour);
    let names = [name(&book, &before).await, name(&book, &by_old).await, name(&book, &by_new).await];
    assert_eq!(names, [None, None, Some("alma".to_owned())], "the old secret has ended");
    clock.advance(hour);
    assert_eq!(name(&book, &by_new).await, None, "the key has expired");
}

#[test]
fn what_forms_send_back_belongs_to_one_session() {
    let (one, other) = (SessionSecret([1; 32]), SessionSecret([2; 32]));
    let token = one.form_token();
    assert!(one.is_form_token(&token) && !other.is_form_token(&token));
    for wrong in ["", &token[1..], &one.reveal(), &token.to_uppercase()] {
        assert!(!one.is_form_token(wrong), "{wrong}");
    }
    assert!(SessionSecret::parse(&one.reveal()).is_some_and(|parsed| parsed.0 == one.0));
    for wrong in ["", "01", &one.reveal()[1..], &"g".repeat(64)] {
        assert!(SessionSecret::parse(wrong).is_none(), "{wrong}");
    }
}

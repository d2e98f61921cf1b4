use std::sync::Mutex;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::middleware;
use axum::routing::{get, post};
use jiff::Timestamp;
use quire_domain::{KeyId, PlaintextKey, Roles};
use quire_ports::{ApiKey, Credentials, KeyRotation, NewKey, PortError, PortResult, SystemClock};
use tower::ServiceExt as _;

use super::*;

/// Keys that a test can create while a server runs, in a database that can fail.
#[derive(Default)]
pub(crate) struct FakeKeys {
    keys: Mutex<Vec<ApiKey>>,
    gone: AtomicBool,
}

impl FakeKeys {
    fn make(&self, name: &str, roles: &str) -> String {
        let key = PlaintextKey { id: KeyId::new(), secret: [3; 32] };
        let secret_hash: [u8; 32] = <sha2::Sha256 as sha2::Digest>::digest(key.secret).into();
        let roles = Roles::parse(roles).unwrap();
        let (created_at, expires_at) = (Timestamp::UNIX_EPOCH, None);
        let kept = NewKey { id: key.id, name: name.to_owned(), roles, secret_hash, created_at, expires_at };
        self.keys.lock().unwrap().push(ApiKey::unused(kept));
        key.reveal()
    }

    fn answer(&self) -> PortResult<Vec<ApiKey>> {
        if self.gone.load(Ordering::SeqCst) {
            return Err(PortError::Unavailable {
                service: "database",
                reason: "it is gone".to_owned(),
                contention: false,
            });
        }
        Ok(self.keys.lock().unwrap().clone())
    }
}

/// Authentication by these keys and this token.
pub(crate) fn auth_with(keys: Arc<FakeKeys>, token: Option<&str>) -> Arc<Auth> {
    let limits = RateLimits::new(crate::RatesPerMinute::default(), crate::TrustedProxies::default());
    Arc::new(Auth::new(Authenticator::new(keys, Arc::new(SystemClock), token), Arc::new(limits)))
}

#[async_trait]
impl Credentials for FakeKeys {
    async fn create(&self, _: &NewKey) -> PortResult<()> {
        unreachable!("nobody makes keys over HTTP")
    }

    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>> {
        Ok(self.answer()?.into_iter().find(|found| found.key.id == id))
    }

    async fn named(&self, _: &str) -> PortResult<ApiKey> {
        unreachable!("nobody looks for names over HTTP")
    }

    async fn list(&self) -> PortResult<Vec<ApiKey>> {
        self.answer()
    }

    async fn revoke(&self, _: &str, at: Timestamp) -> PortResult<ApiKey> {
        let mut keys = self.keys.lock().unwrap();
        keys[0].revoked_at = Some(at);
        Ok(keys[0].clone())
    }

    async fn rotate(&self, _: KeyId, _: &KeyRotation) -> PortResult<()> {
        unreachable!("nobody rotates keys over HTTP")
    }

    async fn used(&self, id: KeyId, at: Timestamp) -> PortResult<()> {
        let mut keys = self.keys.lock().unwrap();
        keys.iter_mut().filter(|found| found.key.id == id).for_each(|found| found.last_used_at = Some(at));
        Ok(())
    }

    async fn any(&self) -> PortResult<bool> {
        Ok(!self.answer()?.is_empty())
    }
}

async fn send(auth: &Arc<Auth>, request: &str, credential: Option<&str>) -> (StatusCode, Option<String>) {
    let whom = |request: Request| async move {
        request.extensions().get::<Caller>().map(|caller| caller.0.clone()).unwrap_or_default()
    };
    let router = Router::new()
        .route("/health", get(whom))
        .route("/documents", get(whom).post(whom))
        .route("/forgotten", post(whom))
        .fallback(|| async { ApiError::no_such_page() })
        .layer(middleware::from_fn_with_state(auth.clone(), authenticate));
    let (method, path) = request.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    if let Some(credential) = credential {
        request = request.header("authorization", credential);
    }
    let answer = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let error = answer.extensions().get::<ApiError>().map(|error| error.message.clone());
    (answer.status(), error)
}

async fn status(auth: &Arc<Auth>, request: &str, credential: Option<&str>) -> u16 {
    send(auth, request, credential).await.0.as_u16()
}

/// Proves R077 for the token.
#[tokio::test]
async fn with_a_token_everything_but_health_needs_it() {
    let auth = auth_with(Arc::new(FakeKeys::default()), Some("a token of sixteen"));
    assert_eq!(status(&auth, "GET /health", None).await, 200);
    for wrong in [
        None,
        Some(""),
        Some("Bearer"),
        Some("Bearer "),
        Some("Bearer another token of that length"),
        Some("Basic a token of sixteen"),
        Some("a token of sixteen"),
    ] {
        assert_eq!(status(&auth, "GET /documents", wrong).await, 401, "{wrong:?}");
        assert_eq!(status(&auth, "GET /nowhere", wrong).await, 401, "{wrong:?}");
    }
    for right in ["Bearer a token of sixteen", "bearer  a token of sixteen"] {
        assert_eq!(status(&auth, "POST /documents", Some(right)).await, 200);
        assert_eq!(status(&auth, "POST /forgotten", Some(right)).await, 200, "it is an admin's");
        assert_eq!(status(&auth, "GET /nowhere", Some(right)).await, 404);
    }
}

/// Proves R077 for keys and their roles.
#[tokio::test]
async fn a_key_does_what_its_roles_allow() {
    let keys = Arc::new(FakeKeys::default());
    let (reader, operator) = (keys.make("reader", "read"), keys.make("operator", "operate"));
    let auth = auth_with(keys.clone(), None);
    let bearer = |key: &str| format!("Bearer {key}");
    assert_eq!(status(&auth, "GET /documents", Some(&bearer(&reader))).await, 200);
    let (refused, message) = send(&auth, "POST /documents", Some(&bearer(&reader))).await;
    assert_eq!(refused, StatusCode::FORBIDDEN);
    assert_eq!(message.as_deref(), Some("this needs the role operate; the key reader has read"));
    assert_eq!(status(&auth, "POST /documents", Some(&bearer(&operator))).await, 200);
    assert_eq!(status(&auth, "POST /forgotten", Some(&bearer(&operator))).await, 403, "it is in no table");
    assert_eq!(status(&auth, "GET /nowhere", Some(&bearer(&reader))).await, 404);
    keys.revoke("reader", Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(status(&auth, "GET /documents", Some(&bearer(&reader))).await, 401);
}

/// Proves R077 while a server runs.
#[tokio::test]
async fn creating_a_key_closes_an_open_server_for_good() {
    let keys = Arc::new(FakeKeys::default());
    let auth = auth_with(keys.clone(), None);
    let now = Instant::now();
    assert_eq!(auth.needs_credential(now).await, Ok(false));
    keys.make("first", "read");
    assert_eq!(auth.needs_credential(now + OPEN_FOR / 2).await, Ok(false), "it may take a second");
    assert_eq!(auth.needs_credential(now + OPEN_FOR).await, Ok(true));
    keys.keys.lock().unwrap().clear();
    assert_eq!(auth.needs_credential(now + OPEN_FOR * 10).await, Ok(true), "and stays so");
}

/// Proves R077 when nobody can say whether there are keys.
#[tokio::test]
async fn while_the_database_does_not_answer_every_request_is_refused() {
    let keys = Arc::new(FakeKeys::default());
    let key = format!("Bearer {}", keys.make("reader", "read"));
    keys.gone.store(true, Ordering::SeqCst);
    let auth = auth_with(keys.clone(), None);
    assert_eq!(status(&auth, "GET /documents", None).await, 503);
    assert_eq!(status(&auth, "GET /documents", Some(&key)).await, 503);
    assert_eq!(status(&auth, "GET /health", None).await, 200);
}

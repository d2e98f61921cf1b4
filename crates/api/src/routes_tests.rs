use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use quire_application::Error;
use quire_application::document::pages::{ImageError, ReadError, ReadErrorKind};
use quire_application::health::{DatabaseCheck, HealthChecks, StorageCheck};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::router;
use crate::middleware::auth::tests::{FakeKeys, auth_with};
use crate::{
    ApiError, Code, ConflictReason, ConnectionLimits, CorsOrigins, Exposition, Hsts, ProgramVersion,
    RateLimits, Server, TrustedProxies,
};

/// Every route of routes.rs, as method and path. It is read as text: a router does not list its routes.
pub(crate) fn routes_in_source() -> BTreeSet<(String, String)> {
    let text: String = include_str!("routes.rs").split_whitespace().collect();
    let mut routes = BTreeSet::new();
    for route in text.split(".route(\"").skip(1) {
        let (path, handlers) = route.split_once("\",").unwrap();
        // Up to the parenthesis that closes the route.
        let mut depth = 0;
        let end = handlers.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth < 0
        });
        let handlers = &handlers[..end.unwrap()];
        for method in ["get", "post", "put", "patch", "delete"] {
            if handlers.starts_with(&format!("{method}(")) || handlers.contains(&format!(").{method}(")) {
                routes.insert((method.to_uppercase(), path.to_owned()));
            }
        }
    }
    routes
}

/// A database that answers, fails or hangs.
enum Database {
    Answers,
    Fails,
    Hangs,
}

#[async_trait]
impl DatabaseCheck for Database {
    async fn check(&self) -> Result<(), Error> {
        match self {
            Self::Answers => Ok(()),
            Self::Fails => Err(Error::Corrupt("no such table".to_owned())),
            Self::Hangs => std::future::pending().await,
        }
    }
}

struct NoMetrics;

#[async_trait]
impl Exposition for NoMetrics {
    async fn render(&self) -> String {
        "quire_slots 2\n".to_owned()
    }
}

fn server(database: Database, storage: StorageCheck) -> Server {
    Server {
        health: HealthChecks::new(Arc::new(database), storage).within(Duration::from_millis(20)),
        metrics: Arc::new(NoMetrics),
        version: ProgramVersion { version: "1.2.3".to_owned(), commit: None, build_date: None },
        auth: auth_with(Arc::new(FakeKeys::default()), None),
        rate_limits: Arc::new(RateLimits::new(crate::RatesPerMinute::default(), TrustedProxies::default())),
        connections: ConnectionLimits {
            total: 10,
            per_client: 10,
            client_timeout: Duration::from_secs(30),
            proxies: TrustedProxies::default(),
        },
        hsts: Hsts::default(),
        origins: CorsOrigins::default(),
        state: None,
    }
}

fn sound() -> Server {
    server(Database::Answers, StorageCheck::new(|| Ok(())))
}

async fn send(server: Server, mut request: Request<Body>) -> (StatusCode, HeaderMap, Value) {
    request.headers_mut().insert("host", "localhost".parse().unwrap());
    let (parts, body) = router(server).oneshot(request).await.unwrap().into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let body = serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into());
    (parts.status, parts.headers, body)
}

fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn readiness_names_the_failed_check_and_never_hangs() {
    let gone = || StorageCheck::new(|| Err(io::ErrorKind::NotFound.into()));
    let fine = || StorageCheck::new(|| Ok(()));
    for (server, database, storage) in [
        (server(Database::Fails, fine()), "error", "ok"),
        (server(Database::Hangs, fine()), "error", "ok"),
        (server(Database::Answers, gone()), "ok", "error"),
    ] {
        let (status, _, body) = send(server, get("/health")).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(body, json!({"status": "degraded", "database": database, "storage": storage}));
    }
    let (status, _, body) = send(sound(), get("/health/ready")).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(body, json!({"status": "healthy", "database": "ok", "storage": "ok"}));
    let (status, _, body) = send(server(Database::Hangs, gone()), get("/health/live")).await;
    assert_eq!((status, body), (StatusCode::OK, json!({"status": "alive"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_disk_holds_one_thread_however_many_requests_come() {
    let started = Arc::new(AtomicUsize::new(0));
    let (let_go, hold) = std::sync::mpsc::channel::<()>();
    let hold = std::sync::Mutex::new(hold);
    let count = started.clone();
    let server = server(
        Database::Answers,
        StorageCheck::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
            let _ = hold.lock().unwrap().recv();
            Ok(())
        }),
    );
    for _ in 0..3 {
        let (_, _, body) = send(server.clone(), get("/health")).await;
        assert_eq!(body["storage"], "error");
    }
    assert_eq!(started.load(Ordering::SeqCst), 1);
    drop(let_go);
}

#[tokio::test]
async fn an_unknown_address_gets_the_error_body() {
    let (status, headers, body) = send(sound(), get("/documents")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(body["error_code"], "NOT_FOUND");
    let id = body["correlation_id"].as_str().unwrap();
    assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(headers["x-request-id"], id);
    assert_eq!(headers["content-type"], "application/json");

    let wrong = Request::post("/health").body(Body::empty()).unwrap();
    let (status, headers, body) = send(sound(), wrong).await;
    assert_eq!((status, &body["error_code"]), (StatusCode::METHOD_NOT_ALLOWED, &"METHOD_NOT_ALLOWED".into()));
    assert_eq!(headers["allow"], "GET,HEAD");
}

#[tokio::test]
async fn the_clients_request_id_is_returned_unless_it_is_unsafe_to_log() {
    for (header, given, kept) in [
        ("x-request-id", "abc-123", true),
        ("x-correlation-id", "abc-123", true),
        ("x-request-id", "two words", false),
        ("x-request-id", "", false),
    ] {
        let request = Request::get("/version").header(header, given).body(Body::empty()).unwrap();
        let (_, headers, body) = send(sound(), request).await;
        assert_eq!(body, json!({"version": "1.2.3", "commit": null, "build_date": null}));
        assert_eq!(headers["x-request-id"] == given, kept, "{header}: {given}");
        assert_eq!(headers["x-request-id"], headers["x-correlation-id"]);
    }
    let long = Request::get("/version").header("x-request-id", "a".repeat(129)).body(Body::empty()).unwrap();
    assert_eq!(send(sound(), long).await.1["x-request-id"].len(), 16);
}

#[tokio::test]
async fn metrics_have_the_prometheus_text_format() {
    let (status, headers, body) = send(sound(), get("/metrics")).await;
    assert_eq!((status, body), (StatusCode::OK, "quire_slots 2\n".into()));
    assert!(headers["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
}

/// Proves R074.
#[test]
fn an_error_of_a_use_case_becomes_a_response_without_internal_details() {
    let unavailable = Error::Unavailable { service: "database", reason: "it is full".to_owned() };
    let answer = ApiError::from(unavailable);
    assert!(answer.code == Code::ServiceUnavailable && answer.message.contains("full"), "{answer:?}");
    assert!(answer.to_response("id").headers().contains_key("retry-after"));
    let missing = ApiError::from(Error::NotFound("run 7".to_owned()));
    assert_eq!(missing, ApiError::new(Code::NotFound, "run 7 was not found"));
    let conflict = ApiError::from(Error::Conflict("it changed".to_owned()));
    assert!(conflict.is_conflict(ConflictReason::StateChanged), "{conflict:?}");
    let corrupt = ApiError::from(Error::Corrupt("SELECT secret".to_owned()));
    assert!(corrupt.code == Code::InternalError && !corrupt.message.contains("secret"), "{corrupt:?}");
}

/// Proves R074 for page images: a retry helps only where the document is not the cause.
#[test]
fn an_image_error_says_whether_a_retry_helps() {
    for (error, code) in [
        (ReadErrorKind::PageNotFound, Code::NotFound),
        (ReadErrorKind::UnsupportedMediaType, Code::NotFound),
        (ReadErrorKind::PdfEncrypted, Code::Conflict),
        (ReadErrorKind::ParserTimeout, Code::Conflict),
        (ReadErrorKind::ParserCrashed, Code::ServiceUnavailable),
    ] {
        let answer = ApiError::from(ReadError::new(error, "what to do"));
        let details = answer.details.unwrap();
        assert_eq!((answer.code, &details["cause"]), (code, &json!(error.as_str())));
        assert_eq!(details.get("reason").is_some(), code == Code::Conflict);
    }
    let refused = ApiError::from(ImageError::Scale(0.1, 4.0));
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (Code::InvalidRequest, "scale: must be between 0.1 and 4")
    );
}

/// A worker has no documents to show.
#[tokio::test]
async fn a_worker_serves_no_documents() {
    assert_eq!(
        send(sound(), get("/runs/0192f0c1-5b7a-7c3e-8f00-0123456789ab")).await.0,
        StatusCode::NOT_FOUND
    );
}

/// Proves R077 for a worker, which shows metrics and a version.
#[tokio::test]
async fn a_worker_needs_credentials_too() {
    let auth = auth_with(Arc::new(FakeKeys::default()), Some("a token of sixteen"));
    for path in ["/metrics", "/version"] {
        let server = Server { auth: auth.clone(), ..sound() };
        let (status, headers, body) = send(server.clone(), get(path)).await;
        assert_eq!((status, &body["error_code"]), (StatusCode::UNAUTHORIZED, &"UNAUTHORIZED".into()));
        assert_eq!(headers["www-authenticate"], "Bearer");
        assert!(headers.contains_key("x-request-id"));
        let known = Request::get(path).header("authorization", "Bearer a token of sixteen");
        assert_eq!(send(server, known.body(Body::empty()).unwrap()).await.0, StatusCode::OK);
    }
    assert_eq!(send(Server { auth, ..sound() }, get("/health")).await.0, StatusCode::OK);
}

/// Proves R074 and R079 for a handler that panics.
#[tokio::test]
async fn a_panicking_handler_returns_an_internal_error() {
    async fn break_down() -> StatusCode {
        panic!("a secret of the inner workings")
    }
    let router = Router::new().route("/version", axum::routing::get(break_down));
    let router = super::with_middleware(router, sound());
    let request = Request::get("/version")
        .header("host", "localhost")
        .header("x-request-id", "abc-123")
        .body(Body::empty())
        .unwrap();
    let (parts, body) = router.oneshot(request).await.unwrap().into_parts();
    let body: Value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap();
    assert_eq!(parts.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!((&body["error_code"], &body["correlation_id"]), (&"INTERNAL_ERROR".into(), &"abc-123".into()));
    assert!(!body.to_string().contains("secret"), "{body}");
    assert_eq!(parts.headers["x-request-id"], "abc-123");
    assert_eq!(parts.headers["x-frame-options"], "DENY");
}

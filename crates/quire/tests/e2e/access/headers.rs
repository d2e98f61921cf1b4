//! Security headers and CORS.

use super::upload;
use crate::http::Response;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R079 and what A11 says of headers.
    every_response_has_the_security_headers with super::LISTED_ORIGINS,
    only_listed_origins_may_call_the_api with super::LISTED_ORIGINS,
    other_sites_embed_nothing with super::LISTED_ORIGINS,
    strict_transport_security_can_be_changed with [("QUIRE_SERVER_HSTS", "")],
}

const LISTED_ORIGINS: [(&str, &str); 2] = [
    ("QUIRE_SERVER_CORS_ORIGINS", "https://app.example http://localhost:5173"),
    ("QUIRE_UPLOADS_PROCESSING", "false"),
];

const SECURITY_HEADERS: [&str; 7] = [
    "cross-origin-resource-policy: same-origin",
    "cross-origin-opener-policy: same-origin",
    "strict-transport-security: max-age=63072000; includesubdomains",
    "x-content-type-options: nosniff",
    "x-frame-options: deny",
    "content-security-policy: default-src 'self'",
    "referrer-policy: strict-origin-when-cross-origin",
];

fn assert_security_headers(response: &Response) {
    for line in SECURITY_HEADERS {
        assert_eq!(
            response.head.lines().filter(|found| *found == line).count(),
            1,
            "{line}: {}",
            response.head
        );
    }
    assert!(response.head.contains("x-request-id: "), "{}", response.head);
}

async fn every_response_has_the_security_headers(env: &TestEnv) {
    let server = env.cli.serve();
    let uploaded = upload(&server, "");
    let document = uploaded.document_id();
    for (request, status) in [
        ("GET /documents", 200),
        ("GET /health/live", 200),
        ("GET /metrics", 200),
        ("GET /nowhere", 404),
        ("GET /documents/x", 400),
        ("DELETE /documents", 405),
    ] {
        let response = server.request(request, "");
        assert_eq!(response.status, status, "{request}");
        assert_security_headers(&response);
        assert!(response.head.contains("cache-control: no-store"), "{request}: {}", response.head);
    }
    let file = server.request(&format!("GET /documents/{document}/download"), "");
    assert_security_headers(&file);
    assert!(
        file.head.contains("cache-control: private, no-cache"),
        "its handler sets its own: {}",
        file.head
    );
    let key = env.create_key("reader", "read");
    drop(server);
    let server = env.cli.serve();
    for (head, status) in [("", 401), (key.as_str(), 403)] {
        let refused = server.request("POST /documents", &format!("{head}X-Request-ID: abc-123\r\n"));
        assert_eq!(refused.status, status);
        assert_security_headers(&refused);
        assert!(refused.head.contains("x-request-id: abc-123"), "{}", refused.head);
        assert_eq!(refused.json()["correlation_id"], "abc-123");
    }
}

async fn only_listed_origins_may_call_the_api(env: &TestEnv) {
    let preflight = |origin: &str| {
        format!(
            "Origin: {origin}\r\nAccess-Control-Request-Method: PATCH\r\n\
             Access-Control-Request-Headers: authorization,if-match\r\n"
        )
    };
    let server = env.cli.serve();
    let listed = "Origin: http://localhost:5173\r\n";
    assert_eq!(upload(&server, listed).status, 201, "a listed origin may send changes");
    assert_eq!(upload(&server, "Origin: https://evil.example\r\n").status, 403);
    let key = env.create_key("reader", "read");
    drop(server);
    let server = env.cli.serve();
    let allowed = server.request("OPTIONS /documents", &preflight("https://app.example"));
    assert_eq!(allowed.status, 200, "a browser sends this without a key");
    assert!(allowed.head.contains("access-control-allow-origin: https://app.example"), "{}", allowed.head);
    for word in ["patch", "delete", "idempotency-key", "if-none-match", "last-event-id", "x-request-id"] {
        assert!(allowed.head.contains(word), "{word}: {}", allowed.head);
    }
    assert!(!allowed.head.contains("allow-credentials"), "{}", allowed.head);
    let answered = server.request("GET /documents", &format!("{key}Origin: https://app.example\r\n"));
    assert_eq!(answered.status, 200);
    assert!(answered.head.contains("access-control-allow-origin: https://app.example"), "{}", answered.head);
    for word in ["etag", "location", "retry-after", "x-ratelimit-remaining"] {
        let shown = answered.head.lines().find(|line| line.starts_with("access-control-expose-headers"));
        assert!(shown.unwrap().contains(word), "{word}: {shown:?}");
    }
    let refused = server.request("GET /documents", "Origin: https://app.example\r\n");
    assert_eq!(refused.status, 401);
    assert!(
        refused.head.contains("access-control-allow-origin"),
        "so that the page can read the error: {}",
        refused.head
    );
    for other in ["https://evil.example", "https://app.example.evil.example", "null"] {
        let response = server.request("OPTIONS /documents", &preflight(other));
        assert!(!response.head.contains("access-control-allow-origin"), "{}", response.head);
    }
}

/// A page of another site may link to this server. It may not load pictures, scripts or frames from it.
async fn other_sites_embed_nothing(env: &TestEnv) {
    let server = env.cli.serve();
    let document = upload(&server, "").document_id();
    let file = format!("GET /documents/{document}/download");
    let embedded = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n";
    let linked = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    let listed = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\nOrigin: https://app.example\r\n";
    for (headers, status) in [("", 200), (linked, 200), (listed, 200), (embedded, 403)] {
        assert_eq!(server.request(&file, headers).status, status, "{headers}");
    }
    let refused = server.request(&file, embedded);
    assert_eq!(refused.json()["details"]["reason"], "OTHER_SITE");
    let key = env.create_key("reader", "read");
    drop(server);
    let server = env.cli.serve();
    assert_eq!(
        server.request(&file, &format!("{key}{embedded}")).status,
        200,
        "no browser sends a key by itself"
    );
}

async fn strict_transport_security_can_be_changed(env: &TestEnv) {
    let server = env.cli.serve();
    assert_eq!(server.get("/health").header("strict-transport-security"), None);
    let mut command = env.cli.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("QUIRE_SERVER_HSTS", "max-age=two years");
    let refused = crate::program::error_of(&mut command);
    assert!(refused.contains("QUIRE_SERVER_HSTS") && refused.contains("max-age=63072000"), "{refused}");
}

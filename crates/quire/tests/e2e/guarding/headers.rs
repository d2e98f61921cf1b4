//! Headers of every answer, and pages of other sites.

use super::{ask, upload};
use crate::http::Answer;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R079 and what A11 says of headers.
    every_answer_says_what_browsers_may_do_with_it with super::LISTED,
    pages_of_the_listed_sites_may_ask_and_no_others with super::LISTED,
}

const LISTED: [(&str, &str); 2] = [
    ("QUIRE_SERVER_CORS_ORIGINS", "https://app.example http://localhost:5173"),
    ("QUIRE_UPLOADS_PROCESSING", "false"),
];

const SAFE: [&str; 5] = [
    "strict-transport-security: max-age=63072000; includesubdomains",
    "x-content-type-options: nosniff",
    "x-frame-options: deny",
    "content-security-policy: default-src 'self'",
    "referrer-policy: strict-origin-when-cross-origin",
];

fn assert_safe(answer: &Answer) {
    for line in SAFE {
        assert_eq!(answer.head.lines().filter(|found| *found == line).count(), 1, "{line}: {}", answer.head);
    }
    assert!(answer.head.contains("x-request-id: "), "{}", answer.head);
}

async fn every_answer_says_what_browsers_may_do_with_it(scene: &Scene) {
    let server = scene.quire.serve();
    let uploaded = upload(&server, "");
    let document = uploaded.document();
    for (request, status) in [
        ("GET /documents", 200),
        ("GET /health/live", 200),
        ("GET /metrics", 200),
        ("GET /nowhere", 404),
        ("GET /documents/x", 400),
        ("DELETE /documents", 405),
    ] {
        let answer = ask(&server, request, "");
        assert_eq!(answer.status, status, "{request}");
        assert_safe(&answer);
        let is_json = answer.head.contains("content-type: application/json");
        assert_eq!(answer.head.contains("cache-control: no-store"), is_json, "{request}: {}", answer.head);
    }
    let file = ask(&server, &format!("GET /documents/{document}/download"), "");
    assert_safe(&file);
    assert!(
        file.head.contains("cache-control: private, no-cache"),
        "its handler knows better: {}",
        file.head
    );
    let key = scene.key("reader", "read");
    drop(server);
    let server = scene.quire.serve();
    for (head, status) in [("", 401), (key.as_str(), 403)] {
        let refused = ask(&server, "POST /documents", &format!("{head}X-Request-ID: abc-123\r\n"));
        assert_eq!(refused.status, status);
        assert_safe(&refused);
        assert!(refused.head.contains("x-request-id: abc-123"), "{}", refused.head);
        assert_eq!(refused.json()["correlation_id"], "abc-123");
    }
}

async fn pages_of_the_listed_sites_may_ask_and_no_others(scene: &Scene) {
    let preflight = |origin: &str| {
        format!(
            "Origin: {origin}\r\nAccess-Control-Request-Method: PATCH\r\n\
             Access-Control-Request-Headers: authorization,if-match\r\n"
        )
    };
    let server = scene.quire.serve();
    let mine = "Origin: http://localhost:5173\r\n";
    assert_eq!(upload(&server, mine).status, 201, "a page that is listed may change something");
    assert_eq!(upload(&server, "Origin: https://evil.example\r\n").status, 403);
    let key = scene.key("reader", "read");
    drop(server);
    let server = scene.quire.serve();
    let allowed = ask(&server, "OPTIONS /documents", &preflight("https://app.example"));
    assert_eq!(allowed.status, 200, "a browser asks this without a key");
    assert!(allowed.head.contains("access-control-allow-origin: https://app.example"), "{}", allowed.head);
    for word in ["patch", "delete", "idempotency-key", "if-none-match", "last-event-id", "x-request-id"] {
        assert!(allowed.head.contains(word), "{word}: {}", allowed.head);
    }
    assert!(!allowed.head.contains("allow-credentials"), "{}", allowed.head);
    let answered = ask(&server, "GET /documents", &format!("{key}Origin: https://app.example\r\n"));
    assert_eq!(answered.status, 200);
    assert!(answered.head.contains("access-control-allow-origin: https://app.example"), "{}", answered.head);
    for word in ["etag", "location", "retry-after", "x-ratelimit-remaining"] {
        let shown = answered.head.lines().find(|line| line.starts_with("access-control-expose-headers"));
        assert!(shown.unwrap().contains(word), "{word}: {shown:?}");
    }
    let refused = ask(&server, "GET /documents", "Origin: https://app.example\r\n");
    assert_eq!(refused.status, 401);
    assert!(
        refused.head.contains("access-control-allow-origin"),
        "so that the page can tell: {}",
        refused.head
    );
    for other in ["https://evil.example", "https://app.example.evil.example", "null"] {
        let answer = ask(&server, "OPTIONS /documents", &preflight(other));
        assert!(!answer.head.contains("access-control-allow-origin"), "{}", answer.head);
    }
}

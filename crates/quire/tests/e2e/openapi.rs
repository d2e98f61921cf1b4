//! The API description: `/openapi.json` and `/docs`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::{Cli, TestServer};

/// The API description of the server.
fn openapi(server: &TestServer) -> Value {
    let response = server.get("/openapi.json");
    assert_eq!(response.status, 200);
    assert!(response.head.contains("content-type: application/json"), "{}", response.head);
    serde_json::from_str(&response.body).unwrap()
}

#[test]
fn the_docs_page_lists_every_path() {
    let cli = Cli::new();
    let server = cli.serve();
    let page = server.get("/docs");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"), "{}", page.head);
    // The page obeys the policy: its style has its own URL, and it has no scripts.
    assert!(page.head.contains("content-security-policy: default-src 'self'"), "{}", page.head);
    assert!(!page.body.contains("<script") && !page.body.contains("<style"));
    assert!(page.body.contains("href=\"/docs/style.css\""));
    let style = server.get("/docs/style.css");
    assert!(style.status == 200 && style.head.contains("content-type: text/css"), "{}", style.head);
    let description = openapi(&server);
    assert_eq!(description["openapi"], "3.1.0");
    for path in description["paths"].as_object().unwrap().keys() {
        assert!(page.body.contains(&format!("<code>{path}</code>")), "{path}");
    }
}

#[test]
fn each_path_accepts_exactly_its_described_methods() {
    let cli = Cli::new();
    let server = cli.serve();
    for (path, item) in openapi(&server)["paths"].as_object().unwrap() {
        let mut methods: BTreeSet<String> =
            item.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
        if methods.contains("GET") {
            methods.insert("HEAD".to_owned());
        }
        let url = path.replace("{id}", "0192f0c1-5b7a-7c3e-8f00-0123456789ab").replace("{number}", "1");
        let url = url.replace("{code}", "CONFLICT");
        let wrong =
            server.send_raw(&format!("PUT {url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        assert_eq!(wrong.status, 405, "{path}");
        let allowed = wrong.head.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap();
        let allowed: BTreeSet<_> = allowed.split(',').map(|name| name.trim().to_uppercase()).collect();
        assert_eq!(allowed, methods, "{path}");
    }
}

/// Proves R063: a misspelt filter is refused instead of ignored.
#[test]
fn an_unknown_parameter_is_refused_by_name() {
    let cli = Cli::new();
    let server = cli.serve();
    for (url, parameter) in [
        ("/documents?stauts=FAILED", "stauts"),
        ("/documents?limit=1&limit=2", "limit"),
        ("/documents?status=", "status"),
        ("/documents/export?format=xml", "format"),
        ("/events?document=7", "document"),
    ] {
        let response = server.get(url);
        let body: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!((response.status, &body["error_code"]), (400, &"INVALID_REQUEST".into()), "{url}");
        assert_eq!(body["details"]["parameter"], parameter, "{url}");
    }
    assert_eq!(server.get("/documents?q=").status, 200, "a form with an empty field");
    assert_eq!(server.get("/health?from=balancer").status, 200);
}

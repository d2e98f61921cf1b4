//! What can be asked, as programs and people are told.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::{Quire, Server};

/// The description as the program gives it.
fn described(server: &Server) -> Value {
    let answer = server.get("/openapi.json");
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn people_get_a_page_with_everything_that_can_be_asked() {
    let quire = Quire::new();
    let server = quire.serve();
    let page = server.get("/docs");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"), "{}", page.head);
    // What the policy forbids is not needed: style comes from an address of its own, and there are no scripts.
    assert!(page.head.contains("content-security-policy: default-src 'self'"), "{}", page.head);
    assert!(!page.body.contains("<script") && !page.body.contains("<style"));
    assert!(page.body.contains("href=\"/docs/style.css\""));
    let style = server.get("/docs/style.css");
    assert!(style.status == 200 && style.head.contains("content-type: text/css"), "{}", style.head);
    let description = described(&server);
    assert_eq!(description["openapi"], "3.1.0");
    for path in description["paths"].as_object().unwrap().keys() {
        assert!(page.body.contains(&format!("<code>{path}</code>")), "{path}");
    }
}

#[test]
fn each_address_answers_to_the_methods_of_its_description_and_to_no_others() {
    let quire = Quire::new();
    let server = quire.serve();
    for (path, item) in described(&server)["paths"].as_object().unwrap() {
        let mut methods: BTreeSet<String> =
            item.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
        if methods.contains("GET") {
            methods.insert("HEAD".to_owned());
        }
        let address = path.replace("{id}", "0192f0c1-5b7a-7c3e-8f00-0123456789ab").replace("{number}", "1");
        let address = address.replace("{code}", "CONFLICT");
        let wrong =
            server.ask(&format!("PUT {address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        assert_eq!(wrong.status, 405, "{path}");
        let allowed = wrong.head.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap();
        let allowed: BTreeSet<_> = allowed.split(',').map(|name| name.trim().to_uppercase()).collect();
        assert_eq!(allowed, methods, "{path}");
    }
}

/// Proves R063 for what nobody asked for: a misspelt filter does not give everything.
#[test]
fn a_parameter_that_is_not_described_is_refused_by_its_name() {
    let quire = Quire::new();
    let server = quire.serve();
    for (address, parameter) in [
        ("/documents?stauts=FAILED", "stauts"),
        ("/documents?limit=1&limit=2", "limit"),
        ("/documents?status=", "status"),
        ("/documents/export?format=xml", "format"),
        ("/events?document=7", "document"),
    ] {
        let answer = server.get(address);
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status, &body["error_code"]), (400, &"INVALID_REQUEST".into()), "{address}");
        assert_eq!(body["details"]["parameter"], parameter, "{address}");
    }
    assert_eq!(server.get("/documents?q=").status, 200, "a form with an empty field");
    assert_eq!(server.get("/health?from=balancer").status, 200);
}

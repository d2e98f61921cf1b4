//! `quire serve`, from its ready line to its end.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::program::Quire;

#[test]
fn it_says_that_it_is_ready_answers_and_stops_when_asked() {
    let quire = Quire::new();
    let server = quire.serve();

    let live = server.get("/health/live");
    assert_eq!((live.status, live.body.as_str()), (200, r#"{"status":"alive"}"#));
    for path in ["/health", "/health/ready"] {
        let ready = server.get(path);
        let body = ready.json();
        assert_eq!(ready.status, 200);
        assert_eq!(body, json!({"status": "healthy", "database": "ok", "storage": "ok"}));
    }
    assert_eq!(server.json("/version")["version"], env!("CARGO_PKG_VERSION"));

    let ended = server.stop();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.err);
    assert_eq!(ended.out, "", "one line on stdout, and it came before");
    for logged in ended.err.lines() {
        let record: Value = serde_json::from_str(logged).unwrap_or_else(|_| panic!("not JSON: {logged}"));
        assert!(record.get("event_type").is_some() && record.get("run_id").is_some(), "{logged}");
    }
    assert!(quire.path("quire-data/quire.db").is_file());
}

#[test]
fn metrics_are_there_from_the_first_scrape() {
    let quire = Quire::new();
    let server = quire.serve();
    let metrics = server.get("/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.head.contains("content-type: text/plain; version=0.0.4"), "{}", metrics.head);
    for line in [
        "quire_lock_skips_total 0",
        "quire_runs_started_total{pipeline=\"document\"} 0",
        "quire_queue_depth{pipeline=\"document\",priority=\"high\"} 0",
        "quire_queue_oldest_seconds{pipeline=\"link\"} 0",
        "quire_runs_running 0",
    ] {
        assert!(metrics.body.lines().any(|found| found == line), "{line} is not in:\n{}", metrics.body);
    }
    assert!(metrics.body.contains("\nquire_slots "), "{}", metrics.body);
}

#[test]
fn an_unknown_address_gets_the_error_body_with_the_callers_id() {
    let quire = Quire::new();
    let server = quire.serve();
    let answer = server.ask(
        "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: abc-123\r\nConnection: close\r\n\r\n",
    );
    let body = answer.json();
    assert_eq!(answer.status, 404);
    assert_eq!((&body["error_code"], &body["correlation_id"]), (&json!("NOT_FOUND"), &json!("abc-123")));
    assert!(body["message"].is_string());
    assert!(answer.head.contains("x-request-id: abc-123"), "{}", answer.head);
}

#[test]
fn a_second_server_on_the_same_file_is_told_who_has_it() {
    let quire = Quire::new();
    let server = quire.serve();
    let refused = quire.refuses(&["serve", "--listen", "127.0.0.1:0"]);
    let holder = format!("(process {}) is already at work on this database", server.id());
    assert!(refused.contains(&holder), "{refused}");
    assert!(server.stop().status.success());
    assert!(quire.serve().stop().status.success(), "once it is gone, the next one starts");
}

#[test]
fn a_server_that_was_killed_leaves_nothing_in_the_way() {
    let quire = Quire::new();
    let server = quire.serve();
    server.signal("-KILL");
    drop(server);
    assert!(quire.serve().stop().status.success());
}

#[test]
fn it_answers_only_on_this_machine_while_nobody_has_a_key() {
    let quire = Quire::new();
    let refused = quire.refuses(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(refused.contains("0.0.0.0:0") && refused.contains("quire keys create"), "{refused}");
    assert!(!quire.path("quire-data").exists(), "nothing is made before the settings are good");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let quire = Quire::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = quire.refuses(&["serve", "--listen", &address]);
    assert!(refused.contains(&address) && refused.contains("--listen"), "{refused}");
}

#[test]
fn storage_that_has_gone_makes_it_degraded_and_not_dead() {
    let quire = Quire::new();
    quire.write("quire.toml", "[storage]\ndata = 'files'\ndatabase = 'sqlite:quire.db'");
    let server = quire.serve();
    // Root may write anywhere, so the folder goes altogether.
    std::fs::set_permissions(quire.path("files"), Permissions::from_mode(0o700)).unwrap();
    std::fs::remove_dir_all(quire.path("files")).unwrap();
    let ready = server.get("/health/ready");
    let body = ready.json();
    assert_eq!(ready.status, 503);
    assert_eq!(body, json!({"status": "degraded", "database": "ok", "storage": "error"}));
    assert_eq!(server.get("/health/live").status, 200);
}

#[test]
fn a_second_signal_does_not_wait() {
    let quire = Quire::new();
    let mut server = quire.serve();
    // A request that never ends keeps a graceful stop waiting.
    let _slow = server.begin("GET /health HTTP/1.1\r\nHost: localhost\r\n");
    server.signal("-INT");
    server.wait_for_log("shutting down");
    server.signal("-INT");
    assert_eq!(server.wait().code(), Some(130));
}

//! `quire serve`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::program::Cli;

#[test]
fn a_server_reports_that_it_is_ready_serves_and_stops() {
    let cli = Cli::new();
    let server = cli.serve();

    let live = server.get("/health/live");
    assert_eq!((live.status, live.body.as_str()), (200, r#"{"status":"alive"}"#));
    for path in ["/health", "/health/ready"] {
        let ready = server.get(path);
        let body = ready.json();
        assert_eq!(ready.status, 200);
        assert_eq!(body, json!({"status": "healthy", "database": "ok", "storage": "ok"}));
    }
    assert_eq!(server.json("/version")["version"], env!("CARGO_PKG_VERSION"));

    let output = server.stop();
    assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    assert_eq!(output.stdout, "", "nothing after the ready line");
    for logged in output.stderr.lines() {
        let record: Value = serde_json::from_str(logged).unwrap_or_else(|_| panic!("not JSON: {logged}"));
        assert!(record.get("event_type").is_some() && record.get("run_id").is_some(), "{logged}");
    }
    assert!(cli.path("quire-data/quire.db").is_file());
}

#[test]
fn metrics_are_complete_from_the_first_scrape() {
    let cli = Cli::new();
    let server = cli.serve();
    let metrics = server.get("/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.head.contains("content-type: text/plain; version=0.0.4"), "{}", metrics.head);
    for line in [
        "quire_lock_skips_total{source=\"redis\"} 0",
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
fn an_unknown_path_returns_an_error_with_the_request_id() {
    let cli = Cli::new();
    let server = cli.serve();
    let response = server.send_raw(
        "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: abc-123\r\nConnection: close\r\n\r\n",
    );
    let body = response.json();
    assert_eq!(response.status, 404);
    assert_eq!((&body["error_code"], &body["correlation_id"]), (&json!("NOT_FOUND"), &json!("abc-123")));
    assert!(body["message"].is_string());
    assert!(response.head.contains("x-request-id: abc-123"), "{}", response.head);
}

#[test]
fn a_second_server_on_the_same_database_is_refused() {
    let cli = Cli::new();
    let server = cli.serve();
    let refused = cli.run_err(&["serve", "--listen", "127.0.0.1:0"]);
    let holder = format!("(process {}) is already at work on this database", server.id());
    assert!(refused.contains(&holder), "{refused}");
    assert!(server.stop().status.success());
    assert!(cli.serve().stop().status.success(), "after it has stopped, the next one starts");
}

#[test]
fn after_a_kill_the_next_server_starts() {
    let cli = Cli::new();
    let server = cli.serve();
    server.signal("-KILL");
    drop(server);
    assert!(cli.serve().stop().status.success());
}

#[test]
fn a_public_address_is_refused_without_a_key() {
    let cli = Cli::new();
    let refused = cli.run_err(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(refused.contains("0.0.0.0:0") && refused.contains("quire keys create"), "{refused}");
    assert!(!cli.path("quire-data").exists(), "nothing was created");
}

#[test]
fn a_port_in_use_is_named() {
    let cli = Cli::new();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let refused = cli.run_err(&["serve", "--listen", &address]);
    assert!(refused.contains(&address) && refused.contains("--listen"), "{refused}");
}

#[test]
fn without_its_data_folder_the_server_is_degraded_and_alive() {
    let cli = Cli::new();
    cli.write("quire.toml", "[storage]\ndata = 'files'\ndatabase = 'sqlite:quire.db'");
    let server = cli.serve();
    // Root may write anywhere, so the whole folder is removed.
    std::fs::set_permissions(cli.path("files"), Permissions::from_mode(0o700)).unwrap();
    std::fs::remove_dir_all(cli.path("files")).unwrap();
    let ready = server.get("/health/ready");
    let body = ready.json();
    assert_eq!(ready.status, 503);
    assert_eq!(body, json!({"status": "degraded", "database": "ok", "storage": "error"}));
    assert_eq!(server.get("/health/live").status, 200);
}

#[test]
fn a_second_signal_stops_at_once() {
    let cli = Cli::new();
    let mut server = cli.serve();
    // An unfinished request delays a graceful stop.
    let _slow = server.begin_request("GET /health HTTP/1.1\r\nHost: localhost\r\n");
    server.signal("-INT");
    server.wait_for_log("shutting down");
    server.signal("-INT");
    assert_eq!(server.wait().code(), Some(130));
}

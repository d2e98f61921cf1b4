//! The token in `server.auth_token`.

use crate::program::Cli;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R077 for `AUTH_TOKEN`.
    the_auth_token_is_required_and_may_do_everything with [("AUTH_TOKEN", super::TOKEN)],
}

const TOKEN: &str = "4f1c0a9be27d5863f0b1c2d3e4a59687";

async fn the_auth_token_is_required_and_may_do_everything(env: &TestEnv) {
    let server = env.cli.serve_on("0.0.0.0:0");
    assert_eq!(server.request("GET /version", "").status, 401);
    assert_eq!(
        server.request("GET /version", "Authorization: Bearer 4f1c0a9be27d5863f0b1c2d3e4a59688\r\n").status,
        401
    );
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    let version = server.request("GET /version", &bearer);
    assert_eq!((version.status, &version.json()["commit"]), (200, &serde_json::Value::Null));
    assert_eq!(server.request("GET /metrics", &bearer).status, 200);
    assert_eq!(server.request("GET /health", "").status, 200);
    let logged = server.stop().stderr;
    assert!(!logged.contains(TOKEN), "{logged}");
}

#[test]
fn the_auth_token_is_never_printed_and_one_that_can_be_guessed_is_refused() {
    let shown = Cli::new().with("AUTH_TOKEN", TOKEN).run_ok(&["config"]);
    assert!(shown.contains("auth_token = \"***\"  # from environment variable AUTH_TOKEN\n"), "{shown}");
    assert!(!shown.contains(TOKEN), "{shown}");
    for guessable in ["hunter2", "correct-horse-battery-staple", "0123456789abcdef0123456789abcdef"] {
        let refused = Cli::new().with("AUTH_TOKEN", guessable).run_err(&["serve"]);
        assert!(refused.contains("AUTH_TOKEN") && refused.contains("openssl rand -hex 32"), "{refused}");
        assert!(!refused.contains(guessable), "{refused}");
    }
    let blank = Cli::new().with("AUTH_TOKEN", "  ");
    let server = blank.serve();
    assert_eq!(server.request("GET /version", "").status, 200, "a blank token is none");
}

#[test]
fn the_version_comes_from_the_environment() {
    let cli = Cli::new().with("APP_VERSION", "7.1").with("GIT_COMMIT", "abc123").with("BUILD_DATE", "");
    let server = cli.serve();
    let version = server.request("GET /version", "").json();
    assert_eq!(version, serde_json::json!({"version": "7.1", "commit": "abc123", "build_date": null}));
}

//! The token from the settings.

use super::ask;
use crate::program::Quire;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R077 for `AUTH_TOKEN`.
    a_token_in_the_environment_is_asked_for_and_is_good_for_everything with [("AUTH_TOKEN", super::TOKEN)],
}

const TOKEN: &str = "correct-horse-battery";

async fn a_token_in_the_environment_is_asked_for_and_is_good_for_everything(scene: &Scene) {
    let server = scene.quire.serve_on("0.0.0.0:0");
    assert_eq!(ask(&server, "GET /version", "").status, 401);
    assert_eq!(ask(&server, "GET /version", "Authorization: Bearer correct-horse-batterz\r\n").status, 401);
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    let version = ask(&server, "GET /version", &bearer);
    assert_eq!((version.status, &version.json()["commit"]), (200, &serde_json::Value::Null));
    assert_eq!(ask(&server, "GET /metrics", &bearer).status, 200);
    assert_eq!(ask(&server, "GET /health", "").status, 200);
    let logged = server.stop().err;
    assert!(!logged.contains(TOKEN), "{logged}");
}

#[test]
fn a_token_is_not_shown_and_one_that_can_be_guessed_is_refused() {
    let shown = Quire::new().with("AUTH_TOKEN", TOKEN).says(&["config"]);
    assert!(shown.contains("auth_token = \"***\"  # from environment variable AUTH_TOKEN\n"), "{shown}");
    assert!(!shown.contains(TOKEN), "{shown}");
    let refused = Quire::new().with("AUTH_TOKEN", "hunter2").refuses(&["serve"]);
    assert!(refused.contains("AUTH_TOKEN") && refused.contains("16 characters"), "{refused}");
    assert!(!refused.contains("hunter2"), "{refused}");
    let blank = Quire::new().with("AUTH_TOKEN", "  ");
    let server = blank.serve();
    assert_eq!(ask(&server, "GET /version", "").status, 200, "blank is none");
}

#[test]
fn whoever_built_the_program_can_say_so() {
    let quire = Quire::new().with("APP_VERSION", "7.1").with("GIT_COMMIT", "abc123").with("BUILD_DATE", "");
    let server = quire.serve();
    let version = ask(&server, "GET /version", "").json();
    assert_eq!(version, serde_json::json!({"version": "7.1", "commit": "abc123", "build_date": null}));
}

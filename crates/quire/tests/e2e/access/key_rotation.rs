//! Keys that expire, that get another secret, and that tell their last use.

use serde_json::json;

use super::audit::accesses;
use super::login::{cookie, login};
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R077 for keys with another secret.
    a_rotated_key_keeps_the_name_of_its_holder_and_the_old_secret_ends with crate::access::NO_PROCESSING,
    /// Proves R077 for keys that expire.
    an_expired_key_is_refused_for_its_own_reason_and_can_be_renewed with crate::access::NO_PROCESSING,
    the_last_use_of_a_key_is_listed with crate::access::NO_PROCESSING,
}

/// Runs a command that prints a key.
fn key_of(env: &TestEnv, arguments: &[&str]) -> String {
    env.cli.run_ok(arguments).trim_end().to_owned()
}

fn get(server: &TestServer, key: &str) -> Response {
    server.request("GET /documents", &format!("Authorization: Bearer {key}\r\n"))
}

/// The status of a response with the reason of its refusal.
fn refusal(response: &Response) -> (u16, String) {
    (response.status, response.json()["details"]["reason"].as_str().unwrap_or_default().to_owned())
}

async fn a_rotated_key_keeps_the_name_of_its_holder_and_the_old_secret_ends(env: &TestEnv) {
    let first = key_of(env, &["keys", "create", "--name", "alma", "--role", "read"]);
    let server = env.cli.serve();
    let session = cookie(&login(&server, "", &first, ""));
    assert_eq!(get(&server, &first).status, 200);

    let second = key_of(env, &["keys", "rotate", "alma", "--keep-old", "1h"]);
    assert_eq!([&first, &second].map(|key| get(&server, key).status), [200, 200], "both for an hour");
    assert_eq!(server.request("GET /documents", &session).status, 200, "people need not log in again");
    env.sql.execute("UPDATE api_keys SET previous_until = rotated_at").await.unwrap();
    let ended = get(&server, &first);
    assert_eq!(refusal(&ended), (401, "KEY_REPLACED".to_owned()), "the hour is over: {}", ended.body);
    assert_eq!(server.request("GET /documents", &session).status, 401, "a login ends with its secret");
    let form = login(&server, "", &first, "");
    assert!(form.status == 401 && form.body.contains("replaced by a new one"), "{}", form.body);

    let third = key_of(env, &["keys", "rotate", "alma"]);
    let refusals = [&first, &second].map(|key| refusal(&get(&server, key)));
    assert_eq!(refusals, [(401, "WRONG_KEY".to_owned()), (401, "KEY_REPLACED".to_owned())], "at once");
    assert_eq!(get(&server, &third).status, 200);

    wait_until(async || accesses(env).await.len() >= 5).await;
    let actors: Vec<_> = accesses(env).await.into_iter().map(|event| event.actor).collect();
    assert!(actors.iter().all(|actor| actor.as_deref() == Some("alma")), "one person: {actors:?}");
    let listed = env.cli.run_json(&["keys", "list", "--json"]);
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["name"]), (1, &json!("alma")));
    assert!(listed[0]["rotated_at"].is_string(), "{listed}");

    assert!(env.cli.run_err(&["keys", "rotate", "nobody"]).contains("nobody"));
    env.cli.run_ok(&["keys", "revoke", "alma"]);
    assert!(env.cli.run_err(&["keys", "rotate", "alma"]).contains("revoked"));
    let log = server.stop().stderr;
    let refused: Vec<_> = log.lines().filter(|line| line.contains("replaced_key")).collect();
    assert!(refused.len() == 3 && refused.iter().all(|line| line.contains("alma")), "{log}");
}

async fn an_expired_key_is_refused_for_its_own_reason_and_can_be_renewed(env: &TestEnv) {
    let create = ["keys", "create", "--name", "locum", "--role", "metrics,read", "--expires-in", "30d"];
    let old = key_of(env, &create);
    let server = env.cli.serve();
    let session = cookie(&login(&server, "", &old, ""));
    assert_eq!(get(&server, &old).status, 200);
    let listed = env.cli.run_json(&["keys", "list", "--json"]);
    assert!(listed[0]["expires_at"].is_string(), "{listed}");

    env.sql.execute("UPDATE api_keys SET expires_at = created_at").await.unwrap();
    let refused = get(&server, &old);
    assert_eq!(refusal(&refused), (401, "KEY_EXPIRED".to_owned()), "{}", refused.body);
    assert_eq!(refused.error_code(), "UNAUTHORIZED");
    assert_eq!(server.request("GET /documents", &session).status, 401, "its logins end, too");
    let form = login(&server, "", &old, "");
    assert!(form.status == 401 && form.body.contains("has expired"), "{}", form.body);

    let renewed = key_of(env, &["keys", "rotate", "locum", "--keep-old", "7d", "--expires-in", "30d"]);
    assert_eq!(get(&server, &renewed).status, 200);
    assert_eq!(get(&server, &old).status, 401, "keeping a secret does not prolong it");
    let metrics = server.request("GET /metrics", &format!("Authorization: Bearer {renewed}\r\n")).body;
    for (reason, count) in [("expired_key", 2), ("replaced_key", 1)] {
        let line = format!("quire_requests_refused_total{{status=\"401\",reason=\"{reason}\"}} {count}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    let log = server.stop().stderr;
    let refused: Vec<_> = log.lines().filter(|line| line.contains("expired_key")).collect();
    assert!(refused.len() == 2 && refused.iter().all(|line| line.contains("locum")), "{log}");
    assert!(!log.contains(&old[40..]), "the key is in the log");
}

async fn the_last_use_of_a_key_is_listed(env: &TestEnv) {
    let [key, other] = ["alma", "bruno"].map(|name| {
        let create = ["keys", "create", "--name", name, "--role", "read"];
        key_of(env, &create)
    });
    let server = env.cli.serve();
    let listed = || env.cli.run_json(&["keys", "list", "--json"]);
    assert!(listed()[0]["last_used_at"].is_null());
    for _ in 0..20 {
        assert_eq!(get(&server, &key).status, 200);
    }
    wait_until(async || listed()[0]["last_used_at"].is_string()).await;
    assert!(listed()[1]["last_used_at"].is_null(), "bruno was not here");
    let session = cookie(&login(&server, "", &other, ""));
    assert_eq!(server.request("GET /documents", &session).status, 200);
    wait_until(async || listed()[1]["last_used_at"].is_string()).await;
}

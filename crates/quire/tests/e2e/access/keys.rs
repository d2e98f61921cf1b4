//! API keys, their roles, and keys that are created and revoked while a server runs.

use serde_json::{Value, json};

use super::{upload, upload_text};
use crate::program::Cli;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    exports_and_metrics_have_roles_of_their_own with crate::access::NO_PROCESSING,
    /// Proves R074 and R077.
    a_key_may_do_what_its_roles_allow_and_nothing_else with crate::access::NO_PROCESSING,
    /// Proves R077 while a server runs.
    creating_a_key_requires_one_and_a_revoked_key_is_refused with crate::access::NO_PROCESSING,
    /// Proves R077 for where the server listens.
    a_public_address_needs_a_key with crate::access::NO_PROCESSING,
}

async fn a_key_may_do_what_its_roles_allow_and_nothing_else(env: &TestEnv) {
    let (reader, operator) = (env.create_key("reader", "read"), env.create_key("operator", "operate"));
    let (reviewer, admin) = (env.create_key("reviewer", "review,govern"), env.create_key("admin", "admin"));
    let server = env.cli.serve();
    for path in ["/health", "/health/live", "/health/ready"] {
        assert_eq!(server.request(&format!("GET {path}"), "").status, 200, "{path}");
    }
    for path in ["/documents", "/metrics", "/version", "/nowhere", "/runs/x"] {
        for wrong in ["", "Authorization: Bearer quire_x\r\n", "Authorization: Basic abc\r\n"] {
            let refused = server.request(&format!("GET {path}"), wrong);
            assert_eq!(
                (refused.status, refused.error_code().as_str()),
                (401, "UNAUTHORIZED"),
                "{path} {wrong}"
            );
            assert!(refused.head.contains("www-authenticate: bearer"), "{}", refused.head);
            assert!(refused.head.contains("x-request-id: "), "{}", refused.head);
        }
    }
    for (key, read, unknown, uploaded) in [
        (&reader, 200, 404, 403),
        (&operator, 403, 403, 201),
        (&reviewer, 200, 404, 403),
        (&admin, 200, 404, 201),
    ] {
        assert_eq!(server.request("GET /documents", key).status, read, "the role operate may not read");
        assert_eq!(server.request("HEAD /version", key).status, read);
        assert_eq!(upload(&server, key).status, uploaded);
        let unknown_document = "GET /documents/0192f0c1-5b7a-7c3e-8f00-0123456789ab";
        assert_eq!(server.request(unknown_document, key).status, unknown);
    }
    let large = "El paciente come bien y duerme toda la noche.\n".repeat(200_000);
    assert_eq!(
        upload_text(&server, "", &large).status,
        401,
        "the response comes before the whole body is sent"
    );
    let refused = upload(&server, &reader);
    let body: Value = serde_json::from_str(&refused.body).unwrap();
    assert_eq!((&body["error_code"], &body["details"]), (&json!("FORBIDDEN"), &json!({"role": "operate"})));
    let other_origin = admin.clone() + "Origin: https://elsewhere.example\r\n";
    let from_elsewhere = server.send_raw(&format!(
        "GET /documents HTTP/1.1\r\nHost: records.example\r\nConnection: close\r\n{other_origin}\r\n"
    ));
    assert_eq!(from_elsewhere.status, 200, "with a key, any Host header is accepted");
}

async fn exports_and_metrics_have_roles_of_their_own(env: &TestEnv) {
    let [reader, exporter, prometheus] =
        ["read", "export", "metrics"].map(|role| env.create_key(&format!("only-{role}"), role));
    let server = env.cli.serve();
    for (key, list, export, metrics) in
        [(&reader, 200, 403, 200), (&exporter, 403, 200, 403), (&prometheus, 403, 403, 200)]
    {
        assert_eq!(server.request("GET /documents", key).status, list);
        assert_eq!(server.request("GET /documents/export?format=csv", key).status, export);
        assert_eq!(server.request("GET /metrics", key).status, metrics);
    }
}

async fn creating_a_key_requires_one_and_a_revoked_key_is_refused(env: &TestEnv) {
    let server = env.cli.serve();
    assert_eq!(server.request("GET /documents", "").status, 200, "no key is required yet");
    let key = env.create_key("first", "read");
    wait_until(async || server.request("GET /documents", "").status == 401).await;
    assert_eq!(server.request("GET /documents", &key).status, 200);
    env.cli.run_ok(&["keys", "revoke", "first"]);
    assert_eq!(server.request("GET /documents", &key).status, 401, "at once");
    assert_eq!(server.request("GET /documents", "").status, 401, "a key existed, so one is required");
    assert_eq!(env.store.credentials.any().await, Ok(true));
    drop(server);
    let server = env.cli.serve();
    assert_eq!(server.request("GET /documents", "").status, 401, "also after a restart");
}

async fn a_public_address_needs_a_key(env: &TestEnv) {
    let refused = env.cli.run_err(&["serve", "--listen", "0.0.0.0:0"]);
    for word in ["0.0.0.0", "quire keys create", "AUTH_TOKEN", "127.0.0.1"] {
        assert!(refused.contains(word), "{refused}");
    }
    env.create_key("first", "read");
    env.cli.run_ok(&["keys", "revoke", "first"]);
    env.cli.run_err(&["serve", "--listen", "0.0.0.0:0"]);
    let key = env.create_key("second", "read");
    env.sql.execute("UPDATE api_keys SET expires_at = created_at WHERE revoked_at IS NULL").await.unwrap();
    let refused = env.cli.run_err(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(refused.contains("no valid API key"), "an expired key lets nobody in: {refused}");
    env.sql.execute("UPDATE api_keys SET expires_at = NULL WHERE revoked_at IS NULL").await.unwrap();
    let server = env.cli.serve_on("0.0.0.0:0");
    assert_eq!(server.request("GET /documents", "").status, 401);
    assert_eq!(server.request("GET /documents", &key).status, 200);
}

/// Proves R077 for workers.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_on_a_public_address_needs_a_key() {
    let env = TestEnv::on_postgresql(&super::NO_PROCESSING).await;
    let refused = env.cli.run_err(&["worker", "--listen", "0.0.0.0:0"]);
    assert!(refused.contains("quire keys create") && refused.contains("AUTH_TOKEN"), "{refused}");
    env.create_key("prometheus", "read");
    let worker = env.cli.start(&["worker", "--listen", "0.0.0.0:0"]);
    assert_eq!(worker.first_line, "Quire worker is ready\n");
    assert_eq!(worker.stop().status.code(), Some(0));
}

/// The first command on a new machine may create a key. Its standard output is only the key, for scripts.
#[test]
fn a_key_can_be_created_first_and_is_printed_once() {
    let cli = Cli::new();
    let created = cli.run(&["keys", "create", "--name", "alma", "--role", "review,operate"]);
    assert!(created.status.success(), "{}", created.stderr);
    assert!(
        created.stdout.starts_with("quire_") && created.stdout.lines().count() == 1,
        "{}",
        created.stdout
    );
    assert!(
        created.stderr.contains("alma (operate,review)") && !created.stderr.contains(created.stdout.trim()),
        "{}",
        created.stderr
    );

    let listed: Value = serde_json::from_str(&cli.run_ok(&["keys", "list", "--json"])).unwrap();
    assert_eq!((&listed[0]["name"], &listed[0]["roles"]), (&json!("alma"), &json!(["operate", "review"])));
    assert_eq!(listed[0]["revoked_at"], json!(null));
    let secret = created.stdout.trim().rsplit('_').next().unwrap();
    for shown in [listed.to_string(), cli.run_ok(&["keys", "list"])] {
        assert!(shown.contains("alma") && !shown.contains(secret), "{shown}");
    }
    let file = std::fs::read(cli.path("quire-data/quire.db")).unwrap();
    assert!(!file.windows(16).any(|bytes| bytes == &secret.as_bytes()[..16]), "only its hash is stored");

    let duplicate = cli.run_err(&["keys", "create", "--name", "alma", "--role", "read"]);
    assert!(duplicate.contains("alma"), "{duplicate}");
    let unknown = cli.run(&["keys", "create", "--name", "x", "--role", "root"]);
    assert!(unknown.stderr.contains("root") && unknown.stderr.contains("govern"), "{}", unknown.stderr);
    assert!(cli.run_err(&["keys", "revoke", "nobody"]).contains("nobody"));
    let by_id = cli.run_ok(&["keys", "revoke", listed[0]["id"].as_str().unwrap()]);
    assert!(by_id.contains("alma"), "{by_id}");
}

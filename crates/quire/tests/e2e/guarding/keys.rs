//! Keys, their roles, and what happens to a running server when they come and go.

use serde_json::{Value, json};

use super::{ask, upload, upload_text};
use crate::program::Quire;
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R074 and R077.
    a_key_does_what_its_roles_allow_and_nothing_else with crate::guarding::QUIET,
    /// Proves R077 while a server runs.
    a_key_that_is_made_closes_the_server_and_one_that_is_revoked_opens_nothing with crate::guarding::QUIET,
    /// Proves R077 for where the server listens.
    beyond_this_machine_it_answers_only_with_a_key with crate::guarding::QUIET,
}

async fn a_key_does_what_its_roles_allow_and_nothing_else(scene: &Scene) {
    let (reader, operator) = (scene.key("reader", "read"), scene.key("operator", "operate"));
    let (reviewer, admin) = (scene.key("reviewer", "review,govern"), scene.key("admin", "admin"));
    let server = scene.quire.serve();
    for path in ["/health", "/health/live", "/health/ready"] {
        assert_eq!(ask(&server, &format!("GET {path}"), "").status, 200, "{path}");
    }
    for path in ["/documents", "/metrics", "/version", "/nowhere", "/runs/x"] {
        for wrong in ["", "Authorization: Bearer quire_x\r\n", "Authorization: Basic abc\r\n"] {
            let refused = ask(&server, &format!("GET {path}"), wrong);
            assert_eq!((refused.status, refused.code().as_str()), (401, "UNAUTHORIZED"), "{path} {wrong}");
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
        assert_eq!(ask(&server, "GET /documents", key).status, read, "bringing in is not looking at");
        assert_eq!(ask(&server, "HEAD /version", key).status, read);
        assert_eq!(upload(&server, key).status, uploaded);
        let nobody = "GET /documents/0192f0c1-5b7a-7c3e-8f00-0123456789ab";
        assert_eq!(ask(&server, nobody, key).status, unknown);
    }
    let large = "El paciente come bien y duerme toda la noche.\n".repeat(200_000);
    assert_eq!(upload_text(&server, "", &large).status, 401, "the answer comes, however much is being sent");
    let refused = upload(&server, &reader);
    let body: Value = serde_json::from_str(&refused.body).unwrap();
    assert_eq!((&body["error_code"], &body["details"]), (&json!("FORBIDDEN"), &json!({"role": "operate"})));
    let far = admin.clone() + "Origin: https://elsewhere.example\r\n";
    let from_far = server
        .ask(&format!("GET /documents HTTP/1.1\r\nHost: records.example\r\nConnection: close\r\n{far}\r\n"));
    assert_eq!(from_far.status, 200, "with a key it does not matter by which name the server is asked");
}

async fn a_key_that_is_made_closes_the_server_and_one_that_is_revoked_opens_nothing(scene: &Scene) {
    let server = scene.quire.serve();
    assert_eq!(ask(&server, "GET /documents", "").status, 200, "nobody is asked yet");
    let key = scene.key("first", "read");
    wait_until(async || ask(&server, "GET /documents", "").status == 401).await;
    assert_eq!(ask(&server, "GET /documents", &key).status, 200);
    scene.quire.says(&["keys", "revoke", "first"]);
    assert_eq!(ask(&server, "GET /documents", &key).status, 401, "at once");
    assert_eq!(ask(&server, "GET /documents", "").status, 401, "there was a key, so somebody is asked");
    assert_eq!(scene.store.credentials.any().await, Ok(true));
    drop(server);
    let server = scene.quire.serve();
    assert_eq!(ask(&server, "GET /documents", "").status, 401, "also after a restart");
}

async fn beyond_this_machine_it_answers_only_with_a_key(scene: &Scene) {
    let refused = scene.quire.refuses(&["serve", "--listen", "0.0.0.0:0"]);
    for word in ["0.0.0.0", "quire keys create", "AUTH_TOKEN", "127.0.0.1"] {
        assert!(refused.contains(word), "{refused}");
    }
    scene.key("first", "read");
    scene.quire.says(&["keys", "revoke", "first"]);
    scene.quire.refuses(&["serve", "--listen", "0.0.0.0:0"]);
    let key = scene.key("second", "read");
    let server = scene.quire.serve_on("0.0.0.0:0");
    assert_eq!(ask(&server, "GET /documents", "").status, 401);
    assert_eq!(ask(&server, "GET /documents", &key).status, 200);
}

/// Proves R077 for workers.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_shows_its_figures_to_other_machines_only_with_a_key() {
    let scene = Scene::on_postgresql(&super::QUIET).await;
    let refused = scene.quire.refuses(&["worker", "--listen", "0.0.0.0:0"]);
    assert!(refused.contains("quire keys create") && refused.contains("AUTH_TOKEN"), "{refused}");
    scene.key("prometheus", "read");
    let worker = scene.quire.start(&["worker", "--listen", "0.0.0.0:0"]);
    assert_eq!(worker.said, "Quire worker is ready\n");
    assert_eq!(worker.stop().status.code(), Some(0));
}

/// A new machine begins with a key, and a script takes it from the one line there is.
#[test]
fn the_first_command_on_a_new_machine_can_make_a_key_that_is_shown_once() {
    let quire = Quire::new();
    let made = quire.run(&["keys", "create", "--name", "alma", "--role", "review,operate"]);
    assert!(made.status.success(), "{}", made.err);
    assert!(made.out.starts_with("quire_") && made.out.lines().count() == 1, "{}", made.out);
    assert!(
        made.err.contains("alma (operate,review)") && !made.err.contains(made.out.trim()),
        "{}",
        made.err
    );

    let listed: Value = serde_json::from_str(&quire.says(&["keys", "list", "--json"])).unwrap();
    assert_eq!((&listed[0]["name"], &listed[0]["roles"]), (&json!("alma"), &json!(["operate", "review"])));
    assert_eq!(listed[0]["revoked_at"], json!(null));
    let secret = made.out.trim().rsplit('_').next().unwrap();
    for shown in [listed.to_string(), quire.says(&["keys", "list"])] {
        assert!(shown.contains("alma") && !shown.contains(secret), "{shown}");
    }
    let file = std::fs::read(quire.path("quire-data/quire.db")).unwrap();
    assert!(!file.windows(16).any(|bytes| bytes == &secret.as_bytes()[..16]), "only its hash is kept");

    let taken = quire.refuses(&["keys", "create", "--name", "alma", "--role", "read"]);
    assert!(taken.contains("alma"), "{taken}");
    let unknown = quire.run(&["keys", "create", "--name", "x", "--role", "root"]);
    assert!(unknown.err.contains("root") && unknown.err.contains("govern"), "{}", unknown.err);
    assert!(quire.refuses(&["keys", "revoke", "nobody"]).contains("nobody"));
    let by_id = quire.says(&["keys", "revoke", listed[0]["id"].as_str().unwrap()]);
    assert!(by_id.contains("alma"), "{by_id}");
}

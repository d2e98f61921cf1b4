//! Health while something is gone.

use serde_json::json;

use super::ask;
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R077 and R080.
    a_database_without_its_tables_is_unhealthy_and_nobody_is_let_in_on_a_guess with crate::guarding::QUIET,
    /// Proves R080.
    a_data_folder_that_is_gone_is_unhealthy_and_the_process_lives with crate::guarding::QUIET,
}

async fn a_database_without_its_tables_is_unhealthy_and_nobody_is_let_in_on_a_guess(scene: &Scene) {
    let server = scene.quire.serve();
    assert_eq!(ask(&server, "GET /documents", "").status, 200);
    assert_eq!(ask(&server, "GET /health", "").status, 200);
    scene.store.migrations.down(0).await.unwrap();
    for path in ["/health", "/health/ready"] {
        let ready = ask(&server, &format!("GET {path}"), "");
        assert_eq!((ready.status, &ready.json()["database"]), (503, &json!("error")), "{path}");
        assert_eq!(ready.json()["status"], "degraded");
    }
    assert_eq!(ask(&server, "GET /health/live", "").status, 200);
    // That there is no key is believed for a second.
    wait_until(async || ask(&server, "GET /version", "").status == 503).await;
    let refused = ask(&server, "GET /documents", "Authorization: Bearer something\r\n");
    assert_eq!((refused.status, refused.code().as_str()), (503, "SERVICE_UNAVAILABLE"));
    assert!(refused.head.contains("retry-after: "), "{}", refused.head);
}

async fn a_data_folder_that_is_gone_is_unhealthy_and_the_process_lives(scene: &Scene) {
    let server = scene.quire.serve();
    // Root may write anywhere, so the folder goes altogether; a database in it stays open.
    std::fs::rename(scene.quire.path("quire-data"), scene.quire.path("elsewhere")).unwrap();
    let ready = ask(&server, "GET /health", "");
    assert_eq!((ready.status, &ready.json()["storage"]), (503, &json!("error")));
    assert_eq!(ask(&server, "GET /health/live", "").status, 200);
    std::fs::rename(scene.quire.path("elsewhere"), scene.quire.path("quire-data")).unwrap();
    assert_eq!(ask(&server, "GET /health", "").status, 200, "and well again when it is back");
}

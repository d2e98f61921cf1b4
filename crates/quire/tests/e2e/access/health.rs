//! Health checks without database tables or data folder.

use serde_json::json;

use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R077 and R080.
    without_its_tables_the_server_is_unhealthy_and_refuses_requests with crate::access::NO_PROCESSING,
    /// Proves R080.
    without_its_data_folder_the_server_is_unhealthy_and_keeps_running with crate::access::NO_PROCESSING,
}

async fn without_its_tables_the_server_is_unhealthy_and_refuses_requests(env: &TestEnv) {
    let server = env.cli.serve();
    assert_eq!(server.request("GET /documents", "").status, 200);
    assert_eq!(server.request("GET /health", "").status, 200);
    env.store.migrations.down(0).await.unwrap();
    for path in ["/health", "/health/ready"] {
        let ready = server.request(&format!("GET {path}"), "");
        assert_eq!((ready.status, &ready.json()["database"]), (503, &json!("error")), "{path}");
        assert_eq!(ready.json()["status"], "degraded");
    }
    assert_eq!(server.request("GET /health/live", "").status, 200);
    // That there are no keys is cached for a second.
    wait_until(async || server.request("GET /version", "").status == 503).await;
    let refused = server.request("GET /documents", "Authorization: Bearer something\r\n");
    assert_eq!((refused.status, refused.error_code().as_str()), (503, "SERVICE_UNAVAILABLE"));
    assert!(refused.head.contains("retry-after: "), "{}", refused.head);
}

async fn without_its_data_folder_the_server_is_unhealthy_and_keeps_running(env: &TestEnv) {
    let server = env.cli.serve();
    // Root may write anywhere, so the whole folder is moved. An open database stays open.
    std::fs::rename(env.cli.path("quire-data"), env.cli.path("elsewhere")).unwrap();
    let ready = server.request("GET /health", "");
    assert_eq!((ready.status, &ready.json()["storage"]), (503, &json!("error")));
    assert_eq!(server.request("GET /health/live", "").status, 200);
    std::fs::rename(env.cli.path("elsewhere"), env.cli.path("quire-data")).unwrap();
    assert_eq!(server.request("GET /health", "").status, 200, "healthy again when it is back");
}

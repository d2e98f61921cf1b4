//! Proposals in the lane of their model.

use serde_json::json;

use super::{ended, provider, send_idea, statuses, use_model};
use crate::model::lanes::lane_of;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R213 for proposals: they wait in the same lane as documents.
    a_proposal_waits_in_the_paused_lane_of_its_model_and_asks_nobody,
}

async fn a_proposal_waits_in_the_paused_lane_of_its_model_and_asks_nobody(env: &TestEnv) {
    let model = provider([0.8; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    let lane = lane_of(&model);
    assert_eq!(server.post(&format!("/lanes/{lane}/pause")).status, 200);
    wait_until(async || {
        server.get("/metrics").body.contains(&format!("quire_lane_closed{{lane=\"{lane}\"}} 1\n"))
    })
    .await;
    let run = send_idea(&server, "Umbrellas for everybody.");
    let shown = || env.cli.run_json(&["runs", "show", &run.to_string(), "--json"]);
    wait_until(async || shown()["lane"] == json!(lane)).await;
    assert_eq!(shown()["state"], "QUEUED");
    assert_eq!(statuses(&server.json(&format!("/v1/runs/{run}"))), ["pending"; 7]);
    assert!(model.requests().is_empty());

    assert_eq!(server.post(&format!("/lanes/{lane}/resume")).status, 200);
    let detail = ended(env, &server, run).await;
    assert_eq!((&detail["status"], &detail["retry_count"]), (&json!("completed"), &json!(0)));
    assert_eq!(model.requests().len(), 6);
}

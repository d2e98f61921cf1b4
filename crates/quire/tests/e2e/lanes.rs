//! Lanes over HTTP, in the metrics and in `quire queue`.

use quire_domain::EventType;
use quire_ports::EventFilter;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::reading::ocr::scan;
use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::uploads::upload_document;

on_both_stores! {
    /// A pipeline is a lane too.
    a_paused_pipeline_is_visible_and_goes_on_when_it_is_resumed,
    only_known_lanes_can_be_paused,
    /// Proves R213 for text recognition: a scan waits for its lane, and text documents overtake it.
    a_scan_waits_while_text_recognition_is_paused_and_holds_no_slot with [("QUIRE_ENGINE_SLOTS", "1")],
}

const DOCUMENTS: &str = "pipeline:document";

fn lane(lanes: &Value, name: &str) -> Value {
    let items = lanes["items"].as_array().unwrap();
    items.iter().find(|lane| lane["name"] == name).cloned().unwrap_or_else(|| panic!("{lanes}"))
}

/// Waits until the engine has seen that the lane is closed or open.
async fn wait_until_seen(server: &TestServer, closed: u8) {
    let line = format!("quire_lane_closed{{lane=\"{DOCUMENTS}\"}} {closed}\n");
    wait_until(async || server.get("/metrics").body.contains(&line)).await;
}

async fn a_paused_pipeline_is_visible_and_goes_on_when_it_is_resumed(env: &TestEnv) {
    let server = env.cli.serve();
    assert_eq!(lane(&server.json("/lanes"), DOCUMENTS)["state"], "OPEN");
    let paused = server.post(&format!("/lanes/{DOCUMENTS}/pause"));
    assert_eq!(paused.status, 200, "{}", paused.body);
    let paused = lane(&paused.json(), DOCUMENTS);
    assert_eq!((&paused["state"], &paused["paused_by"]), (&json!("PAUSED"), &json!("local")));
    wait_until_seen(&server, 1).await;

    let document = upload_document(&server, &clinical_record(1), "");
    let queue = env.cli.run_json(&["queue", "--json"]);
    let shown = queue["lanes"].as_array().unwrap().iter().find(|lane| lane["name"] == DOCUMENTS).unwrap();
    assert_eq!((&shown["state"], &shown["paused_by"]), (&json!("PAUSED"), &json!("local")));
    assert!(env.cli.run_ok(&["queue"]).contains("paused"));
    assert_eq!(env.runs_of(document).await[0].state.as_str(), "QUEUED");

    assert_eq!(server.post(&format!("/lanes/{DOCUMENTS}/resume")).status, 200);
    env.wait_until_completed(document).await;
    assert_eq!(lane(&server.json("/lanes"), DOCUMENTS)["state"], "OPEN");
    let events =
        env.store.run_reader.events(quire_domain::EventId(0), EventFilter::default(), 1000).await.unwrap();
    let of_lanes = events.iter().map(|recorded| &recorded.event).filter(|event| event.lane.is_some());
    let of_lanes: Vec<_> = of_lanes.map(|event| (event.event_type, event.actor.as_deref())).collect();
    assert_eq!(of_lanes, [(EventType::LanePaused, Some("local")), (EventType::LaneResumed, Some("local"))]);
}

async fn only_known_lanes_can_be_paused(env: &TestEnv) {
    let server = env.cli.serve();
    for (name, status, code) in [
        ("model:nobody", 404, "NOT_FOUND"),
        ("gpu:1", 400, "INVALID_REQUEST"),
        ("pipeline:documents", 400, "INVALID_REQUEST"),
    ] {
        for action in ["pause", "resume"] {
            let refused = server.post(&format!("/lanes/{name}/{action}"));
            assert_eq!((refused.status, refused.error_code().as_str()), (status, code), "{name}");
        }
    }
    assert_eq!(
        server.json("/lanes")["items"].as_array().unwrap().len(),
        5,
        "the pipelines, text recognition and indexing"
    );
}

async fn a_scan_waits_while_text_recognition_is_paused_and_holds_no_slot(env: &TestEnv) {
    let server = env.cli.serve();
    assert_eq!(server.post("/lanes/ocr/pause").status, 200);
    let scanned = upload_document(&server, &scan(), "");
    wait_until(async || lane(&server.json("/lanes"), "ocr")["waiting"] == 1).await;
    // The only slot is free.
    let text = upload_document(&server, &clinical_record(2), "");
    env.wait_until_completed(text).await;
    let run = &env.runs_of(scanned).await[0];
    assert_eq!((run.state.as_str(), run.failed_attempts), ("QUEUED", 0));
    assert_eq!(server.post("/lanes/ocr/resume").status, 200);
    env.wait_until_completed(scanned).await;
    assert_eq!(env.runs_of(scanned).await[0].failed_attempts, 0);
}

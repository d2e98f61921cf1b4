//! The lane of a model: how many calls are made at once, what a rate limit does to other runs, and how often a model that
//! fails is asked.

use std::sync::Arc;

use quire_domain::{DocumentId, EventType};
use quire_testkit::{CallGate, ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, RECORD, upload_and_wait, use_model, valid_reply};
use crate::program::TestServer;
use crate::record::{review, upload_lines};
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R213 for the limit of calls. Three slots, two calls at once and six runs: all others can only wait at the same
    /// time because a run that waits holds no slot.
    runs_beyond_the_calls_of_a_lane_wait_and_hold_no_slot,
    /// Proves R213 for rate limits.
    a_rate_limit_closes_the_lane_for_every_run_and_burns_no_attempt,
    /// Proves R213 for the retry policy: attempts inside a call would multiply with those of the step.
    a_failing_model_is_asked_once_in_each_attempt_of_its_step,
    /// Proves R210.
    the_log_line_of_a_retry_names_the_work_the_delay_and_the_error,
}

/// The lane of this model.
pub(crate) fn lane_of(model: &ModelServer) -> String {
    let address = model.url.trim_start_matches("http://").split('/').next().unwrap();
    format!("model:{}", address.replace(':', "-"))
}

fn lane(server: &TestServer, name: &str) -> Value {
    let lanes = server.json("/lanes");
    let found = lanes["items"].as_array().unwrap().iter().find(|lane| lane["name"] == name);
    found.cloned().unwrap_or_else(|| panic!("{lanes}"))
}

async fn wait_for_waiting(server: &TestServer, name: &str, count: usize) {
    wait_until(async || lane(server, name)["waiting"] == json!(count)).await;
}

/// Waits until the runs of all documents have completed by the model, and checks that no attempt was burnt.
async fn assert_completed_without_a_loss(env: &TestEnv, server: &TestServer, documents: &[DocumentId]) {
    for document in documents {
        let run = env.wait_until_completed(*document).await;
        assert_eq!((run.failed_attempts, run.retry_count), (0, 0));
        let records = env.store.run_reader.step_records(run.id).await.unwrap();
        assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
        let active = review(server, *document)["active_interpretation"].take();
        assert_eq!(active["made_by"]["interpreter"], "model");
    }
}

async fn runs_beyond_the_calls_of_a_lane_wait_and_hold_no_slot(env: &TestEnv) {
    let gate = Arc::new(CallGate::default());
    let held = gate.clone();
    let model = ModelServer::with_key(KEY).answering(move |_, _| {
        held.pass();
        valid_reply()
    });
    use_model(env, &model, "[engine]\nslots = 3\n[lanes]\nmax_concurrent_calls = 2");
    let server = env.cli.serve();
    let name = lane_of(&model);
    assert_eq!(lane(&server, &name)["state"], "OPEN", "known before the first call");
    let documents: Vec<_> = (0..6).map(|_| upload_lines(&server, &RECORD)).collect();
    wait_for_waiting(&server, &name, 4).await;
    wait_until(async || gate.running() == 2).await;
    let metrics = server.get("/metrics").body;
    assert!(metrics.contains(&format!("quire_lane_calls{{lane=\"{name}\"}} 2\n")), "{metrics}");
    wait_until(async || {
        server.get("/metrics").body.contains(&format!("quire_lane_waiting{{lane=\"{name}\"}} 4\n"))
    })
    .await;
    gate.open();
    assert_completed_without_a_loss(env, &server, &documents).await;
    assert_eq!(gate.most(), 2);
    assert_eq!(model.requests().len(), 6);
}

async fn a_rate_limit_closes_the_lane_for_every_run_and_burns_no_attempt(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::Status(429, "Retry-After: 600\r\n"), valid_reply()]);
    use_model(env, &model, "");
    let server = env.cli.serve();
    let name = lane_of(&model);
    let mut documents = vec![upload_lines(&server, &RECORD)];
    wait_for_waiting(&server, &name, 1).await;
    let closed = lane(&server, &name);
    assert_eq!(closed["state"], "CLOSED");
    assert!(closed["reason"].as_str().unwrap().contains("429"), "{closed}");
    documents.extend((0..4).map(|_| upload_lines(&server, &RECORD)));
    wait_for_waiting(&server, &name, 5).await;
    assert_eq!(model.requests().len(), 1, "no run asks while the lane is closed");
    let limited = documents[0];
    let job = env.store.run_reader.jobs(limited.into()).await.unwrap().remove(0);
    assert!(job.error_log.contains("MODEL_RATE_LIMITED"), "{}", job.error_log);

    assert_eq!(server.post(&format!("/lanes/{name}/resume")).status, 200);
    assert_completed_without_a_loss(env, &server, &documents).await;
    assert_eq!(model.requests().len(), 6);
    let closings = env.events().await.into_iter().filter(|event| event.event_type == EventType::LaneClosed);
    assert_eq!(closings.count(), 1);
}

async fn a_failing_model_is_asked_once_in_each_attempt_of_its_step(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::Status(500, "")]);
    use_model(
        env,
        &model,
        "fallback = false\nbreaker_failures = 0\n[pipelines.document]\nstep_attempts = 3\n[engine.retry]\nbase_delay_ms = 60",
    );
    let server = env.cli.serve();
    let (id, state) = upload_and_wait(env, &server).await;
    assert_eq!((state, model.requests().len()), ("FAILED", 3));
    let run = env.runs_of(id).await.remove(0).id;
    let calls = env.store.model_calls.of_run(run).await.unwrap();
    assert_eq!(calls.iter().map(|call| call.step_attempt).collect::<Vec<_>>(), [1, 2, 3]);
    server.stop();

    use_model(env, &model, "breaker_failures = 0\n[engine.retry]\nbase_delay_ms = 60");
    let server = env.cli.serve();
    let (id, state) = upload_and_wait(env, &server).await;
    assert_eq!((state, model.requests().len()), ("COMPLETED", 5), "the rules follow the second attempt");
    let active = review(&server, id)["active_interpretation"].take();
    assert_eq!(active["made_by"]["fallback_reason"], "MODEL_UNAVAILABLE");
}

async fn the_log_line_of_a_retry_names_the_work_the_delay_and_the_error(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::Status(500, ""), valid_reply()]);
    use_model(env, &model, "");
    let server = env.cli.serve();
    let (id, state) = upload_and_wait(env, &server).await;
    assert_eq!(state, "COMPLETED");
    let run = env.runs_of(id).await.remove(0);
    let log = server.stop().stderr;
    let line = log.lines().find(|line| line.contains("STEP_RETRIED")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["correlation_id"].as_str(), run.correlation_id.as_deref());
    assert!(run.correlation_id.is_some());
    assert_eq!((&line["request_id"], &line["run_id"]), (&json!(id.to_string()), &json!(run.id.to_string())));
    assert_eq!((&line["stage"], &line["attempt"]), (&json!("INTERPRETATION"), &json!(1)));
    assert!(line["delay_ms"].as_u64().unwrap() > 0, "{line}");
    assert_eq!(line["error_code"], "MODEL_UNAVAILABLE");
    assert!(line["error"].as_str().unwrap().contains("500"), "{line}");
    assert!(!log.contains(KEY));
}

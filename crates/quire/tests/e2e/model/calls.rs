//! The record of calls, and recordings that are replayed.

use quire_domain::StepName;
use quire_testkit::model_server::MODEL;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::json;

use super::{KEY, interpretation, upload_and_wait, use_model, valid_reply};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    each_call_of_a_document_is_recorded_with_its_run_and_cost,
    a_rate_limit_makes_the_run_wait_and_counts_as_no_failure_of_the_model,
    recorded_answers_are_replayed_without_the_model,
}

async fn each_call_of_a_document_is_recorded_with_its_run_and_cost(env: &TestEnv) {
    let replies = vec![ModelReply::Status(500, ""), ModelReply::Completion("no".to_owned()), valid_reply()];
    let model = ModelServer::start(KEY, replies);
    use_model(env, &model, "price_per_million_in = 2.0\nprice_per_million_out = 10.0");
    let server = env.cli.serve();
    let (id, state) = upload_and_wait(env, &server).await;
    assert_eq!(state, "COMPLETED");
    let run = env.runs_of(id).await.remove(0).id;
    let calls = env.store.model_calls.of_run(run).await.unwrap();
    let outcomes: Vec<_> =
        calls.iter().map(|call| (call.outcome.as_str(), call.model.as_str(), call.cost)).collect();
    assert_eq!(
        outcomes,
        [("MODEL_UNAVAILABLE", "any", None), ("OK", MODEL, Some(0.0019)), ("OK", MODEL, Some(0.0019))]
    );
    let usage = env.store.model_calls.usage_of_run(run).await.unwrap();
    assert_eq!((usage.calls, usage.failed), (3, 1));
    assert_eq!((usage.tokens_in, usage.tokens_out), model.billed_tokens());
    let shown = &server.json(&format!("/runs/{run}"))["model_usage"];
    assert_eq!((&shown["calls"], &shown["failed_calls"]), (&json!(3), &json!(1)));
    assert_eq!((&shown["tokens_in"], &shown["tokens_out"]), (&json!(1400), &json!(100)));
    assert!((shown["cost"].as_f64().unwrap() - 0.0038).abs() < 1e-9, "{shown}");
    let steps: Vec<_> = calls.iter().map(|call| call.step.map(StepName::as_str)).collect();
    assert_eq!(steps, [Some("INTERPRETATION"); 3]);
    let attempts: Vec<_> = calls.iter().map(|call| call.step_attempt).collect();
    assert_eq!(attempts, [1, 2, 2], "the third repairs the second");
}

async fn a_rate_limit_makes_the_run_wait_and_counts_as_no_failure_of_the_model(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::Status(429, "Retry-After: 1\r\n"), valid_reply()]);
    use_model(env, &model, "");
    let server = env.cli.serve();
    let active = interpretation(env, &server).await;
    assert_eq!(active["made_by"]["interpreter"], "model", "the rules were not used");
    assert_eq!(model.requests().len(), 2);
}

async fn recorded_answers_are_replayed_without_the_model(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![valid_reply()]);
    use_model(env, &model, "record_to = \"recordings\"");
    let server = env.cli.serve();
    let first = interpretation(env, &server).await;
    assert_eq!(first["made_by"]["interpreter"], "model");
    server.stop();
    env.cli.write("quire.toml", "[interpreter]\nkind = \"model\"\n[model]\nreplay_from = \"recordings\"\n");
    let server = env.cli.serve();
    let second = interpretation(env, &server).await;
    assert_eq!(second["made_by"]["model"], first["made_by"]["model"]);
    assert_eq!(
        second["data"]["fields"].as_array().unwrap().len(),
        first["data"]["fields"].as_array().unwrap().len()
    );
    assert_eq!(model.requests().len(), 1, "the model was not asked again");
    assert_eq!(env.store.model_calls.tokens_since(jiff::Timestamp::UNIX_EPOCH).await.unwrap(), 750);
    assert_eq!(second["made_by"]["fallback_reason"], json!(null));
}

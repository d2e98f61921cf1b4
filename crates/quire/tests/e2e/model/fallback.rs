//! A failing model: the rules are used instead, or the run fails with an error code.

use std::time::Duration;

use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, interpretation, upload_and_wait, use_model, valid_reply, valid_text};
use crate::record::{field, review};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    an_invalid_reply_is_repaired_once_before_the_rules_are_used,
    a_busy_model_is_retried_after_the_time_it_asks_for,
    the_rules_are_used_when_the_model_times_out,
    token_budgets_apply_to_a_document_and_to_a_day,
    without_fallback_the_run_fails_with_a_documented_code,
}

/// Checks that the rules were used, and why.
fn assert_by_rules(active: &Value, reason: &str) {
    let made_by = &active["made_by"];
    assert_eq!((&made_by["interpreter"], &made_by["fallback_reason"]), (&json!("rules"), &json!(reason)));
    let luna = field(&active["data"], "pet_name");
    assert_eq!(luna["value"], "Luna");
    assert!(!luna["mapping_id"].as_str().unwrap().starts_with("model::"), "{luna}");
}

async fn an_invalid_reply_is_repaired_once_before_the_rules_are_used(env: &TestEnv) {
    let no_json = || ModelReply::Completion("Claro, aquí tiene: {\"document\":".to_owned());
    let wrong_shape = ModelReply::Completion("{\"document\":[\"Luna\"]}".to_owned());
    let cut = ModelReply::TruncatedCompletion("{\"document\":{\"pet".to_owned());
    let model = ModelServer::start(KEY, vec![no_json(), wrong_shape, no_json(), valid_reply(), cut]);
    use_model(env, &model, "");
    let server = env.cli.serve();
    let active = interpretation(env, &server).await;
    assert_by_rules(&active, "MODEL_ANSWER_INVALID");
    assert_eq!(active["made_by"]["tokens_in"], 1400, "both requests count");
    let asked = model.requests();
    assert_eq!(asked.len(), 2);
    let roles: Vec<_> = asked[1].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);

    let active = interpretation(env, &server).await;
    assert_eq!(
        (&active["made_by"]["interpreter"], &active["made_by"]["tokens_out"]),
        (&json!("model"), &json!(100))
    );
    assert_by_rules(&interpretation(env, &server).await, "MODEL_ANSWER_INVALID");
    assert_eq!(model.requests().len(), 5, "a reply that was cut off is not repaired");
}

async fn a_busy_model_is_retried_after_the_time_it_asks_for(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::Status(429, "Retry-After: 1\r\n"), valid_reply()]);
    use_model(env, &model, "");
    let server = env.cli.serve();
    assert_eq!(interpretation(env, &server).await["made_by"]["interpreter"], "model");
    let asked = model.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].at - asked[0].at >= Duration::from_millis(990), "it asked for one second");
}

async fn the_rules_are_used_when_the_model_times_out(env: &TestEnv) {
    let replies = vec![
        ModelReply::NoResponse,
        ModelReply::SlowBody,
        ModelReply::EndlessBody,
        ModelReply::Status(503, ""),
    ];
    let model = ModelServer::start(KEY, replies);
    use_model(env, &model, "timeout = \"2s\"\n[pipelines.document]\nstep_attempts = 1");
    let server = env.cli.serve();
    for reason in ["MODEL_UNAVAILABLE", "MODEL_UNAVAILABLE"] {
        let active = interpretation(env, &server).await;
        assert_by_rules(&active, reason);
        assert_eq!((&active["made_by"]["tokens_in"], &active["made_by"]["model"]), (&json!(0), &json!(null)));
        assert!(active["made_by"]["milliseconds"].as_u64().unwrap() >= 1_900);
    }
    let active = interpretation(env, &server).await;
    let reason = active["made_by"]["fallback_reason"].as_str().unwrap();
    assert!(["MODEL_ANSWER_INVALID", "MODEL_UNAVAILABLE"].contains(&reason), "too long, or too slow");
    assert_by_rules(&interpretation(env, &server).await, "MODEL_UNAVAILABLE");
    assert_eq!(model.requests().len(), 4);
}

async fn token_budgets_apply_to_a_document_and_to_a_day(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::CompletionCosting(900_000, valid_text())]);
    use_model(env, &model, "max_tokens_per_day = 500000");
    let server = env.cli.serve();
    assert_eq!(interpretation(env, &server).await["made_by"]["tokens_in"], 900_000);
    let active = interpretation(env, &server).await;
    assert_by_rules(&active, "MODEL_BUDGET_SPENT");
    let made_by = &active["made_by"];
    assert_eq!(
        (&made_by["tokens_in"], &made_by["prompt_version"]),
        (&json!(0), &json!(null)),
        "no request was sent"
    );
    server.stop();

    use_model(env, &model, "max_tokens_per_document = 4200");
    let server = env.cli.serve();
    assert_by_rules(&interpretation(env, &server).await, "MODEL_BUDGET_SPENT");
    assert_eq!(model.requests().len(), 1, "no request after the budget was spent");
}

async fn without_fallback_the_run_fails_with_a_documented_code(env: &TestEnv) {
    let replies = vec![
        ModelReply::Status(500, ""),
        ModelReply::Status(500, ""),
        ModelReply::Status(401, ""),
        valid_reply(),
    ];
    let model = ModelServer::start(KEY, replies);
    use_model(env, &model, "fallback = false");
    let server = env.cli.serve();
    for (code, asked) in [("MODEL_UNAVAILABLE", 2), ("MODEL_REFUSED", 3)] {
        let (id, state) = upload_and_wait(env, &server).await;
        assert_eq!(state, "FAILED");
        let run = env.runs_of(id).await.remove(0);
        let shown = server.json(&format!("/runs/{}", run.id));
        assert_eq!(
            (&shown["failure_type"], &shown["error_code"]),
            (&json!("INTERPRETATION_FAILED"), &json!(code))
        );
        assert!(!shown.to_string().contains(KEY));
        assert_eq!(server.get(&format!("/errors/{code}")).status, 200);
        assert_eq!(model.requests().len(), asked, "only temporary errors are retried");
    }
    let (id, state) = upload_and_wait(env, &server).await;
    assert_eq!(
        (state, &review(&server, id)["active_interpretation"]["made_by"]["interpreter"]),
        ("COMPLETED", &json!("model"))
    );
}

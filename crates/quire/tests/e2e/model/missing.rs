//! A model that is of no use: the rules do it instead, or the run fails with a code of its own.

use std::time::Duration;

use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, choose, processed, right, right_words, understood};
use crate::reviewing::{field, review};
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    an_answer_that_is_no_form_is_mended_once_and_then_left_to_the_rules,
    a_model_that_is_busy_is_asked_again_when_it_said,
    a_model_that_says_nothing_is_left_to_the_rules_when_its_time_is_over,
    what_is_spent_is_spent_for_a_document_and_for_a_day,
    without_the_rules_the_run_fails_with_a_code_that_has_a_page,
}

/// What the rules find, and why they were asked.
fn by_the_rules(active: &Value, reason: &str) {
    let made_by = &active["made_by"];
    assert_eq!((&made_by["interpreter"], &made_by["fallback_reason"]), (&json!("rules"), &json!(reason)));
    let luna = field(&active["data"], "pet_name");
    assert_eq!(luna["value"], "Luna");
    assert!(!luna["mapping_id"].as_str().unwrap().starts_with("model::"), "{luna}");
}

async fn an_answer_that_is_no_form_is_mended_once_and_then_left_to_the_rules(scene: &Scene) {
    let spoilt = || ModelReply::Completion("Claro, aquí tiene: {\"document\":".to_owned());
    let wrong_shape = ModelReply::Completion("{\"document\":[\"Luna\"]}".to_owned());
    let cut = ModelReply::TruncatedCompletion("{\"document\":{\"pet".to_owned());
    let model = ModelServer::start(KEY, vec![spoilt(), wrong_shape, spoilt(), right(), cut]);
    choose(scene, &model, "");
    let server = scene.quire.serve();
    let active = understood(scene, &server).await;
    by_the_rules(&active, "MODEL_ANSWER_INVALID");
    assert_eq!(active["made_by"]["tokens_in"], 1400, "both requests are paid for");
    let asked = model.requests();
    assert_eq!(asked.len(), 2);
    let roles: Vec<_> = asked[1].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|said| said["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);

    let active = understood(scene, &server).await;
    assert_eq!(
        (&active["made_by"]["interpreter"], &active["made_by"]["tokens_out"]),
        (&json!("model"), &json!(100))
    );
    by_the_rules(&understood(scene, &server).await, "MODEL_ANSWER_INVALID");
    assert_eq!(model.requests().len(), 5, "what was cut is not asked for again");
}

async fn a_model_that_is_busy_is_asked_again_when_it_said(scene: &Scene) {
    let model = ModelServer::start(KEY, vec![ModelReply::Status(429, "Retry-After: 1\r\n"), right()]);
    choose(scene, &model, "");
    let server = scene.quire.serve();
    assert_eq!(understood(scene, &server).await["made_by"]["interpreter"], "model");
    let asked = model.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].at - asked[0].at >= Duration::from_millis(990), "it asked for a second");
}

async fn a_model_that_says_nothing_is_left_to_the_rules_when_its_time_is_over(scene: &Scene) {
    let replies = vec![
        ModelReply::NoResponse,
        ModelReply::SlowBody,
        ModelReply::EndlessBody,
        ModelReply::Status(503, ""),
    ];
    let model = ModelServer::start(KEY, replies);
    choose(scene, &model, "timeout = \"2s\"\nattempts = 1");
    let server = scene.quire.serve();
    for reason in ["MODEL_UNAVAILABLE", "MODEL_UNAVAILABLE"] {
        let active = understood(scene, &server).await;
        by_the_rules(&active, reason);
        assert_eq!((&active["made_by"]["tokens_in"], &active["made_by"]["model"]), (&json!(0), &json!(null)));
        assert!(active["made_by"]["milliseconds"].as_u64().unwrap() >= 1_900);
    }
    let active = understood(scene, &server).await;
    let reason = active["made_by"]["fallback_reason"].as_str().unwrap();
    assert!(
        ["MODEL_ANSWER_INVALID", "MODEL_UNAVAILABLE"].contains(&reason),
        "too long, or too slow to be so"
    );
    by_the_rules(&understood(scene, &server).await, "MODEL_UNAVAILABLE");
    assert_eq!(model.requests().len(), 4);
}

async fn what_is_spent_is_spent_for_a_document_and_for_a_day(scene: &Scene) {
    let model = ModelServer::start(KEY, vec![ModelReply::CompletionCosting(900_000, right_words())]);
    choose(scene, &model, "max_tokens_per_day = 500000");
    let server = scene.quire.serve();
    assert_eq!(understood(scene, &server).await["made_by"]["tokens_in"], 900_000);
    let active = understood(scene, &server).await;
    by_the_rules(&active, "MODEL_BUDGET_SPENT");
    let made_by = &active["made_by"];
    assert_eq!(
        (&made_by["tokens_in"], &made_by["prompt_version"]),
        (&json!(0), &json!(null)),
        "nobody was asked"
    );
    server.stop();

    choose(scene, &model, "max_tokens_per_document = 4200");
    let server = scene.quire.serve();
    by_the_rules(&understood(scene, &server).await, "MODEL_BUDGET_SPENT");
    assert_eq!(model.requests().len(), 1, "nobody was asked once it was spent");
}

async fn without_the_rules_the_run_fails_with_a_code_that_has_a_page(scene: &Scene) {
    let replies =
        vec![ModelReply::Status(500, ""), ModelReply::Status(500, ""), ModelReply::Status(401, ""), right()];
    let model = ModelServer::start(KEY, replies);
    choose(scene, &model, "fallback = false\nattempts = 1");
    let server = scene.quire.serve();
    for (code, asked) in [("MODEL_UNAVAILABLE", 2), ("MODEL_REFUSED", 3)] {
        let (id, state) = processed(scene, &server).await;
        assert_eq!(state, "FAILED");
        let run = scene.runs_of(id).await.remove(0);
        let shown = server.json(&format!("/runs/{}", run.id));
        assert_eq!(
            (&shown["failure_type"], &shown["error_code"]),
            (&json!("INTERPRETATION_FAILED"), &json!(code))
        );
        assert!(!shown.to_string().contains(KEY));
        assert_eq!(server.get(&format!("/errors/{code}")).status, 200);
        assert_eq!(model.requests().len(), asked, "only what may pass is tried again");
    }
    let (id, state) = processed(scene, &server).await;
    assert_eq!(
        (state, &review(&server, id)["active_interpretation"]["made_by"]["interpreter"]),
        ("COMPLETED", &json!("model"))
    );
}

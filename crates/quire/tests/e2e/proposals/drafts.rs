//! A quick look at an idea: the client waits for the result.

use quire_testkit::{ModelReply, ModelServer};
use serde_json::json;

use super::{KEY, answer, ended, provider, reviewer, use_model};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    an_idea_is_expanded_or_reviewed_while_the_client_waits,
    a_draft_that_fails_says_in_which_step_and_shows_what_there_is,
    a_draft_that_takes_longer_than_its_client_waits_goes_on_as_a_run with [("QUIRE_SERVER_DRAFT_WAIT", "0s")],
}

async fn an_idea_is_expanded_or_reviewed_while_the_client_waits(env: &TestEnv) {
    let model = provider([0.70; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    let expanded = server.post_json("/v1/expand-idea", &json!({"idea": "Umbrellas."}));
    assert_eq!(expanded.status, 200);
    assert_eq!(expanded.body["problem_statement"], "People get wet.");
    assert_eq!(
        (&expanded.body["schema_version"], &expanded.body["prompt_set_version"]),
        (&json!("1.0.0"), &json!("1.0.0"))
    );
    assert_eq!(model.requests().len(), 1);

    let reviewed = server.post_json("/v1/review-idea", &json!({"idea": "Umbrellas."}));
    assert_eq!(reviewed.status, 200);
    let body = reviewed.body;
    assert_eq!(body["reviews"].as_array().unwrap().len(), 1);
    assert_eq!(body["reviews"][0]["persona_name"], "GenericReviewer");
    assert_eq!(body["draft_decision"]["decision"], "approve");
    assert!(body["elapsed_time"].as_f64().unwrap() > 0.0);
    assert_eq!(model.requests().len(), 3);
    let stored = server.json(&format!("/v1/runs/{}", body["run_id"].as_str().unwrap()));
    assert_eq!((&stored["status"], &stored["decision_label"]), (&json!("completed"), &json!("approve")));
}

async fn a_draft_that_fails_says_in_which_step_and_shows_what_there_is(env: &TestEnv) {
    let model = ModelServer::with_key(KEY).answering(|body, _| match reviewer(body) {
        None => answer(body, [0.9; 5]),
        Some(_) => ModelReply::Completion("I would rather not.".to_owned()),
    });
    use_model(env, &model);
    let server = env.cli.serve();
    let failed = server.post_json("/v1/review-idea", &json!({"idea": "Umbrellas."}));
    assert_eq!((failed.status, &failed.body["error_code"]), (502, &json!("LLM_FAILED")));
    let details = &failed.body["details"];
    assert_eq!(
        (&details["failed_step"], &details["cause"]),
        (&json!("review"), &json!("MODEL_ANSWER_INVALID"))
    );
    assert_eq!(details["partial_results"]["expanded_proposal"]["title"], "Shared umbrellas");
    assert!(!failed.body.to_string().contains("rather not"), "the answer of a model is not quoted");
}

async fn a_draft_that_takes_longer_than_its_client_waits_goes_on_as_a_run(env: &TestEnv) {
    let model = provider([0.70; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    for (path, requests) in [("/v1/expand-idea", 1), ("/v1/review-idea", 3)] {
        let accepted = server.post_json(path, &json!({"idea": "Umbrellas."}));
        assert_eq!((accepted.status, &accepted.body["run_type"]), (202, &json!("initial")), "{path}");
        assert!(["queued", "running"].contains(&accepted.body["status"].as_str().unwrap()));
        let run = accepted.body["run_id"].as_str().unwrap().parse().unwrap();
        let ended = ended(env, &server, run).await;
        assert_eq!(
            (&ended["status"], &ended["proposal"]["title"]),
            (&json!("completed"), &json!("Shared umbrellas"))
        );
        assert_eq!(ended["persona_reviews"].as_array().unwrap().len(), requests / 2);
        assert_eq!(model.requests().len(), requests);
    }
}

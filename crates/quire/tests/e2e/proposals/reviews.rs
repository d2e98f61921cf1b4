//! A full review, from the idea to the decision, and what happens when a part of it fails.

use std::sync::atomic::{AtomicBool, Ordering};

use quire_domain::proposal::Persona;
use quire_domain::{RunChange, RunId, StepName};
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, answer, ended, prompt, provider, review, reviewer, send_idea, statuses, use_model};
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::test_worker::TestWorker;

const IDEA: &str = "Umbrellas for everybody. They stand at every corner.";

on_both_stores! {
    /// Proves R132, R143, R145, R159, R207, R208, R194: the names of `/v1`, and everything that was asked.
    an_idea_is_expanded_reviewed_by_five_personas_and_decided,
    /// Proves R142.
    a_run_that_waits_shows_its_seven_steps_as_pending with [("QUIRE_ENGINE_SLOTS", "1")],
    /// Proves R135, R151, R152, R214: one failing persona fails the run, and a retry asks nobody twice.
    a_persona_that_fails_fails_the_run_and_a_retry_resumes_there,
    /// Proves R154 for the job. The last two seconds are reserved for the work without the model.
    a_model_that_never_answers_ends_the_run_at_its_limit with [("QUIRE_PIPELINES_PROPOSAL_RUN_LIMIT", "6s")],
    /// Proves R194 for proposals.
    each_state_of_a_run_has_its_name_in_each_api
        with [("QUIRE_ENGINE_SLOTS", "1"), ("QUIRE_ENGINE_SHUTDOWN_WAIT", "0s")],
    /// Proves R153 from end to end.
    a_completed_run_asks_nobody_again_after_a_restart,
    /// Proves R149 from end to end.
    a_critical_concern_of_the_security_guardian_turns_an_approval_into_a_revision,
}

async fn an_idea_is_expanded_reviewed_by_five_personas_and_decided(env: &TestEnv) {
    let model = provider([0.80, 0.70, 0.90, 0.75, 0.85]);
    use_model(env, &model);
    let server = env.cli.serve();
    let body = json!({"idea": IDEA, "extra_context": "It rains a lot.", "priority": "high"});
    let accepted = server.post_json("/v1/full-review", &body);
    assert_eq!(accepted.status, 202);
    let accepted = accepted.body;
    assert_eq!((&accepted["status"], &accepted["run_type"]), (&json!("queued"), &json!("initial")));
    assert_eq!((&accepted["priority"], &accepted["queued_at"]), (&json!("high"), &accepted["created_at"]));
    let run: RunId = accepted["run_id"].as_str().unwrap().parse().unwrap();

    let detail = ended(env, &server, run).await;
    assert_eq!((&detail["status"], &detail["error_code"]), (&json!("completed"), &Value::Null));
    assert_eq!(statuses(&detail), ["completed"; 7]);
    for member in ["queued_at", "started_at", "completed_at", "updated_at"] {
        assert!(detail[member].is_string(), "{member}");
    }
    assert_eq!((&detail["retry_count"], &detail["priority"]), (&json!(0), &json!("high")));
    assert_eq!((&detail["input_idea"], &detail["model"]), (&json!(IDEA), &json!("any")));
    assert_eq!(detail["extra_context"], json!({"text": "It rains a lot."}));
    assert_eq!((&detail["temperature"], &detail["parameters_json"]), (&json!(0.7), &json!({})));
    assert_eq!(
        (&detail["schema_version"], &detail["prompt_set_version"]),
        (&json!("1.0.0"), &json!("1.0.0"))
    );
    assert_eq!(detail["proposal"]["title"], "Shared umbrellas");
    assert_eq!(detail["proposal"]["raw_idea"], IDEA);
    let reviews = detail["persona_reviews"].as_array().unwrap();
    let ids: Vec<_> = reviews.iter().map(|review| review["persona_id"].as_str().unwrap()).collect();
    assert_eq!(ids, Persona::ALL.map(Persona::id));
    assert_eq!(reviews[0]["prompt_parameters_json"]["temperature"], 0.2);
    assert_eq!(reviews[0]["review"]["internal_metadata"]["reused"], false);
    assert_eq!(detail["decision_label"], "revise");
    let confidence = detail["overall_weighted_confidence"].as_f64().unwrap();
    assert!((confidence - 0.7875).abs() < 1e-9, "{confidence}");
    assert_eq!(detail["decision"]["minority_reports"], Value::Null);

    let requests = model.requests();
    assert_eq!(requests.len(), 6);
    assert_eq!(requests[0].body["temperature"], 0.7);
    assert!(prompt(&requests[0].body).contains("It rains a lot."));
    for request in &requests[1..] {
        assert_eq!(request.body["temperature"], 0.2);
        assert!(prompt(&request.body).contains("Stands at every corner."));
    }
    let item = &server.json("/v1/runs")["runs"][0];
    assert_eq!((&item["proposal_title"], &item["run_id"]), (&json!("Shared umbrellas"), &detail["run_id"]));
    assert_eq!((&item["status"], &item["decision_label"]), (&json!("completed"), &json!("revise")));
    // The general view of the same run has the general names.
    assert_eq!(server.json(&format!("/runs/{run}"))["state"], "COMPLETED");
    let log = server.stop().stderr;
    for hidden in [KEY, "Umbrellas", "corner", "Theft"] {
        assert!(!log.contains(hidden), "{hidden} is in the log");
    }
}

async fn a_run_that_waits_shows_its_seven_steps_as_pending(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    use_model(env, &model);
    let server = env.cli.serve();
    let first = send_idea(&server, IDEA);
    env.wait_until_step_starts(first, StepName::Expand).await;
    let working = server.json(&format!("/v1/runs/{first}"));
    assert_eq!((&working["status"], statuses(&working)[0]), (&json!("running"), "running"));
    let run = send_idea(&server, IDEA);
    let detail = server.json(&format!("/v1/runs/{run}"));
    assert_eq!(detail["status"], "queued");
    assert_eq!(statuses(&detail), ["pending"; 7]);
    assert_eq!(detail["step_progress"][4]["step_name"], "review_security");
    assert_eq!((&detail["proposal"], &detail["decision"]), (&Value::Null, &Value::Null));
    assert!(model.requests().len() <= 1, "a GET never asks a model");
}

async fn a_persona_that_fails_fails_the_run_and_a_retry_resumes_there(env: &TestEnv) {
    let healthy = std::sync::Arc::new(AtomicBool::new(false));
    let is_healthy = healthy.clone();
    let model = ModelServer::with_key(KEY).answering(move |body, _| {
        if reviewer(body) == Some("SecurityGuardian") && !is_healthy.load(Ordering::SeqCst) {
            // It answers as somebody else.
            return ModelReply::Completion(review("Critic", 0.9).to_string());
        }
        answer(body, [0.9; 5])
    });
    use_model(env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, IDEA);
    let failed = ended(env, &server, run).await;
    assert_eq!(
        (&failed["status"], &failed["error_code"]),
        (&json!("failed"), &json!("MODEL_ANSWER_INVALID"))
    );
    let stored = env.store.run_reader.run(run).await.unwrap();
    let record = &stored.state.reason().unwrap().record;
    let kinds = (record.error_type.as_str(), record.error_code.as_str());
    assert_eq!(kinds, ("permanent", "MODEL_ANSWER_INVALID"), "the type is a class and no code");
    assert_eq!(statuses(&failed)[4], "failed");
    let message = failed["step_progress"][4]["error_message"].as_str().unwrap();
    assert!(message.contains("persona_id must be security_guardian"), "{message}");
    assert_eq!((&failed["decision"], &failed["decision_label"]), (&Value::Null, &Value::Null));
    let other = server.post(&format!("/v1/runs/{}/retry", RunId::new()));
    assert_eq!(other.status, 404);

    healthy.store(true, Ordering::SeqCst);
    let retried = server.post(&format!("/v1/runs/{run}/retry")).json();
    assert_eq!(retried["retry_count"], 1);
    let completed = ended(env, &server, run).await;
    assert_eq!(
        (&completed["status"], &completed["decision_label"]),
        (&json!("completed"), &json!("approve"))
    );
    assert_eq!(statuses(&completed), ["completed"; 7]);
    let mut asked: Vec<_> =
        model.requests().iter().map(|request| reviewer(&request.body).map(str::to_owned)).collect();
    asked.sort();
    let guardian = Some("SecurityGuardian".to_owned());
    assert_eq!(asked.iter().filter(|name| **name == guardian).count(), 2);
    assert_eq!(asked.len(), 7, "nobody else is asked twice: {asked:?}");
    let again = server.post(&format!("/v1/runs/{run}/retry"));
    assert_eq!((again.status, again.json()["details"]["reason"].clone()), (409, json!("RETRY_NOT_ALLOWED")));
}

async fn a_model_that_never_answers_ends_the_run_at_its_limit(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    use_model(env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, IDEA);
    let detail = ended(env, &server, run).await;
    assert_eq!(detail["error_code"], "RUN_TIMED_OUT");
    assert_eq!((&detail["status"], statuses(&detail)[0]), (&json!("failed"), "failed"));
    assert_eq!(model.requests().len(), 1, "it was asked, and no attempt without time followed");
    wait_until(async || model.open_requests() == 0).await;
    assert!(detail["step_progress"][0]["error_message"].is_string(), "{detail}");
}

async fn a_critical_concern_of_the_security_guardian_turns_an_approval_into_a_revision(env: &TestEnv) {
    let model = ModelServer::with_key(KEY).answering(|body, _| {
        if reviewer(body) != Some("SecurityGuardian") {
            return answer(body, [0.95; 5]);
        }
        let mut careful = review("SecurityGuardian", 0.9);
        careful["blocking_issues"] = json!([{"text": "Anybody can log in.", "security_critical": true}]);
        ModelReply::Completion(careful.to_string())
    });
    use_model(env, &model);
    let server = env.cli.serve();
    let detail = ended(env, &server, send_idea(&server, IDEA)).await;
    assert_eq!(detail["decision_label"], "revise");
    let report = &detail["decision"]["minority_reports"][0];
    assert_eq!(
        (&report["persona_id"], &report["blocking_summary"]),
        (&json!("security_guardian"), &json!("Anybody can log in."))
    );
    assert_eq!(detail["persona_reviews"][3]["security_concerns_present"], true);
}

async fn each_state_of_a_run_has_its_name_in_each_api(env: &TestEnv) {
    let model = ModelServer::with_key(KEY).answering(|body, _| match prompt(body) {
        text if text.contains("Refuse.") => ModelReply::Refusal("no"),
        text if text.contains("Wait.") => ModelReply::NoResponse,
        _ => answer(body, [0.9; 5]),
    });
    use_model(env, &model);
    let server = env.cli.serve();
    let completed = send_idea(&server, "Go.");
    ended(env, &server, completed).await;
    let failed = send_idea(&server, "Refuse.");
    ended(env, &server, failed).await;
    let running = send_idea(&server, "Wait.");
    env.wait_until_running(running, true).await;
    let queued = send_idea(&server, "Wait. Wait.");
    let names = |server: &TestServer, run: RunId| {
        let (detail, stored) =
            (server.json(&format!("/v1/runs/{run}")), server.json(&format!("/runs/{run}")));
        let listed = server.json("/v1/runs")["runs"].as_array().unwrap().clone();
        let listed = listed.iter().find(|item| item["run_id"] == json!(run)).unwrap();
        assert_eq!(listed["status"], detail["status"]);
        format!("{} {}", detail["status"], stored["state"])
    };
    for (run, expected) in [
        (queued, r#""queued" "QUEUED""#),
        (running, r#""running" "RUNNING""#),
        (completed, r#""completed" "COMPLETED""#),
        (failed, r#""failed" "FAILED""#),
    ] {
        assert_eq!(names(&server, run), expected);
    }
    server.stop();

    // Without a model the next server leaves proposals alone.
    env.cli.write("quire.toml", "");
    let worker = TestWorker::register(&env.store).await;
    let run = worker.claim().await;
    let timed_out = worker.finish(run, RunChange::TimeOut { continued_by: None }).await;
    let server = env.cli.serve();
    assert_eq!(names(&server, timed_out), r#""failed" "TIMED_OUT""#);
    assert_eq!(server.json(&format!("/v1/runs/{timed_out}"))["error_code"], "RUN_TIMED_OUT");
}

async fn a_completed_run_asks_nobody_again_after_a_restart(env: &TestEnv) {
    let model = provider([0.9; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, IDEA);
    let before = ended(env, &server, run).await;
    server.stop();
    let server = env.cli.serve();
    let other = send_idea(&server, IDEA);
    ended(env, &server, other).await;
    assert_eq!(server.json(&format!("/v1/runs/{run}")), before);
    assert_eq!(model.requests().len(), 12, "six for each run");
}

//! Revisions, and the comparison of two runs.

use quire_domain::RunId;
use quire_domain::proposal::Persona;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, answer, ended, prompt, provider, reviewer, send_idea, use_model};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R155, R156, R157, R158.
    a_revision_carries_the_edits_and_repeats_only_the_reviews_with_reasons,
    /// Proves R155.
    a_revision_without_an_edit_or_a_completed_parent_is_refused,
}

async fn a_revision_carries_the_edits_and_repeats_only_the_reviews_with_reasons(env: &TestEnv) {
    let model = ModelServer::with_key(KEY).answering(|body, _| {
        // The critic is not convinced until it reads the edited solution.
        let critic = if prompt(body).contains("with a deposit") { 0.9 } else { 0.55 };
        answer(body, [0.9, critic, 0.9, 0.9, 0.9])
    });
    use_model(env, &model);
    let server = env.cli.serve();
    let parent = send_idea(&server, "Umbrellas.");
    let before = ended(env, &server, parent).await;
    assert_eq!(before["decision_label"], "approve");
    assert_eq!(before["decision"]["minority_reports"][0]["persona_id"], "critic");

    let edit = json!({"edited_proposal": {"proposed_solution": "Stands, with a deposit."}, "edit_notes": "Mind the theft.",
        "parameters_json": {"top_p": 0.5, "seed": 7, "max_tokens": 900}});
    let accepted = server.post_json(&format!("/v1/runs/{parent}/revisions"), &edit);
    assert_eq!((accepted.status, &accepted.body["run_type"]), (202, &json!("revision")));
    let child: RunId = accepted.body["run_id"].as_str().unwrap().parse().unwrap();
    let after = ended(env, &server, child).await;
    assert_eq!(after["status"], "completed", "{after}");
    assert_eq!(after["parent_run_id"], parent.to_string());
    assert_eq!(
        (&after["input_idea"], &after["edit_notes"]),
        (&json!("Umbrellas."), &json!("Mind the theft."))
    );
    assert_eq!(after["proposal"]["proposed_solution"], "Stands, with a deposit.");
    let diff = &after["proposal_diff"];
    assert_eq!(diff["num_changes"], 1, "{diff}");
    let changed = json!({"before": "Stands at every corner.", "after": "Stands, with a deposit."});
    assert_eq!(diff["changed_fields"], json!({"proposed_solution": changed}));
    for review in after["persona_reviews"].as_array().unwrap() {
        let is_reused = review["persona_id"] != "critic";
        assert_eq!(review["review"]["internal_metadata"]["reused"], is_reused, "{review}");
    }

    let requests = model.requests();
    assert_eq!(requests.len(), 6 + 2, "only the expansion and the critic are repeated");
    let revision = prompt(&requests[6].body);
    for part in ["Mind the theft.", "Stands, with a deposit.", "Stands at every corner.", "Umbrellas."] {
        assert!(revision.contains(part), "{part} is not in {revision}");
    }
    assert_eq!(reviewer(&requests[7].body), Some(Persona::Critic.name()));
    assert_eq!(requests[5].body["top_p"], Value::Null);
    for request in &requests[6..] {
        let sent = &request.body;
        assert_eq!(
            (&sent["top_p"], &sent["seed"], &sent["max_tokens"]),
            (&json!(0.5), &json!(7), &json!(900))
        );
    }
    assert_eq!(after["parameters_json"], json!({"top_p": 0.5, "seed": 7, "max_tokens": 900}));
    assert_eq!(after["persona_reviews"][1]["prompt_parameters_json"]["top_p"], 0.5);

    let compared = server.json(&format!("/v1/runs/{parent}/diff/{child}"));
    assert_eq!(compared["metadata"]["relationship"], "run1_is_parent_of_run2");
    assert_eq!(compared["proposal_changes"]["proposed_solution"]["status"], "modified");
    assert_eq!(compared["proposal_changes"]["title"], json!({"status": "unchanged"}));
    assert_eq!(compared["persona_deltas"][1]["persona_id"], "critic");
    assert_eq!(compared["persona_deltas"][1]["confidence_delta"], 0.35);
    assert_eq!(compared["decision_delta"]["decision_changed"], false);
    assert_eq!(compared["decision_delta"]["delta"], 0.0875);
    let same = server.get_json(&format!("/v1/runs/{parent}/diff/{parent}"));
    assert_eq!((same.status, &same.body["error_code"]), (400, &json!("INVALID_REQUEST")));
    assert_eq!(server.get(&format!("/v1/runs/{parent}/diff/{}", RunId::new())).status, 404);
    assert_eq!(server.get(&format!("/v1/runs/{parent}/diff/7")).status, 400);
    let revisions = server.json(&format!("/v1/runs?parent_run_id={parent}"));
    assert_eq!((&revisions["total"], &revisions["runs"][0]["run_type"]), (&json!(1), &json!("revision")));
}

async fn a_revision_without_an_edit_or_a_completed_parent_is_refused(env: &TestEnv) {
    let model = provider([0.9; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    let parent = send_idea(&server, "Umbrellas.");
    ended(env, &server, parent).await;
    let revise = |run: RunId, body: Value| server.post_json(&format!("/v1/runs/{run}/revisions"), &body);
    for nothing in
        [json!({}), json!({"edit_notes": " "}), json!({"edited_proposal": {}}), json!({"temperature": 1.0})]
    {
        let refused = revise(parent, nothing);
        assert_eq!((refused.status, &refused.body["error_code"]), (400, &json!("INVALID_REQUEST")));
    }
    for (wrong, parameter) in [
        (json!({"edit_notes": "x", "temperature": 2.1}), "temperature"),
        (json!({"edit_notes": "x", "parameters_json": {"messages": []}}), "parameters_json"),
        (json!({"edit_notes": "x", "parameters_json": {"top_p": 2}}), "parameters_json.top_p"),
        (json!({"edit_notes": "x".repeat(10_001)}), "edit_notes"),
        (json!({"edit_notes": "x", "input_idea": ""}), "input_idea"),
        (json!({"edited_proposal": {"solution": "x"}}), "edited_proposal.solution"),
        (json!({"edited_proposal": {"assumptions": [" "]}}), "edited_proposal.assumptions[0]"),
    ] {
        let refused = revise(parent, wrong);
        assert_eq!((refused.status, &refused.body["error_code"]), (422, &json!("VALIDATION_ERROR")));
        assert_eq!(refused.body["details"]["parameter"], parameter);
    }
    assert_eq!(revise(RunId::new(), json!({"edit_notes": "x"})).status, 404);
    let sent = server.post_json("/v1/expand-idea", &json!({"idea": "Umbrellas."}));
    assert_eq!(sent.status, 200);
    let draft = server.json("/v1/runs?limit=1")["runs"][0]["run_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(revise(draft, json!({"edit_notes": "x"})).status, 400, "a draft has no reviews");
    assert_eq!(model.requests().len(), 7);
    server.stop();

    let silent = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    use_model(env, &silent);
    let server = env.cli.serve();
    let waiting = send_idea(&server, "Umbrellas.");
    let refused = server.post_json(&format!("/v1/runs/{waiting}/revisions"), &json!({"edit_notes": "x"}));
    assert_eq!((refused.status, &refused.body["details"]["reason"]), (409, &json!("RUN_NOT_COMPLETED")));
}

//! What is refused, and how lists are filtered.

use quire_domain::RunId;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use super::{ended, provider, send_idea, use_model};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::upload_document;

on_both_stores! {
    /// Proves R198 for documents and proposals.
    without_a_model_documents_are_processed_and_an_idea_is_refused_with_the_settings_to_give,
    /// Proves R146, R159.
    an_idea_outside_the_limits_or_for_another_version_is_refused_and_changes_nothing,
    /// Proves R144.
    runs_are_filtered_by_every_parameter_and_a_wrong_value_is_named,
    absent_version_headers_get_the_current_versions_and_a_warning,
}

async fn without_a_model_documents_are_processed_and_an_idea_is_refused_with_the_settings_to_give(
    env: &TestEnv,
) {
    let server = env.cli.serve();
    let document = upload_document(&server, &clinical_record(1), "");
    env.wait_until_completed(document).await;
    for path in ["/v1/full-review", "/v1/expand-idea", "/v1/review-idea"] {
        let refused = server.post_json(path, &json!({"idea": "Umbrellas."}));
        assert_eq!((refused.status, &refused.body["error_code"]), (503, &json!("PROVIDER_NOT_CONFIGURED")));
        assert_eq!(refused.body["details"]["settings"], json!(["model.url", "model.name"]));
    }
    assert_eq!(server.json("/v1/runs"), json!({"runs": [], "total": 0, "limit": 30, "offset": 0}));
}

async fn an_idea_outside_the_limits_or_for_another_version_is_refused_and_changes_nothing(env: &TestEnv) {
    let model = provider([0.8; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    let refused = |body: &Value| {
        let response = server.post_json("/v1/full-review", body);
        assert_eq!((response.status, &response.body["error_code"]), (422, &json!("VALIDATION_ERROR")));
        response.body["details"]["parameter"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused(&json!({})), "idea");
    assert_eq!(refused(&json!({"idea": " "})), "idea");
    assert_eq!(refused(&json!({"idea": "Go. ".repeat(11)})), "idea");
    assert_eq!(refused(&json!({"idea": "a".repeat(10_001)})), "idea");
    assert_eq!(refused(&json!({"idea": "Go.", "extra_context": "a".repeat(50_001)})), "extra_context");
    assert_eq!(refused(&json!({"idea": "Go.", "extra_context": 7})), "extra_context");
    let unknown = server.post_json("/v1/full-review", &json!({"idea": "Go.", "ideas": 1}));
    assert_eq!((unknown.status, &unknown.body["error_code"]), (400, &json!("INVALID_REQUEST")));

    let versioned = |header: &str| {
        let headers = format!("Content-Type: application/json\r\n{header}\r\n");
        server.request_json("POST /v1/full-review", &headers, &json!({"idea": "Go."}).to_string())
    };
    let other = versioned("X-Schema-Version: 2.0.0");
    assert_eq!((other.status, &other.body["error_code"]), (400, &json!("UNSUPPORTED_VERSION")));
    assert_eq!(other.body["details"]["requested_schema_version"], "2.0.0");
    assert_eq!(other.body["details"]["supported_prompt_set_version"], "1.0.0");
    assert_eq!(versioned("X-Prompt-Set-Version: 1.0").status, 400);
    assert_eq!(server.json("/v1/runs")["total"], 0);
    assert_eq!(versioned("X-Schema-Version: 1.0.0\r\nX-Prompt-Set-Version: 1.0.0").status, 202);
    let longest = json!({"idea": "a".repeat(10_000), "extra_context": {"a": "x".repeat(49_000)}});
    assert_eq!(server.post_json("/v1/full-review", &longest).status, 202);
    assert_eq!(server.json("/v1/runs")["total"], 2);
}

async fn runs_are_filtered_by_every_parameter_and_a_wrong_value_is_named(env: &TestEnv) {
    let model = provider([0.9; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    let first = send_idea(&server, "First.");
    let detail = ended(env, &server, first).await;
    let second = send_idea(&server, "Second.");
    ended(env, &server, second).await;
    let ids = |query: &str| -> Vec<RunId> {
        let listed = server.json(&format!("/v1/runs?{query}"));
        let runs = listed["runs"].as_array().unwrap_or_else(|| panic!("{query}: {listed}"));
        runs.iter().map(|run| run["run_id"].as_str().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(ids(""), [second, first]);
    assert_eq!(ids("limit=1&offset=1"), [first]);
    assert_eq!(
        ids("status=completed&run_type=initial&decision=approve&min_confidence=0.89"),
        [second, first]
    );
    for none in ["status=failed", "status=queued", "run_type=revision", "decision=reject", "min_confidence=1"]
    {
        assert_eq!(ids(none), [], "{none}");
    }
    assert_eq!(ids(&format!("parent_run_id={first}")), []);
    let created = detail["created_at"].as_str().unwrap();
    assert_eq!(ids(&format!("end_date={created}")), [first]);
    assert_eq!(ids(&format!("start_date={created}")), [second, first]);
    for (query, parameter) in [
        ("status=done", "status"),
        ("status=COMPLETED", "status"),
        ("run_type=first", "run_type"),
        ("parent_run_id=7", "parent_run_id"),
        ("decision=accept", "decision"),
        ("min_confidence=1.1", "min_confidence"),
        ("min_confidence=NaN", "min_confidence"),
        ("start_date=2026-01-08", "start_date"),
        ("end_date=2026-01-08T10:00:00", "end_date"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("offset=-1", "offset"),
        ("state=completed", "state"),
    ] {
        let refused = server.get_json(&format!("/v1/runs?{query}"));
        assert_eq!(
            (refused.status, &refused.body["error_code"]),
            (400, &json!("INVALID_REQUEST")),
            "{query}"
        );
        assert_eq!(refused.body["details"]["parameter"], parameter, "{query}");
    }
    assert_eq!(server.get("/v1/runs/7").status, 400);
    assert_eq!(server.get(&format!("/v1/runs/{}", RunId::new())).status, 404);
}

async fn absent_version_headers_get_the_current_versions_and_a_warning(env: &TestEnv) {
    let model = provider([0.9; 5]);
    use_model(env, &model);
    let server = env.cli.serve();
    let send = |headers: &str| {
        let headers = format!("Content-Type: application/json\r\nX-Request-ID: idea-7\r\n{headers}");
        let sent = server.request_json("POST /v1/full-review", &headers, &json!({"idea": "Go."}).to_string());
        assert_eq!(sent.status, 202, "{}", sent.body);
        sent.body["warnings"].clone()
    };
    let (schema, prompt_set) = ("X-Schema-Version: 1.0.0\r\n", "X-Prompt-Set-Version: 1.0.0\r\n");
    let absent = |name: &str| format!("{name} is absent; version 1.0.0 is used");
    assert_eq!(send(&format!("{schema}{prompt_set}")), json!([]));
    assert_eq!(send(schema), json!([absent("X-Prompt-Set-Version")]));
    assert_eq!(send(""), json!([absent("X-Schema-Version"), absent("X-Prompt-Set-Version")]));
    let log = server.stop().stderr;
    let warned = log.lines().filter(|line| line.contains("version headers are absent")).count();
    assert_eq!(warned, 2, "{log}");
    assert!(log.lines().any(|line| line.contains("version headers") && line.contains("idea-7")), "{log}");
}

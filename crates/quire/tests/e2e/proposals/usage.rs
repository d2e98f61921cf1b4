//! What proposals cost, by run, credential and day.

use quire_testkit::documents::clinical_record;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, answer, use_model};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::upload_document;

on_both_stores! {
    /// Proves R208 for the user, and that each request to a model is billed to the key that asked for it.
    requests_to_a_model_are_added_up_by_run_key_and_day,
    the_tokens_of_a_day_stop_proposals,
}

/// The answer alone may have more tokens than the day.
async fn the_tokens_of_a_day_stop_proposals(env: &TestEnv) {
    let model = ModelServer::with_key(KEY).answering(|body, _| answer(body, [0.9; 5]));
    use_model(env, &model);
    let file = std::fs::read_to_string(env.cli.path("quire.toml")).unwrap();
    let budget = "max_tokens_per_day = 1000\n[pipelines.proposal]";
    env.cli.write("quire.toml", &file.replace("[pipelines.proposal]", budget));
    let server = env.cli.serve();
    let sent = server.post_json("/v1/full-review", &json!({"idea": "Umbrellas."}));
    let run = sent.body["run_id"].as_str().unwrap().parse().unwrap();
    env.wait_for_run(run).await;
    let shown = server.json(&format!("/runs/{run}"));
    assert_eq!((&shown["state"], &shown["error_code"]), (&json!("FAILED"), &json!("MODEL_BUDGET_SPENT")));
    assert!(model.requests().is_empty());
}

async fn requests_to_a_model_are_added_up_by_run_key_and_day(env: &TestEnv) {
    let model = ModelServer::with_key(KEY).answering(|body, number| {
        if number == 0 { ModelReply::Refusal("no") } else { answer(body, [0.9; 5]) }
    });
    use_model(env, &model);
    let prices = "price_per_million_in = 1.0\nprice_per_million_out = 2.0\n[pipelines.proposal]";
    let file = std::fs::read_to_string(env.cli.path("quire.toml")).unwrap();
    env.cli.write("quire.toml", &file.replace("[pipelines.proposal]", prices));
    let (alma, bruno) = (env.create_key("alma", "admin"), env.create_key("bruno", "admin"));
    let server = env.cli.serve();
    let get = |path: &str, key: &str| -> Value { server.request_json(&format!("GET {path}"), key, "").body };
    let mut runs = Vec::new();
    for key in [&alma, &bruno] {
        let headers = format!("{key}Content-Type: application/json\r\n");
        let body = json!({"idea": "Umbrellas."}).to_string();
        let sent = server.request_json("POST /v1/full-review", &headers, &body);
        let run = sent.body["run_id"].as_str().unwrap().parse().unwrap();
        env.wait_for_run(run).await;
        runs.push(run);
    }
    let names = async |run| env.store.run_reader.run(run).await.unwrap().requested_by;
    assert_eq!(names(runs[1]).await.as_deref(), Some("bruno"));
    for (run, name) in runs.iter().zip(["alma", "bruno"]) {
        let key = env.store.credentials.named(name).await.unwrap();
        assert_eq!(get(&format!("/v1/runs/{run}"), &alma)["user_id"], key.key.id.0.to_string(), "{name}");
    }
    let document = upload_document(&server, &clinical_record(1), &alma);
    assert_eq!(env.wait_for_latest_run(document).await.requested_by.as_deref(), Some("alma"));

    let report = get("/model-usage", &alma);
    let days = report["days"].as_array().unwrap();
    let of = |name: &str| days.iter().find(|day| day["credential"] == name).unwrap().clone();
    assert_eq!((&of("alma")["calls"], &of("alma")["failed_calls"]), (&json!(1), &json!(1)));
    let (of_bruno, of_run) =
        (of("bruno"), get(&format!("/v1/runs/{}", runs[1]), &alma)["model_usage"].clone());
    for member in ["calls", "failed_calls", "tokens_in", "tokens_out", "cost", "milliseconds"] {
        assert_eq!(of_bruno[member], of_run[member], "{member}");
    }
    assert_eq!((&of_run["calls"], &of_run["tokens_in"]), (&json!(6), &json!(4200)));
    assert!((of_run["cost"].as_f64().unwrap() - (4200.0 + 2.0 * 300.0) / 1e6).abs() < 1e-9, "{of_run}");
    assert_eq!(report["total"]["calls"], 7);
    assert_eq!(of_bruno["model"], "fake-model-2026");
    assert!(of_bruno["day"].as_str().unwrap().ends_with("T00:00:00Z"), "{of_bruno}");

    let none = get("/model-usage?from=2020-01-01T00:00:00Z&before=2020-02-01T00:00:00Z", &alma);
    assert_eq!(
        (&none["days"], &none["total"]["calls"], &none["total"]["cost"]),
        (&json!([]), &json!(0), &Value::Null)
    );
    for wrong in ["from=yesterday", "before=2020-01-01", "until=2020-01-01T00:00:00Z"] {
        let refused = get(&format!("/model-usage?{wrong}"), &alma);
        assert_eq!(refused["error_code"], "INVALID_REQUEST", "{wrong}");
    }
}

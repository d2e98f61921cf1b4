//! Proposals, against a fake provider that answers as the personas would.

mod command;
mod drafts;
mod guide;
mod lanes;
mod requests;
mod resuming;
mod reviews;
mod revisions;
mod usage;

use quire_domain::RunId;
use quire_testkit::ModelServer;
pub use quire_testkit::personas::{answer, prompt, review, reviewer};
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::test_env::TestEnv;

pub const KEY: &str = "sk-a-key-that-nobody-may-see";

/// Configures the next server to use this model. A failed run may be retried at once.
pub fn use_model(env: &TestEnv, model: &ModelServer) {
    let url = &model.url;
    let file = format!(
        "[model]\nurl = \"{url}\"\nname = \"any\"\napi_key = \"{KEY}\"\n\
         [pipelines.proposal]\nrequeue_delay = \"1ms\"\nstep_attempts = 1\n"
    );
    env.cli.write("quire.toml", &file);
}

/// A provider whose personas give these scores.
pub fn provider(scores: [f64; 5]) -> ModelServer {
    ModelServer::with_key(KEY).answering(move |body, _| answer(body, scores))
}

/// Sends an idea for a full review.
pub fn send_idea(server: &TestServer, idea: &str) -> RunId {
    let response = server.post_json("/v1/full-review", &json!({ "idea": idea }));
    assert_eq!(response.status, 202, "{:?}", response.body);
    response.body["run_id"].as_str().unwrap().parse().unwrap()
}

/// The detail of a run after its end.
pub async fn ended(env: &TestEnv, server: &TestServer, run: RunId) -> Value {
    env.wait_for_run(run).await;
    server.json(&format!("/v1/runs/{run}"))
}

/// The statuses of the seven steps, in order.
fn statuses(detail: &Value) -> Vec<&str> {
    let steps = detail["step_progress"].as_array().unwrap();
    let orders: Vec<_> = steps.iter().map(|step| step["step_order"].as_u64().unwrap()).collect();
    assert_eq!(orders, [0, 1, 2, 3, 4, 5, 6]);
    steps.iter().map(|step| step["status"].as_str().unwrap()).collect()
}

//! Proposals, against a fake provider that answers as the personas would.

mod command;
mod drafts;
mod guide;
mod lanes;
mod requests;
mod reviews;
mod revisions;
mod usage;

use quire_domain::RunId;
use quire_domain::proposal::{GENERIC_REVIEWER_NAME, Persona};
use quire_testkit::{ModelReply, ModelServer};
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

/// The name in the first sentence of the instructions, such as `Critic`; none if a proposal is asked for.
pub fn reviewer(body: &Value) -> Option<&str> {
    let instructions = body["messages"][0]["content"].as_str().unwrap();
    instructions.strip_prefix("You are ").and_then(|rest| rest.split(',').next())
}

/// Everything that a request tells a model.
pub fn prompt(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().map(|message| message["content"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

pub fn proposal(solution: &str) -> String {
    json!({
        "title": "Shared umbrellas",
        "summary": "Umbrellas that anybody can borrow.",
        "problem_statement": "People get wet.",
        "proposed_solution": solution,
        "assumptions": ["It rains."],
        "scope_non_goals": ["Raincoats."],
    })
    .to_string()
}

pub fn review(name: &str, score: f64) -> Value {
    let id = Persona::ALL.iter().find(|persona| persona.name() == name);
    json!({
        "persona_name": name,
        "persona_id": id.map_or("generic_reviewer", |persona| persona.id()),
        "confidence_score": score,
        "strengths": ["It is simple."],
        "concerns": [{"text": "Theft.", "is_blocking": false}],
        "recommendations": ["Ask for a deposit."],
        "blocking_issues": [],
        "estimated_effort": "two weeks",
        "dependency_risks": ["The weather."],
    })
}

/// The answer to a request: the proposal, or the review with the score of its persona.
pub fn answer(body: &Value, scores: [f64; 5]) -> ModelReply {
    let text = match reviewer(body) {
        None => proposal("Stands at every corner."),
        Some(name) if name == GENERIC_REVIEWER_NAME => review(name, scores[0]).to_string(),
        Some(name) => {
            let place = Persona::ALL.iter().position(|persona| persona.name() == name).unwrap();
            review(name, scores[place]).to_string()
        }
    };
    ModelReply::Completion(text)
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

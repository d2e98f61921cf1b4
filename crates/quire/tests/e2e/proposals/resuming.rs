//! Servers that are killed in the middle of a proposal, and runs that a person cancels: nothing stored is paid for again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use quire_domain::RunId;
use quire_domain::proposal::Persona;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, answer, ended, reviewer, send_idea, statuses, use_model};
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

const IDEA: &str = "Umbrellas for everybody. They stand at every corner.";

on_both_stores! {
    /// Proves R152: a kill -9 while the model is asked in each of the steps that ask it.
    a_killed_server_resumes_its_proposal_at_the_unfinished_steps with [
        ("QUIRE_PIPELINES_PROPOSAL_RECOVERY", "requeue"),
        ("QUIRE_ENGINE_LEASE", "1s"),
        ("QUIRE_ENGINE_HEARTBEAT", "200ms"),
    ],
    /// Proves R135, R152.
    a_cancelled_proposal_is_retried_at_the_unfinished_steps,
}

/// The places of the steps that ask a model.
const ASKING: std::ops::Range<usize> = 0..6;

/// The place of the step that a request is made for.
fn place(body: &Value) -> usize {
    reviewer(body).map_or(0, |name| 1 + Persona::ALL.iter().position(|one| one.name() == name).unwrap())
}

/// A provider that is silent in one step until it is healed.
struct SilentProvider {
    server: ModelServer,
    silent: Arc<Mutex<Option<usize>>>,
}

impl SilentProvider {
    fn start() -> Self {
        let silent = Arc::new(Mutex::new(None));
        let step = silent.clone();
        let server = ModelServer::with_key(KEY).answering(move |body, _| {
            if *step.lock().unwrap() == Some(place(body)) {
                ModelReply::NoResponse
            } else {
                answer(body, [0.9; 5])
            }
        });
        Self { server, silent }
    }

    fn be_silent_in(&self, step: Option<usize>) {
        *self.silent.lock().unwrap() = step;
    }

    /// How often each step asked, since that many requests were made.
    fn calls_since(&self, requests: usize) -> HashMap<usize, usize> {
        let mut calls = HashMap::new();
        for request in &self.server.requests()[requests..] {
            *calls.entry(place(&request.body)).or_default() += 1;
        }
        calls
    }
}

/// Sends an idea and waits until all that is left of its first unfinished group is the step in which the provider is
/// silent.
async fn send_until_silent(server: &TestServer, provider: &SilentProvider, step: usize) -> RunId {
    let before = provider.server.requests().len();
    provider.be_silent_in(Some(step));
    let run = send_idea(server, IDEA);
    let group = if step == 0 { 0..1 } else { 1..6 };
    wait_until(async || {
        let detail = server.json(&format!("/v1/runs/{run}"));
        let statuses = statuses(&detail);
        group.clone().all(|place| statuses[place] == if place == step { "running" } else { "completed" })
    })
    .await;
    // A step is shown as running before its request arrives.
    wait_until(async || provider.calls_since(before).contains_key(&step)).await;
    run
}

/// Each step asked once, and the interrupted one twice.
fn expected(step: usize) -> HashMap<usize, usize> {
    ASKING.map(|place| (place, if place == step { 2 } else { 1 })).collect()
}

async fn a_killed_server_resumes_its_proposal_at_the_unfinished_steps(env: &TestEnv) {
    let provider = SilentProvider::start();
    use_model(env, &provider.server);
    for step in ASKING {
        let before = provider.server.requests().len();
        let server = env.cli.serve();
        let run = send_until_silent(&server, &provider, step).await;
        // Dropping it kills it.
        drop(server);
        provider.be_silent_in(None);
        let server = env.cli.serve();
        let detail = ended(env, &server, run).await;
        assert_eq!((&detail["status"], &detail["decision_label"]), (&json!("completed"), &json!("approve")));
        assert_eq!(statuses(&detail), ["completed"; 7]);
        assert_eq!(provider.calls_since(before), expected(step), "step {step}");
        assert!(server.stop().status.success());
    }
}

async fn a_cancelled_proposal_is_retried_at_the_unfinished_steps(env: &TestEnv) {
    let provider = SilentProvider::start();
    use_model(env, &provider.server);
    let server = env.cli.serve();
    for step in ASKING {
        let before = provider.server.requests().len();
        let run = send_until_silent(&server, &provider, step).await;
        let cancelled = server.post(&format!("/runs/{run}/cancel"));
        assert_eq!((cancelled.status, &cancelled.json()["failure_type"]), (200, &json!("CANCELLED")));
        wait_until(async || provider.server.open_requests() == 0).await;
        let detail = server.json(&format!("/v1/runs/{run}"));
        assert_eq!((&detail["status"], &detail["error_code"]), (&json!("failed"), &json!("CANCELLED")));
        assert_eq!(statuses(&detail)[step], "failed");
        provider.be_silent_in(None);
        assert_eq!(server.post(&format!("/v1/runs/{run}/retry")).status, 200);
        let detail = ended(env, &server, run).await;
        assert_eq!((&detail["status"], &detail["retry_count"]), (&json!("completed"), &json!(1)));
        assert_eq!(provider.calls_since(before), expected(step), "step {step}");
    }
}

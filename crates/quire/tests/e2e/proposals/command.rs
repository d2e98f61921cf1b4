//! `quire propose`.

use std::io::Write as _;
use std::process::Stdio;

use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{KEY, answer, provider, reviewer, use_model};
use crate::program::Cli;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R142, R207 for the command.
    an_idea_is_followed_while_a_server_executes_it,
    without_a_server_the_command_executes_the_run_itself,
    a_failed_run_ends_the_command_with_its_code_and_can_be_retried,
    a_detached_run_is_left_to_a_server,
    an_interrupted_command_hands_its_run_back_to_the_queue,
}

/// The steps that have completed, in their order.
fn completed(stderr: &str) -> Vec<&str> {
    let lines = stderr.lines();
    let mut steps: Vec<_> =
        lines.filter_map(|line| line.split_once(": completed").map(|(step, _)| step)).collect();
    steps.sort_unstable();
    steps
}

const STEPS: [&str; 7] = [
    "1/7 expand",
    "2/7 review_architect",
    "3/7 review_critic",
    "4/7 review_optimist",
    "5/7 review_security",
    "6/7 review_user_advocate",
    "7/7 aggregate_decision",
];

async fn an_idea_is_followed_while_a_server_executes_it(env: &TestEnv) {
    let model = provider([0.80, 0.70, 0.90, 0.75, 0.85]);
    use_model(env, &model);
    let server = env.cli.serve();
    let output =
        env.cli.run(&["propose", "Umbrellas.", "--context", "It rains.", "--priority", "high", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    let printed: Value = serde_json::from_str(&output.stdout).unwrap();
    let id = printed["run_id"].as_str().unwrap();
    assert_eq!(printed, server.json(&format!("/v1/runs/{id}")), "the JSON of the API");
    assert_eq!((&printed["decision_label"], &printed["priority"]), (&json!("revise"), &json!("high")));
    assert_eq!(printed["extra_context"], json!({"text": "It rains."}));
    assert_eq!(printed["model_usage"]["calls"], 6);
    assert!(
        output.stderr.starts_with(&format!("Run {id} is queued; a running server or worker executes it.\n"))
    );
    assert_eq!(completed(&output.stderr), STEPS, "{}", output.stderr);
    assert_eq!(model.requests().len(), 6);
    let quiet = env.cli.run(&["propose", "--quiet", "Umbrellas."]);
    assert_eq!((quiet.status.code(), quiet.stderr.as_str()), (Some(0), ""));
}

async fn without_a_server_the_command_executes_the_run_itself(env: &TestEnv) {
    let model = ModelServer::with_key(KEY).answering(|body, _| match reviewer(body) {
        Some("Critic") => {
            let mut review = super::review("Critic", 0.5);
            review["blocking_issues"] = json!([{"text": "Thieves."}]);
            ModelReply::Completion(review.to_string())
        }
        _ => answer(body, [0.9; 5]),
    });
    use_model(env, &model);
    let mut command = env.cli.command(&["propose", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"Umbrellas for everybody.\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("this command executes it") && completed(&stderr) == STEPS, "{stderr}");
    assert!(stdout.starts_with("Decision: approve, weighted confidence 0.8000\n"), "{stdout}");
    for line in [
        "Critic            0.50                Thieves.\n",
        "Minority report of Critic: Thieves.\n",
        "Solution\n  Stands at every corner.\n",
        "Assumptions\n  - It rains.\n",
        "Model: 6 calls, 4200 tokens in, 300 out, cost unknown\n",
    ] {
        assert!(stdout.contains(line), "{line} is not in:\n{stdout}");
    }
    let stored = &env.store.proposals.proposals(&all()).await.unwrap().0[0];
    assert_eq!(stored.run.state.as_str(), "COMPLETED");
    assert_eq!(
        env.store.proposals.proposal(stored.run.id).await.unwrap().request.input_idea,
        "Umbrellas for everybody."
    );
}

fn all() -> quire_ports::ProposalFilter {
    quire_ports::ProposalFilter { limit: 10, ..quire_ports::ProposalFilter::default() }
}

async fn a_failed_run_ends_the_command_with_its_code_and_can_be_retried(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::Refusal("no")]);
    use_model(env, &model);
    let output = env.cli.run(&["propose", "Umbrellas."]);
    assert_eq!((output.status.code(), output.stdout.as_str()), (Some(1), ""), "{}", output.stderr);
    let run = env.store.proposals.proposals(&all()).await.unwrap().0.remove(0).run;
    assert!(output.stderr.contains("1/7 expand: failed: "), "{}", output.stderr);
    assert!(output.stderr.contains("(MODEL_REFUSED)"), "{}", output.stderr);
    assert!(output.stderr.contains(&format!("quire runs retry {}", run.id)), "{}", output.stderr);
    assert!(env.cli.run_ok(&["runs", "retry", &run.id.to_string()]).contains("QUEUED"));
}

async fn a_detached_run_is_left_to_a_server(env: &TestEnv) {
    let model = provider([0.9; 5]);
    use_model(env, &model);
    let id = env.cli.run_ok(&["propose", "--detach", "Umbrellas."]);
    let run: quire_domain::RunId = id.trim_end().parse().unwrap();
    assert_eq!(env.store.run_reader.run(run).await.unwrap().state.as_str(), "QUEUED");
    assert_eq!(model.requests().len(), 0);
    let _server = env.cli.serve();
    assert_eq!(env.wait_for_run(run).await.state.as_str(), "COMPLETED");
}

async fn an_interrupted_command_hands_its_run_back_to_the_queue(env: &TestEnv) {
    let silent = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    use_model(env, &silent);
    let mut command = env.cli.command(&["propose", "Umbrellas."]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    crate::test_env::wait_until(async || silent.requests().len() == 1).await;
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{stderr}");
    let run = env.store.proposals.proposals(&all()).await.unwrap().0.remove(0).run;
    assert!(stderr.contains(&format!("run {} stays in the queue", run.id)), "{stderr}");
    assert_eq!((run.state.as_str(), run.failed_attempts), ("QUEUED", 0));
    let model = provider([0.9; 5]);
    use_model(env, &model);
    let _server = env.cli.serve();
    assert_eq!(env.wait_for_run(run.id).await.state.as_str(), "COMPLETED");
}

#[test]
fn without_a_model_or_with_a_wrong_idea_nothing_is_created() {
    let cli = Cli::new();
    let refused = cli.run_err(&["propose", "Umbrellas."]);
    assert!(refused.contains("set model.url and model.name"), "{refused}");
    cli.write("quire.toml", "[model]\nurl = \"http://127.0.0.1:9/v1\"\nname = \"any\"\n");
    for (idea, rule) in
        [(" ", "idea must not be empty"), ("Go. Go. Go. Go. Go. Go. Go. Go. Go. Go. Go.", "limit is 10")]
    {
        let output = cli.run(&["propose", idea]);
        assert_eq!((output.status.code(), output.stdout.as_str()), (Some(2), ""));
        assert!(output.stderr.contains(rule), "{}", output.stderr);
    }
    assert!(!cli.path("quire-data").exists());
}

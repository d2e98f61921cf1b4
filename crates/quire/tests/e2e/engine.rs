//! The engine of the real program: shutdown, deadlines, suspension and idling.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{DocumentId, EventType, Run, RunState, StepName};
use quire_testkit::{ModelReply, ModelServer};

use crate::program::TestServer;
use crate::reading::ocr::scan;
use crate::record::upload_lines;
use crate::review::edit::blocking_tesseract;
use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::uploads::upload_document;

const KEY: &str = "sk-engine";

const LINES: [&str; 4] = [
    "Historia clínica del paciente atendido en la consulta",
    "Paciente: Luna",
    "Especie: Canina",
    "Motivo: revisión anual de la mascota",
];

on_both_stores! {
    /// Proves R024: a shutdown is no crash, whatever the recovery policy.
    a_shutdown_hands_its_run_back_and_the_next_server_completes_it with [
        ("QUIRE_ENGINE_SHUTDOWN_WAIT", "50ms"),
    ],
    /// Proves R013, R037.
    a_run_past_its_limit_is_timed_out_only_while_its_server_lives with [
        ("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT", "3s"),
        ("QUIRE_PIPELINES_DOCUMENT_RECOVERY", "fail"),
        ("QUIRE_PIPELINES_DOCUMENT_CONTINUATIONS", "0"),
        ("QUIRE_ENGINE_LEASE", "1s"),
        ("QUIRE_ENGINE_HEARTBEAT", "200ms"),
    ],
    a_server_that_was_suspended_beyond_the_limit_completes_its_run with [
        ("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT", "4s"),
        ("QUIRE_ENGINE_DEADLINE_GRACE", "0s"),
    ],
    /// Proves R019.
    an_idle_server_sleeps_between_its_ticks with [
        ("QUIRE_ENGINE_TICK", "1s"),
        ("QUIRE_ENGINE_HEARTBEAT", "1s"),
    ],
}

/// Configures the next server to use a model that never answers.
fn use_silent_model(env: &TestEnv, timeout: &str) -> ModelServer {
    let model = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    let url = &model.url;
    let settings = format!(
        "[interpreter]\nkind = \"model\"\n[model]\nurl = \"{url}\"\nname = \"any\"\napi_key = \"{KEY}\"\n\
         timeout = \"{timeout}\"\n[pipelines.document]\nstep_attempts = 1\n"
    );
    env.cli.write("quire.toml", &settings);
    model
}

/// Uploads a document and waits until its INTERPRETATION waits for the model.
async fn upload_until_interpretation(server: &TestServer, model: &ModelServer) -> DocumentId {
    let before = model.requests().len();
    let id = upload_lines(server, &LINES);
    wait_until(async || model.requests().len() > before).await;
    id
}

async fn latest(env: &TestEnv, document: DocumentId) -> Run {
    env.runs_of(document).await.remove(0)
}

async fn a_shutdown_hands_its_run_back_and_the_next_server_completes_it(env: &TestEnv) {
    let model = use_silent_model(env, "45s");
    let server = env.cli.serve();
    let id = upload_until_interpretation(&server, &model).await;
    let output = server.stop();
    assert!(output.status.success(), "{}", output.stderr);
    let run = latest(env, id).await;
    assert_eq!((run.state.as_str(), run.failed_attempts, run.retry_count), ("QUEUED", 0, 0));
    env.cli.write("quire.toml", "");
    let server = env.cli.serve();
    assert_eq!(env.wait_until_completed(id).await.id, run.id);
    let read = env.events().await.into_iter();
    let read = read.filter(|event| {
        event.event_type == EventType::StepStarted && event.step == Some(StepName::Extraction)
    });
    assert_eq!(read.count(), 1, "it continues at its first unfinished step");
    server.stop();
}

async fn a_run_past_its_limit_is_timed_out_only_while_its_server_lives(env: &TestEnv) {
    // Reading takes for ever.
    let release = blocking_tesseract(env);
    let server = env.cli.serve();
    let scan = scan();
    let id = upload_document(&server, &scan, "");
    let owned = env.wait_for_latest_run(id).await;
    assert_eq!(owned.state.as_str(), "TIMED_OUT");
    let took = owned.state.completed_at().unwrap().duration_since(owned.state.started_at().unwrap());
    assert!(took >= SignedDuration::from_secs(3), "{took}");
    let line =
        "quire_step_failures_total{pipeline=\"document\",step=\"EXTRACTION\",code=\"RUN_TIMED_OUT\"} 1";
    // It is counted just after the commit.
    wait_until(async || server.get("/metrics").body.contains(line)).await;

    let orphan = upload_document(&server, &scan, "");
    let run = latest(env, orphan).await.id;
    env.wait_until_step_starts(run, StepName::Extraction).await;
    let RunState::Running { deadline_at: Some(deadline), .. } = latest(env, orphan).await.state else {
        panic!("the run is RUNNING")
    };
    server.signal("-KILL");
    drop(server);
    release();
    wait_until(async || Timestamp::now() > deadline + SignedDuration::from_secs(1)).await;
    let server = env.cli.serve();
    let recovered = env.wait_for_run(run).await;
    assert_eq!(recovered.state.as_str(), "FAILED");
    assert_eq!(recovered.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
    let timed_out = env.events().await.into_iter().filter(|event| event.event_type == EventType::RunTimedOut);
    assert_eq!(timed_out.filter(|event| event.run == Some(run)).count(), 0);
    // The step that was interrupted is in the metrics and in the log.
    let line =
        "quire_step_failures_total{pipeline=\"document\",step=\"EXTRACTION\",code=\"PROCESS_TERMINATED\"} 1";
    // It is counted just after the commit.
    wait_until(async || server.get("/metrics").body.contains(line)).await;
    let log = server.stop().stderr;
    let run = run.to_string();
    let parts = ["STEP_FAILED", "EXTRACTION", "PROCESS_TERMINATED", run.as_str()];
    assert!(log.lines().any(|line| parts.iter().all(|part| line.contains(part))), "{log}");
}

async fn a_server_that_was_suspended_beyond_the_limit_completes_its_run(env: &TestEnv) {
    // When the server wakes up, its request to the model has timed out, and the rules are used.
    let model = use_silent_model(env, "2s");
    let server = env.cli.serve();
    let id = upload_until_interpretation(&server, &model).await;
    let RunState::Running { started_at, deadline_at: Some(deadline), .. } = latest(env, id).await.state
    else {
        panic!("the run is RUNNING")
    };
    server.signal("-STOP");
    // A suspension that the server cannot take for a slow machine.
    let awake_at = (deadline + SignedDuration::from_secs(1)).max(started_at + SignedDuration::from_secs(8));
    wait_until(async || Timestamp::now() > awake_at).await;
    server.signal("-CONT");
    let run = env.wait_until_completed(id).await;
    assert_eq!((run.failed_attempts, run.continues), (0, None));
    server.stop();
}

async fn an_idle_server_sleeps_between_its_ticks(env: &TestEnv) {
    let server = env.cli.serve();
    let seen_at = async || env.store.workers.list().await.unwrap()[0].seen_at;
    let next_heartbeat = async || {
        let last = seen_at().await;
        wait_until(async || seen_at().await > last).await;
    };
    next_heartbeat().await;
    let (before, since) = (cpu_time(&server), seen_at().await);
    for _ in 0..4 {
        next_heartbeat().await;
    }
    let (used, passed) = (cpu_time(&server).saturating_sub(before), seen_at().await.duration_since(since));
    let share = used.as_secs_f64() / passed.as_secs_f64();
    assert!(share < 0.1, "an idle server used {used:?} of processor time in {passed}");
}

/// The processor time of a process so far.
fn cpu_time(server: &TestServer) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    // Ticks of a hundredth of a second in user and in kernel mode.
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(10 * ticks)
}

//! `POST /runs/{id}/cancel`: a person ends a run, and its server frees what the run uses.

use quire_domain::{DocumentId, EventType, RunId};
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use crate::http::Response;
use crate::program::TestServer;
use crate::reading::ocr::scan;
use crate::record::upload_lines;
use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::uploads::upload_document;

const KEY: &str = "sk-cancelling";
const LINES: [&str; 3] =
    ["Historia clínica del paciente atendido en la consulta", "Paciente: Luna", "Especie: Canina"];

on_both_stores! {
    /// The tick is long, so that only a message can tell the engine of the cancellation.
    a_cancelled_run_drops_its_call_and_frees_its_slot with [
        ("QUIRE_ENGINE_SLOTS", "1"),
        ("QUIRE_ENGINE_TICK", "10m"),
    ],
    a_cancelled_scan_ends_the_program_that_reads_it with [("QUIRE_ENGINE_TICK", "10m")],
}

/// Cancels the only run of a document.
async fn cancel(env: &TestEnv, server: &TestServer, document: DocumentId) -> (RunId, Response) {
    let run = env.runs_of(document).await[0].id;
    (run, server.post(&format!("/runs/{run}/cancel")))
}

async fn a_cancelled_run_drops_its_call_and_frees_its_slot(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    let settings = format!(
        "[interpreter]\nkind = \"model\"\n[model]\nurl = \"{}\"\nname = \"any\"\napi_key = \"{KEY}\"\n\
         timeout = \"10m\"\n[pipelines.document]\nstep_attempts = 1\nrun_limit = \"10m\"\n",
        model.url
    );
    env.cli.write("quire.toml", &settings);
    let server = env.cli.serve();
    let document = upload_lines(&server, &LINES);
    wait_until(async || model.open_requests() == 1).await;
    let waiting = upload_lines(&server, &LINES);
    let (queued, refused) = cancel(env, &server, waiting).await;
    assert_eq!((refused.status, &refused.json()["details"]["reason"]), (409, &json!("RUN_NOT_RUNNING")));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("withdraw"), "{message}");

    let (run, cancelled) = cancel(env, &server, document).await;
    assert_eq!(cancelled.status, 200);
    let shown = cancelled.json();
    assert_eq!((&shown["state"], &shown["failure_type"]), (&json!("FAILED"), &json!("CANCELLED")));
    let steps: Vec<&Value> =
        shown["steps"].as_array().unwrap().iter().map(|step| &step["error_code"]).collect();
    assert_eq!(steps, [&Value::Null, &json!("CANCELLED")], "what was read is kept");
    // The only slot and the call are free: the next document gets both.
    wait_until(async || model.requests().len() == 2 && model.open_requests() == 1).await;
    env.wait_until_running(queued, true).await;
    let detail = server.get_bytes(&format!("/documents/{document}")).json();
    assert_eq!((&detail["status"], &detail["failure_type"]), (&json!("FAILED"), &json!("CANCELLED")));
    assert_eq!(server.post(&format!("/runs/{run}/cancel")).status, 409);
    assert_eq!(server.post(&format!("/runs/{queued}/cancel")).status, 200);
    wait_until(async || model.open_requests() == 0).await;
    let kinds: Vec<_> = env.events().await.into_iter().map(|event| event.event_type).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == EventType::RunCancelled).count(), 2);
    assert!(!kinds.contains(&EventType::RunRequeued), "nobody starts it again");
    assert!(server.stop().status.success());
}

/// Whether a process with this argument runs on this machine.
fn is_running(argument: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let mut commands = commands.map(|command| String::from_utf8_lossy(&command).into_owned());
    commands.any(|command| command.starts_with("sleep\0") && command.contains(argument))
}

async fn a_cancelled_scan_ends_the_program_that_reads_it(env: &TestEnv) {
    // Some seconds that no other process sleeps.
    let seconds = format!("1000.{}", RunId::new().0.as_u128() % 1_000_000_007);
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then echo List; echo spa; exit 0; fi\nexec sleep {seconds}\n"
    );
    env.cli.write("hanging", &script);
    let program = env.cli.path("hanging");
    std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    let settings = format!("[reading.ocr]\nprogram = \"{}\"\ntime_limit = \"60s\"\n", program.display());
    env.cli.write("quire.toml", &settings);
    let server = env.cli.serve();
    let document = upload_document(&server, &scan(), "");
    wait_until(async || is_running(&seconds)).await;
    let (_, cancelled) = cancel(env, &server, document).await;
    assert_eq!((cancelled.status, &cancelled.json()["failure_type"]), (200, &json!("CANCELLED")));
    wait_until(async || !is_running(&seconds)).await;
}

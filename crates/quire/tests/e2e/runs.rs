//! Commands about runs. The test itself is the worker.

use std::path::Path;

use jiff::Timestamp;
use quire_domain::{NewRun, Pipeline, Priority, Run, RunId, SubjectId};
use quire_ports::Store;
use serde_json::json;

use crate::test_env::{TestEnv, on_both_stores};
use crate::test_worker::TestWorker;

on_both_stores! {
    /// Proves R161.
    the_queue_shows_runs_by_pipeline_and_priority,
    a_failed_link_is_listed_shown_and_retried,
    an_ended_run_of_a_document_is_never_retried,
    a_purge_deletes_rows_and_files,
}

async fn enqueue(store: &Store, pipeline: Pipeline) -> Run {
    let new = NewRun {
        id: RunId::new(),
        pipeline,
        subject: SubjectId::new(),
        priority: Priority::High,
        correlation_id: Some("c0ffee".to_owned()),
        continues: None,
    };
    store.queue.enqueue(&new, Timestamp::now()).await.unwrap()
}

async fn the_queue_shows_runs_by_pipeline_and_priority(env: &TestEnv) {
    let (cli, store) = (&env.cli, &env.store);
    enqueue(store, Pipeline::Link).await;
    enqueue(store, Pipeline::Link).await;
    let queue = cli.run_json(&["queue", "--json"]);
    let entry = &queue["queue"][0];
    assert_eq!((&entry["pipeline"], &entry["priority"]), (&json!("link"), &json!("high")));
    assert_eq!(entry["queued"], 2);
    assert!(entry["oldest_seconds"].as_f64().unwrap() >= 0.0);
    assert!(cli.run_ok(&["queue"]).contains("link      high      2"));
}

async fn a_failed_link_is_listed_shown_and_retried(env: &TestEnv) {
    let (cli, store) = (&env.cli, &env.store);
    enqueue(store, Pipeline::Link).await;
    let id = TestWorker::register(store).await.fail_next().await.to_string();

    let listed = cli.run_json(&["runs", "list", "--state", "failed", "--pipeline", "link", "--json"]);
    assert_eq!(listed[0]["run_id"], id);
    assert_eq!(listed[0]["error"]["error_code"], "PAGE_GONE");
    assert!(cli.run_ok(&["runs", "list"]).contains("PAGE_GONE"));
    assert_eq!(cli.run_ok(&["runs", "list", "--state", "COMPLETED"]), "No runs.\n");

    let shown = cli.run_json(&["runs", "show", &id, "--json"]);
    assert_eq!(shown["state"], "FAILED");
    assert_eq!(shown["correlation_id"], "c0ffee");
    assert_eq!(shown["attempt_records"][0]["outcome"], "RUN_FAILED");
    assert_eq!(shown["steps"][0]["step_name"], "extraction");
    let events: Vec<_> = shown["last_events"].as_array().unwrap().iter().map(|e| &e["event_type"]).collect();
    assert_eq!(events, ["RUN_CREATED", "RUN_STARTED", "STEP_STARTED", "RUN_FAILED"]);
    let text = cli.run_ok(&["runs", "show", &id]);
    for part in [&format!("Run {id} is FAILED"), "the page is no longer there", "LAST EVENTS"] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }

    let retried = cli.run(&["runs", "retry", &id]);
    assert!(retried.stdout.contains("is QUEUED, starts at "), "{}{}", retried.stdout, retried.stderr);
    assert!(retried.stderr.contains("RUN_RETRIED"), "the retry is logged: {}", retried.stderr);
    assert_eq!(cli.run_json(&["runs", "show", &id, "--json"])["retry_count"], 1);
    let again = cli.run_err(&["runs", "retry", &id]);
    assert!(again.contains("only a FAILED run can be retried"), "{again}");
}

async fn an_ended_run_of_a_document_is_never_retried(env: &TestEnv) {
    let (cli, store) = (&env.cli, &env.store);
    enqueue(store, Pipeline::Document).await;
    let id = TestWorker::register(store).await.fail_next().await.to_string();
    let refused = cli.run_err(&["runs", "retry", &id]);
    assert!(refused.contains("create a new run instead"), "{refused}");
}

async fn a_purge_deletes_rows_and_files(env: &TestEnv) {
    let (cli, store) = (&env.cli, &env.store);
    let run = enqueue(store, Pipeline::Link).await;
    let subject = run.subject.to_string();
    let (files, others) = (cli.path("quire-data/documents").join(&subject), SubjectId::new().to_string());
    let others = files.with_file_name(others);
    let write_file = |folder: &Path| {
        std::fs::create_dir_all(folder.join("runs")).unwrap();
        std::fs::write(folder.join("runs/raw-text.txt"), "text").unwrap();
    };
    write_file(&files);
    write_file(&others);
    let printed = cli.run_ok(&["purge", &subject, "--yes"]);
    assert_eq!(printed, format!("Deleted {subject} with 1 run.\n"));
    assert!(cli.run_err(&["runs", "show", &run.id.to_string()]).contains("was not found"));
    assert!(!files.exists());
    assert!(others.join("runs/raw-text.txt").exists(), "other folders stay");

    // As after a crash between deleting the rows and the files.
    write_file(&files);
    assert_eq!(cli.run_ok(&["purge", &subject, "--yes"]), format!("Deleted {subject} with 0 runs.\n"));
    assert!(!files.exists());
    assert!(cli.run_err(&["purge", &subject, "--yes"]).contains("was not found"));
}

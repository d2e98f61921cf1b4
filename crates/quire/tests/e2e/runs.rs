//! Commands about runs. The test itself is the worker.

use std::path::Path;

use jiff::Timestamp;
use quire_domain::{NewRun, Pipeline, Priority, Run, RunId, SubjectId};
use quire_ports::Store;
use serde_json::{Value, json};

use crate::reading::gibberish;
use crate::record::upload_lines;
use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::test_worker::TestWorker;
use crate::uploads::upload_document;

on_both_stores! {
    /// Proves R161.
    the_queue_shows_runs_by_pipeline_and_priority,
    /// Proves R161 for the command and for the metrics of a server that works.
    depth_by_priority_mean_duration_and_failures_by_step_can_be_queried,
    /// Proves R208 for the priority, which every list and view of runs has.
    a_failed_proposal_is_listed_shown_and_retried,
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
        requested_by: None,
        extractor: None,
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

async fn depth_by_priority_mean_duration_and_failures_by_step_can_be_queried(env: &TestEnv) {
    let server = env.cli.serve();
    env.wait_until_completed(upload_lines(&server, &["El paciente come bien y duerme toda la noche."; 3]))
        .await;
    let unreadable = upload_document(&server, &gibberish(), "");
    let failed = env.wait_for_latest_run(unreadable).await;
    assert_eq!(failed.state.as_str(), "FAILED");
    enqueue(&env.store, Pipeline::Proposal).await;
    let document = json!("document");
    let report = || env.cli.run_json(&["queue", "--json"]);
    let mean = |report: &Value| {
        let completed = report["completed_last_24h"].as_array().unwrap().iter();
        let mut of_documents = completed.filter(|entry| entry["pipeline"] == document && entry["runs"] == 1);
        of_documents.find_map(|entry| entry["mean_duration_ms"].as_u64())
    };
    // The metrics of a minute are stored from time to time.
    wait_until(async || mean(&report()).is_some_and(|mean| mean > 0)).await;
    let report = report();
    let queued = &report["queue"][0];
    assert_eq!(
        (&queued["pipeline"], &queued["priority"], &queued["queued"]),
        (&json!("proposal"), &json!("high"), &json!(1))
    );
    let failure = &report["failures_by_step"][0];
    assert_eq!((&failure["step"], &failure["failed"]), (&json!("EXTRACTION"), &json!(1)), "{report}");
    for line in [
        "quire_queue_depth{pipeline=\"proposal\",priority=\"high\"} 1",
        "quire_queue_depth{pipeline=\"proposal\",priority=\"normal\"} 0",
        "quire_run_duration_seconds_count{pipeline=\"document\",outcome=\"completed\"} 1",
        "quire_run_duration_seconds_sum{pipeline=\"document\",outcome=\"completed\"} ",
        "quire_step_failures_total{pipeline=\"document\",step=\"EXTRACTION\",code=\"EXTRACTION_LOW_QUALITY\"} 1",
    ] {
        wait_until(async || server.get("/metrics").body.lines().any(|found| found.starts_with(line))).await;
    }
}

async fn a_failed_proposal_is_listed_shown_and_retried(env: &TestEnv) {
    let (cli, store) = (&env.cli, &env.store);
    enqueue(store, Pipeline::Proposal).await;
    let id = TestWorker::register(store).await.fail_next().await.to_string();

    let listed = cli.run_json(&["runs", "list", "--state", "failed", "--pipeline", "proposal", "--json"]);
    assert_eq!(listed[0]["run_id"], id);
    assert_eq!(listed[0]["error"]["error_code"], "PAGE_GONE");
    let text = cli.run_ok(&["runs", "list"]);
    assert!(text.contains("PAGE_GONE") && text.contains("  FAILED  high  "), "{text}");
    assert_eq!(listed[0]["priority"], "high");
    assert_eq!(cli.run_ok(&["runs", "list", "--state", "COMPLETED"]), "No runs.\n");

    let shown = cli.run_json(&["runs", "show", &id, "--json"]);
    assert_eq!(shown["state"], "FAILED");
    assert_eq!(shown["correlation_id"], "c0ffee");
    assert_eq!(shown["attempt_records"][0]["outcome"], "RUN_FAILED");
    assert_eq!(shown["steps"][0]["step_name"], "expand");
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
    assert!(refused.contains("process the document again"), "{refused}");
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

//! Commands about runs that are really there. The test plays the worker, through the store itself.

use std::path::Path;

use jiff::Timestamp;
use quire_domain::{NewRun, Pipeline, Priority, Run, RunId, SubjectId};
use quire_ports::Store;
use serde_json::{Value, json};

use crate::hand::Hand;
use crate::program::Quire;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R161.
    the_queue_shows_what_waits_by_pipeline_and_priority,
    a_failed_link_is_listed_shown_and_sent_back_to_the_queue,
    a_documents_run_that_ended_never_changes,
    what_is_purged_is_gone,
}

async fn enqueue(store: &Store, pipeline: Pipeline) -> Run {
    let new = NewRun {
        id: RunId::new(),
        pipeline,
        subject: SubjectId::new(),
        priority: Priority::High,
        correlation_id: Some("c0ffee".to_owned()),
    };
    store.queue.enqueue(&new, Timestamp::now()).await.unwrap()
}

fn json_of(quire: &Quire, arguments: &[&str]) -> Value {
    serde_json::from_str(&quire.says(arguments)).unwrap()
}

async fn the_queue_shows_what_waits_by_pipeline_and_priority(scene: &Scene) {
    let (quire, store) = (&scene.quire, &scene.store);
    enqueue(store, Pipeline::Link).await;
    enqueue(store, Pipeline::Link).await;
    let queue = json_of(quire, &["queue", "--json"]);
    let waiting = &queue["queue"][0];
    assert_eq!((&waiting["pipeline"], &waiting["priority"]), (&json!("link"), &json!("high")));
    assert_eq!(waiting["queued"], 2);
    assert!(waiting["oldest_seconds"].as_f64().unwrap() >= 0.0);
    assert!(quire.says(&["queue"]).contains("link      high      2"));
}

async fn a_failed_link_is_listed_shown_and_sent_back_to_the_queue(scene: &Scene) {
    let (quire, store) = (&scene.quire, &scene.store);
    enqueue(store, Pipeline::Link).await;
    let id = Hand::of(store).await.fail().await.to_string();

    let listed = json_of(quire, &["runs", "list", "--state", "failed", "--pipeline", "link", "--json"]);
    assert_eq!(listed[0]["run_id"], id);
    assert_eq!(listed[0]["error"]["error_code"], "PAGE_GONE");
    assert!(quire.says(&["runs", "list"]).contains("PAGE_GONE"));
    assert_eq!(quire.says(&["runs", "list", "--state", "COMPLETED"]), "No runs.\n");

    let shown = json_of(quire, &["runs", "show", &id, "--json"]);
    assert_eq!(shown["state"], "FAILED");
    assert_eq!(shown["correlation_id"], "c0ffee");
    assert_eq!(shown["attempt_records"][0]["outcome"], "RUN_FAILED");
    assert_eq!(shown["steps"][0]["step_name"], "extraction");
    let events: Vec<_> = shown["last_events"].as_array().unwrap().iter().map(|e| &e["event_type"]).collect();
    assert_eq!(events, ["RUN_CREATED", "RUN_STARTED", "STEP_STARTED", "RUN_FAILED"]);
    let text = quire.says(&["runs", "show", &id]);
    for part in [&format!("Run {id} is FAILED"), "the page is no longer there", "LAST EVENTS"] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }

    let retried = quire.run(&["runs", "retry", &id]);
    assert!(retried.out.contains("is QUEUED, starts at "), "{}{}", retried.out, retried.err);
    assert!(retried.err.contains("RUN_RETRIED"), "a person's action is logged: {}", retried.err);
    assert_eq!(json_of(quire, &["runs", "show", &id, "--json"])["retry_count"], 1);
    let again = quire.refuses(&["runs", "retry", &id]);
    assert!(again.contains("only a FAILED run can be retried"), "{again}");
}

async fn a_documents_run_that_ended_never_changes(scene: &Scene) {
    let (quire, store) = (&scene.quire, &scene.store);
    enqueue(store, Pipeline::Document).await;
    let id = Hand::of(store).await.fail().await.to_string();
    let refused = quire.refuses(&["runs", "retry", &id]);
    assert!(refused.contains("create a new run instead"), "{refused}");
}

async fn what_is_purged_is_gone(scene: &Scene) {
    let (quire, store) = (&scene.quire, &scene.store);
    let run = enqueue(store, Pipeline::Link).await;
    let subject = run.subject.to_string();
    let (files, others) = (quire.path("quire-data/documents").join(&subject), SubjectId::new().to_string());
    let others = files.with_file_name(others);
    let keep_a_file = |folder: &Path| {
        std::fs::create_dir_all(folder.join("runs")).unwrap();
        std::fs::write(folder.join("runs/raw-text.txt"), "text").unwrap();
    };
    keep_a_file(&files);
    keep_a_file(&others);
    let said = quire.says(&["purge", &subject, "--yes"]);
    assert_eq!(said, format!("Deleted {subject} with 1 run.\n"));
    assert!(quire.refuses(&["runs", "show", &run.id.to_string()]).contains("was not found"));
    assert!(!files.exists());
    assert!(others.join("runs/raw-text.txt").exists(), "nobody else's");

    // As after a crash between the rows and the files.
    keep_a_file(&files);
    assert_eq!(quire.says(&["purge", &subject, "--yes"]), format!("Deleted {subject} with 0 runs.\n"));
    assert!(!files.exists());
    assert!(quire.refuses(&["purge", &subject, "--yes"]).contains("was not found"));
}

//! What several parts of the program show about one document agrees: correlation ids, states, lists and files.

use std::collections::BTreeSet;

use jiff::Timestamp;
use quire_domain::{
    Document, DocumentId, Failure, Pipeline, Priority, RequeuePolicy, RunChange, RunId, SubjectId,
};
use quire_testkit::documents::clinical_record;
use quire_testkit::fixture::new_run;
use serde_json::{Value, json};

use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::test_worker::TestWorker;
use crate::uploads::{send_file, upload_document};

on_both_stores! {
    /// Proves R197.
    the_correlation_id_is_in_response_run_log_and_error,
    /// Proves R194 for the document API and the job view, in final states.
    document_api_and_job_view_show_the_same_final_state,
    /// Proves R194 for the document API and the job view, in active states.
    document_api_and_job_view_show_the_same_active_state with [("QUIRE_ENGINE_SLOTS", "1")],
    /// Proves R042 for a step that will be repeated.
    the_steps_of_a_requeued_run_have_not_started,
    /// Proves the retry of E04 over HTTP.
    a_failed_run_is_retried_if_its_pipeline_allows_it,
    /// Proves R055.
    a_file_without_a_database_row_is_ignored,
    /// Proves R062.
    a_file_name_never_breaks_the_response_headers,
    /// Proves R027, R031 and R063.
    the_filtered_list_agrees_with_each_document,
}

async fn the_correlation_id_is_in_response_run_log_and_error(env: &TestEnv) {
    let server = env.cli.serve();
    let id = upload_document(&server, &clinical_record(1), "X-Correlation-ID: visit-4711\r\n");
    let run = env.wait_for_latest_run(id).await;
    assert_eq!(run.state.as_str(), "COMPLETED");
    assert_eq!(server.json(&format!("/runs/{}", run.id))["correlation_id"], "visit-4711");
    let missing = format!("GET /documents/{}", DocumentId::new());
    let refused = server.send(&missing, "X-Correlation-ID: visit-4712\r\n", "");
    assert_eq!((refused.status, &refused.json()["correlation_id"]), (404, &json!("visit-4712")));
    assert!(refused.head.contains("x-correlation-id: visit-4712"), "{}", refused.head);

    let log = server.stop().stderr;
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of_run: Vec<&Value> = lines.iter().filter(|line| line["run_id"] == json!(run.id)).collect();
    let logged: BTreeSet<&str> = of_run.iter().filter_map(|line| line["event_type"].as_str()).collect();
    for event in ["RUN_CREATED", "RUN_STARTED", "STEP_STARTED", "STEP_SUCCEEDED", "RUN_COMPLETED"] {
        assert!(logged.contains(event), "{event} is not in {logged:?}");
    }
    assert!(of_run.iter().all(|line| line["correlation_id"] == "visit-4711"), "{of_run:?}");
    let uploaded = lines.iter().find(|line| line["event_type"] == "DOCUMENT_UPLOADED").unwrap();
    assert_eq!(uploaded["correlation_id"], "visit-4711");
}

async fn document_api_and_job_view_show_the_same_final_state(env: &TestEnv) {
    // Servers run only to upload and to query. In between, the test is the worker.
    let id: DocumentId = {
        let server = env.cli.serve();
        let id = upload_document(&server, &clinical_record(1), "");
        env.wait_for_latest_run(id).await;
        id
    };
    let again = quire_testkit::fixture::document_run(id.into());
    let check = async |state: &str, status: &str, job: &str| {
        let server = env.cli.serve();
        let detail = server.json(&format!("/documents/{id}"));
        assert_eq!((&detail["latest_run"]["state"], &detail["status"]), (&json!(state), &json!(status)));
        let jobs = server.json(&format!("/documents/{id}/jobs"));
        let last = jobs["jobs"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["status"], job, "{jobs}");
        last
    };
    let done = check("COMPLETED", "COMPLETED", "COMPLETED").await;
    assert!(
        done["started_at"].is_string() && done["completed_at"].is_string() && done["error_log"] == json!([])
    );
    env.store
        .documents
        .reprocess(&again, Document::reprocess_requested(&again, "tester", Timestamp::now()))
        .await
        .unwrap();
    let worker = TestWorker::register(&env.store).await;
    worker.fail_next().await;
    let failed = check("FAILED", "FAILED", "FAILED").await;
    assert_eq!(failed["error_log"][0]["error_code"], "PAGE_GONE", "{failed}");
    let more = quire_testkit::fixture::document_run(id.into());
    env.store
        .documents
        .reprocess(&more, Document::reprocess_requested(&more, "tester", Timestamp::now()))
        .await
        .unwrap();
    let worker = TestWorker::register(&env.store).await;
    let run = worker.claim().await;
    worker.finish(run, RunChange::TimeOut { continued_by: None }).await;
    check("TIMED_OUT", "TIMED_OUT", "FAILED").await;
    let server = env.cli.serve();
    assert_eq!(server.get(&format!("/documents/{}/jobs", DocumentId::new())).status, 404);
    assert_eq!(server.get("/documents/7/jobs").status, 400);
}

async fn document_api_and_job_view_show_the_same_active_state(env: &TestEnv) {
    let server = env.cli.serve();
    let long = upload_document(&server, &clinical_record(3_000), "");
    let short = upload_document(&server, &clinical_record(1), "");
    let states = |id: DocumentId| {
        let detail = server.json(&format!("/documents/{id}"));
        let jobs = server.json(&format!("/documents/{id}/jobs"));
        (detail["latest_run"]["state"].clone(), detail["status"].clone(), jobs["jobs"][0]["status"].clone())
    };
    assert_eq!(
        states(short),
        (json!("QUEUED"), json!("PROCESSING"), json!("PENDING")),
        "waits for the long document"
    );
    wait_until(async || states(long).0 == "RUNNING").await;
    assert_eq!(states(long), (json!("RUNNING"), json!("PROCESSING"), json!("PROCESSING")));
}

async fn the_steps_of_a_requeued_run_have_not_started(env: &TestEnv) {
    let id = env.add_document(Some(&clinical_record(1)), None).await;
    let worker = TestWorker::register(&env.store).await;
    let run = worker.claim().await;
    let requeue = RequeuePolicy::Auto { max_claims: 3, base_delay: jiff::SignedDuration::from_hours(1) };
    let failure = Failure::transient("LIGHTS_WENT_OUT", "it went dark");
    worker.finish(run, RunChange::Fail { step: Pipeline::Document.steps()[0], failure, requeue }).await;
    let server = env.cli.serve();
    let shown = server.json(&format!("/runs/{id}"));
    let step = &shown["steps"][0];
    assert_eq!((&shown["state"], &step["step_name"]), (&json!("QUEUED"), &json!("EXTRACTION")));
    assert_eq!((&step["step_status"], &step["error_code"]), (&json!("NOT_STARTED"), &json!(null)));
}

async fn a_failed_run_is_retried_if_its_pipeline_allows_it(env: &TestEnv) {
    let server = env.cli.serve();
    let document = upload_document(&server, b"GIF is what this is not, but a text", "");
    let run = env.wait_for_latest_run(document).await;
    let refused = server.post(&format!("/runs/{}/retry", run.id));
    let body = refused.json();
    assert_eq!((refused.status, &body["details"]["reason"]), (409, &json!("RETRY_NOT_ALLOWED")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("reprocess"), "{body}");
    assert_eq!(server.post(&format!("/runs/{}/retry", RunId::new())).status, 404);
    assert_eq!(server.post("/runs/7/retry").status, 400);

    let proposal = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    env.store.queue.enqueue(&proposal, env.store.clock.now()).await.unwrap();
    let retry = format!("/runs/{}/retry", proposal.id);
    let queued = server.post(&retry);
    assert_eq!((queued.status, &queued.json()["details"]["reason"]), (409, &json!("RETRY_NOT_ALLOWED")));
    let worker = TestWorker::register(&env.store).await;
    worker.fail_next().await;
    let retried = server.post(&retry);
    let shown = retried.json();
    assert_eq!((retried.status, &shown["state"], &shown["retry_count"]), (200, &json!("QUEUED"), &json!(1)));
    assert_eq!(server.json(&format!("/runs/{}", proposal.id)), shown);
}

async fn a_file_without_a_database_row_is_ignored(env: &TestEnv) {
    let server = env.cli.serve();
    let orphan = DocumentId::new();
    let folder = env.documents_folder().join(orphan.to_string());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("original.pdf"), clinical_record(1)).unwrap();
    let known = upload_document(&server, &clinical_record(1), "");
    let list = server.json("/documents");
    assert_eq!((&list["total"], &list["items"][0]["document_id"]), (&json!(1), &json!(known)));
    assert_eq!(server.json(&format!("/documents/{known}"))["duplicates"], json!([]));
    for path in ["", "/download", "/processing-history", "/jobs", "/pages", "/pages/1", "/pages/1/image"] {
        let response = server.get(&format!("/documents/{orphan}{path}"));
        assert_eq!((response.status, &response.json()["error_code"]), (404, &json!("NOT_FOUND")), "{path}");
    }
    let again = server.post(&format!("/documents/{orphan}/reprocess"));
    assert_eq!(again.status, 404);
    env.wait_for_latest_run(known).await;
    assert!(folder.join("original.pdf").is_file(), "the file stays");
}

async fn a_file_name_never_breaks_the_response_headers(env: &TestEnv) {
    let server = env.cli.serve();
    for name in ["a%0d%0aSet-Cookie: x=1.pdf", "q\u{201d}uo'te;.pdf", "..\\..\\x%22; evil.pdf", "día.pdf"] {
        let id = send_file(&server, name, &clinical_record(1), "").document_id();
        let detail = server.json(&format!("/documents/{id}"));
        assert!(!detail["original_filename"].as_str().unwrap().contains(['/', '\\']), "{detail}");
        let head = server.send(&format!("GET /documents/{id}/download"), "", "").head;
        let disposition: Vec<_> =
            head.lines().filter(|line| line.starts_with("content-disposition: ")).collect();
        assert_eq!(disposition.len(), 1, "{head}");
        assert_eq!(disposition[0].matches('"').count(), 2, "{head}");
        assert!(!head.contains("\nset-cookie"), "{head}");
    }
    assert_eq!(env.documents().await.len(), 4);
}

async fn the_filtered_list_agrees_with_each_document(env: &TestEnv) {
    let server = env.cli.serve();
    let mut sent = Vec::new();
    for file in [clinical_record(1), clinical_record(1), b"x".to_vec(), clinical_record(1)] {
        let id = upload_document(&server, &file, "");
        env.wait_for_latest_run(id).await;
        sent.insert(0, id);
    }
    let ids = |query: &str| -> Vec<DocumentId> {
        let list = server.json(&format!("/documents?{query}"));
        let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
        assert_eq!((&list["total"], &list["total_is_lower_bound"]), (&json!(items.len()), &json!(false)));
        items.iter().map(|item| item["document_id"].as_str().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(ids(""), sent);
    assert_eq!(ids("status=COMPLETED"), [sent[0], sent[2], sent[3]]);
    assert_eq!(ids("status=FAILED"), [sent[1]]);
    assert_eq!(ids("status=PROCESSING&review_status=IN_REVIEW"), []);
    assert_eq!(ids("review_status=IN_REVIEW"), sent);
    assert_eq!(ids("review_status=REVIEWED"), []);
    assert_eq!(ids("review_status=IN_REVIEW&status=FAILED&q=RECORD"), [sent[1]]);
    let first = server.json("/documents?status=COMPLETED&limit=2");
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = server.json(&format!("/documents?status=COMPLETED&limit=2&cursor={cursor}"));
    assert_eq!((&rest["items"][0]["document_id"], &rest["next_cursor"]), (&json!(sent[3]), &json!(null)));
    assert!(rest.get("total").is_none());
    assert_eq!(server.get("/documents?review_status=DONE").status, 400);
}

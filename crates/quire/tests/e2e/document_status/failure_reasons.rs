//! The failure type of a document.

use quire_testkit::documents::clinical_record;
use serde_json::json;

use super::{document_status, failed, step, steps};
use crate::reading::{gibberish, long_document};
use crate::record::pdf;
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::upload_document;

on_both_stores! {
    /// Proves R030 and R046 for EXTRACTION.
    a_failed_extraction_is_the_failure_type,
    /// Proves R030 for a run that was withdrawn.
    a_withdrawn_run_is_shown_as_withdrawn with [("QUIRE_ENGINE_SLOTS", "1")],
    /// Proves R030 for a run that timed out.
    a_timeout_is_the_failure_type with [
        ("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT", "1s"),
        ("QUIRE_PIPELINES_DOCUMENT_CONTINUATIONS", "0"),
    ],
    /// Proves R030 for a run whose process was killed.
    a_killed_process_is_the_failure_type with super::FAIL_WITH_PROCESS,
    /// Proves R030 and R046 for INTERPRETATION.
    a_failed_interpretation_is_the_failure_type,
}

/// A dead worker on PostgreSQL is detected soon, and its runs fail.
const FAIL_WITH_PROCESS: [(&str, &str); 3] = [
    ("QUIRE_PIPELINES_DOCUMENT_RECOVERY", "fail"),
    ("QUIRE_ENGINE_LEASE", "2s"),
    ("QUIRE_ENGINE_HEARTBEAT", "500ms"),
];

async fn a_failed_extraction_is_the_failure_type(env: &TestEnv) {
    let server = env.cli.serve();
    for (file, code) in [(pdf(&["Luna"]), "EXTRACTION_FAILED"), (gibberish(), "EXTRACTION_LOW_QUALITY")] {
        let id = upload_document(&server, &file, "");
        env.wait_for_latest_run(id).await;
        assert_eq!(document_status(&server, id), failed(code));
        let failed = step("EXTRACTION", "FAILED", Some(code));
        assert_eq!(steps(&server, id), [step("EXTRACTION", "RUNNING", None), failed]);
    }
}

async fn a_withdrawn_run_is_shown_as_withdrawn(env: &TestEnv) {
    let server = env.cli.serve();
    upload_document(&server, &long_document(), "");
    let id = upload_document(&server, &clinical_record(1), "");
    let run = env.runs_of(id).await[0].id;
    let withdrawn = server.post(&format!("/runs/{run}/withdraw"));
    assert_eq!((withdrawn.status, &withdrawn.json()["failure_type"]), (200, &json!("WITHDRAWN")));
    assert_eq!(document_status(&server, id), failed("WITHDRAWN"));
    assert_eq!(steps(&server, id), []);
}

async fn a_timeout_is_the_failure_type(env: &TestEnv) {
    let server = env.cli.serve();
    let id = upload_document(&server, &long_document(), "");
    env.wait_for_latest_run(id).await;
    assert_eq!(document_status(&server, id), ("TIMED_OUT".to_owned(), json!("RUN_TIMED_OUT")));
}

async fn a_killed_process_is_the_failure_type(env: &TestEnv) {
    let server = env.cli.serve();
    let id = upload_document(&server, &long_document(), "");
    env.wait_until_running(env.runs_of(id).await[0].id, true).await;
    server.signal("-KILL");
    drop(server);
    let server = env.cli.serve();
    env.wait_for_latest_run(id).await;
    assert_eq!(document_status(&server, id), failed("PROCESS_TERMINATED"));
}

async fn a_failed_interpretation_is_the_failure_type(env: &TestEnv) {
    let server = env.cli.serve();
    // The schema of its run is deleted after the extraction.
    env.delete_schemas_after_extraction().await;
    let id = upload_document(&server, &clinical_record(1), "");
    let run = env.wait_for_latest_run(id).await.id;
    assert_eq!(document_status(&server, id), failed("INTERPRETATION_FAILED"));
    assert_eq!(
        steps(&server, id),
        [
            step("EXTRACTION", "RUNNING", None),
            step("EXTRACTION", "SUCCEEDED", None),
            step("INTERPRETATION", "RUNNING", None),
            step("INTERPRETATION", "FAILED", Some("INTERPRETATION_FAILED")),
        ]
    );
    let text = server.json(&format!("/runs/{run}/artifacts/raw-text"));
    assert!(text["text"].as_str().unwrap().contains("Paciente: Luna\n"), "the extracted text stays: {text}");
}

impl TestEnv {
    /// Deletes all schemas as soon as an extraction succeeds.
    async fn delete_schemas_after_extraction(&self) {
        let extracted = "WHEN (NEW.event_type = 'STEP_SUCCEEDED' AND NEW.step_name = 'EXTRACTION')";
        let statements = if self.is_on_postgresql() {
            [
                "DROP TRIGGER schema_versions_are_final ON schema_versions".to_owned(),
                "CREATE FUNCTION delete_schemas() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN DELETE FROM schema_versions; RETURN NULL; END $$"
                    .to_owned(),
                format!(
                    "CREATE TRIGGER deleting AFTER INSERT ON events FOR EACH ROW {extracted} \
                         EXECUTE FUNCTION delete_schemas()"
                ),
            ]
            .to_vec()
        } else {
            [
                "DROP TRIGGER schema_versions_are_kept".to_owned(),
                format!("CREATE TRIGGER deleting AFTER INSERT ON events {extracted} BEGIN DELETE FROM schema_versions; END"),
            ]
            .to_vec()
        };
        for statement in statements {
            self.sql.execute(&statement).await.unwrap();
        }
    }
}

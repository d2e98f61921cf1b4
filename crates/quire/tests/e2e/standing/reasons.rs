//! Why a document stands no better than it does.

use quire_testkit::documents::{Pdf, clinical_record, text_page};
use serde_json::json;

use super::{failed, standing, step, steps};
use crate::reading::ends::long;
use crate::scene::{Scene, on_both_stores};
use crate::uploading::upload_with;

on_both_stores! {
    /// Proves R030 and R046 for EXTRACTION.
    a_document_that_could_not_be_read_says_so,
    /// Proves R030 for a run that was withdrawn.
    what_ended_for_another_reason_is_an_unknown_error with [("QUIRE_ENGINE_SLOTS", "1")],
    /// Proves R030 for a run whose time was up.
    a_document_whose_time_was_up_says_so with [("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT", "1s")],
    /// Proves R030 for a run whose process was killed.
    a_document_whose_process_was_killed_says_so with super::FAILS_WITH_ITS_PROCESS,
    /// Proves R030 and R046 for INTERPRETATION.
    a_document_that_could_not_be_understood_says_so,
}

/// A worker on PostgreSQL is taken for dead soon, and what it worked on has failed.
const FAILS_WITH_ITS_PROCESS: [(&str, &str); 3] = [
    ("QUIRE_PIPELINES_DOCUMENT_RECOVERY", "fail"),
    ("QUIRE_ENGINE_LEASE", "2s"),
    ("QUIRE_ENGINE_HEARTBEAT", "500ms"),
];

async fn a_document_that_could_not_be_read_says_so(scene: &Scene) {
    let server = scene.quire.serve();
    let gibberish = text_page(&["xkrtpl mndfgh qwrtzx bcdfgk plmknj hgfdsz trwqpl zxcvbn mnbvcx lkjhgf"; 3]);
    for (file, code) in [
        (Pdf::of_pages(&[text_page(&["Luna"])]).file(), "EXTRACTION_FAILED"),
        (Pdf::of_pages(&[gibberish]).file(), "EXTRACTION_LOW_QUALITY"),
    ] {
        let id = upload_with(&server, &file, "");
        scene.ended(id).await;
        assert_eq!(standing(&server, id), failed(code));
        let failed = step("EXTRACTION", "FAILED", Some(code));
        assert_eq!(steps(&server, id), [step("EXTRACTION", "RUNNING", None), failed]);
    }
}

async fn what_ended_for_another_reason_is_an_unknown_error(scene: &Scene) {
    let server = scene.quire.serve();
    upload_with(&server, &long(), "");
    let id = upload_with(&server, &clinical_record(1), "");
    let run = scene.runs_of(id).await[0].id;
    let withdrawn = server.post(&format!("/runs/{run}/withdraw"));
    assert_eq!((withdrawn.status, &withdrawn.json()["failure_type"]), (200, &json!("WITHDRAWN")));
    assert_eq!(standing(&server, id), failed("UNKNOWN_ERROR"));
    assert_eq!(steps(&server, id), []);
}

async fn a_document_whose_time_was_up_says_so(scene: &Scene) {
    let server = scene.quire.serve();
    let id = upload_with(&server, &long(), "");
    scene.ended(id).await;
    assert_eq!(standing(&server, id), ("TIMED_OUT".to_owned(), json!("RUN_TIMED_OUT")));
}

async fn a_document_whose_process_was_killed_says_so(scene: &Scene) {
    let server = scene.quire.serve();
    let id = upload_with(&server, &long(), "");
    scene.until_running(scene.runs_of(id).await[0].id, true).await;
    server.signal("-KILL");
    drop(server);
    let server = scene.quire.serve();
    scene.ended(id).await;
    assert_eq!(standing(&server, id), failed("PROCESS_TERMINATED"));
}

async fn a_document_that_could_not_be_understood_says_so(scene: &Scene) {
    let server = scene.quire.serve();
    // Once the document is read, the schema of its run is gone.
    scene.forget_schemas_after_extraction().await;
    let id = upload_with(&server, &clinical_record(1), "");
    let run = scene.ended(id).await.id;
    assert_eq!(standing(&server, id), failed("INTERPRETATION_FAILED"));
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
    assert!(text["text"].as_str().unwrap().contains("Paciente: Luna\n"), "what was read stays: {text}");
}

impl Scene {
    /// Takes the schemas away as soon as a document was read.
    async fn forget_schemas_after_extraction(&self) {
        let read = "WHEN (NEW.event_type = 'STEP_SUCCEEDED' AND NEW.step_name = 'EXTRACTION')";
        let statements = if self.is_on_postgresql() {
            [
                "DROP TRIGGER schema_versions_are_final ON schema_versions".to_owned(),
                "CREATE FUNCTION forget_schemas() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN DELETE FROM schema_versions; RETURN NULL; END $$"
                    .to_owned(),
                format!(
                    "CREATE TRIGGER forgetting AFTER INSERT ON events FOR EACH ROW {read} \
                         EXECUTE FUNCTION forget_schemas()"
                ),
            ]
            .to_vec()
        } else {
            [
                "DROP TRIGGER schema_versions_are_kept".to_owned(),
                format!("CREATE TRIGGER forgetting AFTER INSERT ON events {read} BEGIN DELETE FROM schema_versions; END"),
            ]
            .to_vec()
        };
        for statement in statements {
            self.sql.execute(&statement).await.unwrap();
        }
    }
}

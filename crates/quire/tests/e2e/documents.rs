//! Documents, their runs and their pages over HTTP.

mod actions;
mod partial_downloads;

use jiff::Timestamp;
use quire_domain::{Document, DocumentId};
use quire_ports::NewDocument;
use quire_testkit::documents::clinical_record;
use quire_testkit::fixture::document;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R027, R031, R064, R065, R066 and R073: every view of one document.
    a_processed_document_is_shown_in_list_details_download_and_text,
    pages_have_words_with_boxes_and_a_cacheable_image,
    /// Proves R054: a missing file is reported as missing, not as an internal error.
    a_missing_file_is_reported_as_missing,
    /// Proves R063 over HTTP.
    the_list_is_paged_by_cursor_and_filtered,
    /// Proves R074, R076 and R079 on every route with an id.
    malformed_ids_are_refused_and_unknown_ones_not_found,
}

/// The id of the only document.
fn only_document(server: &TestServer) -> String {
    let list = server.get_bytes("/documents").json();
    assert_eq!(list["total"], 1, "{list}");
    list["items"][0]["document_id"].as_str().unwrap().to_owned()
}

async fn a_processed_document_is_shown_in_list_details_download_and_text(env: &TestEnv) {
    let server = env.cli.serve();
    let mut file = clinical_record(2);
    // More than one chunk of a download. A PDF reader ignores what follows the end of the file.
    file.extend((0..300_000_u32).flat_map(|number| format!("\n% {number}").into_bytes()));
    let run = env.add_document(Some(&file), None).await;
    env.wait_for_run(run).await;

    let id = only_document(&server);
    let item = &server.get_bytes("/documents").json()["items"][0];
    for (field, expected) in [
        ("original_filename", json!("record.pdf")),
        ("status", json!("COMPLETED")),
        ("status_label", json!("Ready for review")),
        ("failure_type", json!(null)),
        ("review_status", json!("IN_REVIEW")),
        ("reviewed_at", json!(null)),
        ("latest_run_id", json!(run)),
        ("latest_run_state", json!("COMPLETED")),
        ("latest_run_failure_type", json!(null)),
        ("latest_run_language_used", json!("es")),
        ("latest_run_schema_version_used", json!(1)),
    ] {
        assert_eq!(item[field], expected, "{field}");
    }
    let detail = server.get_bytes(&format!("/documents/{id}")).json();
    assert_eq!(
        (&detail["file_size"], &detail["content_type"]),
        (&json!(file.len()), &json!("application/pdf"))
    );
    assert_eq!((&detail["status"], &detail["language_override"]), (&json!("COMPLETED"), &json!(null)));
    let latest = &detail["latest_run"];
    assert_eq!((&latest["run_id"], &latest["language_used"]), (&json!(run), &json!("es")));
    assert_eq!(latest["schema_version_used"], 1);
    let completed: Timestamp = latest["completed_at"].as_str().unwrap().parse().unwrap();
    assert!(completed > latest["started_at"].as_str().unwrap().parse().unwrap());

    let inline = server.get_bytes(&format!("/documents/{id}/download"));
    assert_eq!((inline.status, inline.body == file), (200, true));
    assert_eq!(inline.header("content-type"), Some("application/pdf"));
    assert_eq!(inline.header("content-length"), Some(file.len().to_string().as_str()));
    let name = "filename=\"record.pdf\"; filename*=UTF-8''record.pdf";
    assert_eq!(inline.header("content-disposition"), Some(format!("inline; {name}").as_str()));
    let attached = server.get_bytes(&format!("/documents/{id}/download?download=true"));
    assert_eq!(attached.header("content-disposition"), Some(format!("attachment; {name}").as_str()));

    let text = server.get_bytes(&format!("/runs/{run}/artifacts/raw-text")).json();
    assert_eq!((&text["run_id"], &text["artifact_type"]), (&json!(run), &json!("RAW_TEXT")));
    assert!(text["content_type"].as_str().unwrap().starts_with("text/plain"), "{text}");
    assert!(text["text"].as_str().unwrap().contains("Paciente: Luna\n"), "{text}");
    let run = server.get_bytes(&format!("/runs/{run}")).json();
    assert_eq!(
        (&run["state"], &run["subject_id"], &run["language_used"]),
        (&json!("COMPLETED"), &json!(id), &json!("es"))
    );
    assert_eq!(run["steps"][0]["step_status"], "SUCCEEDED");
}

async fn pages_have_words_with_boxes_and_a_cacheable_image(env: &TestEnv) {
    let server = env.cli.serve();
    let run = env.add_document(Some(&clinical_record(2)), None).await;
    let id = only_document(&server);
    env.wait_for_run(run).await;

    let pages = server.get_bytes(&format!("/documents/{id}/pages")).json();
    assert_eq!((pages["pages"].as_array().unwrap().len(), &pages["run_id"]), (2, &json!(run)));
    let page = server.get_bytes(&format!("/documents/{id}/pages/2")).json();
    assert_eq!((&page["page"], &page["width"]), (&json!(2), &pages["pages"][1]["width"]));
    let word = &page["lines"][1]["words"][0];
    assert_eq!(word["text"], "Página");
    assert!(word["rect"]["x1"].as_f64() > word["rect"]["x0"].as_f64(), "{word}");

    let path = format!("/documents/{id}/pages/1/image");
    let image = server.get_bytes(&path);
    assert_eq!((image.status, image.header("content-type")), (200, Some("image/png")));
    assert!(image.body.starts_with(b"\x89PNG"));
    assert!(image.header("cache-control").unwrap().starts_with("private"));
    let tag = image.header("etag").unwrap();
    let again = server.send(&format!("GET {path}"), &format!("If-None-Match: \"other\", {tag}\r\n"), "");
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)));
    let larger = server.send(&format!("GET {path}?scale=2"), &format!("If-None-Match: {tag}\r\n"), "");
    assert!(larger.status == 200 && larger.body.len() > image.body.len());

    for (path, status) in [
        ("pages/0", 400),
        ("pages/x", 400),
        ("pages/3", 404),
        ("pages/3/image", 404),
        ("pages/1/image?scale=0", 400),
        ("pages/1/image?scale=wide", 400),
    ] {
        let refused = server.get_bytes(&format!("/documents/{id}/{path}"));
        assert_eq!(refused.status, status, "{path}: {}", refused.json());
    }
}

async fn a_missing_file_is_reported_as_missing(env: &TestEnv) {
    let server = env.cli.serve();
    let run = env.add_document(Some(&clinical_record(1)), None).await;
    env.wait_for_run(run).await;
    let id = only_document(&server);
    std::fs::remove_dir_all(env.documents_folder().join(&id)).unwrap();
    for path in [
        format!("/documents/{id}/download"),
        format!("/runs/{run}/artifacts/raw-text"),
        format!("/documents/{id}/pages/1"),
        format!("/documents/{id}/pages/1/image"),
    ] {
        let missing = server.get_bytes(&path);
        assert_eq!(
            (missing.status, &missing.json()["error_code"]),
            (410, &json!("ARTIFACT_MISSING")),
            "{path}"
        );
        assert!(!missing.json().to_string().contains(&id), "no path in the response: {}", missing.json());
    }
    assert_eq!(server.get_bytes(&format!("/documents/{id}/pages/2")).status, 404);
    assert_eq!(server.get_bytes(&format!("/documents/{id}")).status, 200);
}

async fn the_list_is_paged_by_cursor_and_filtered(env: &TestEnv) {
    let server = env.cli.serve();
    for name in ["first.pdf", "second.pdf", "Third.pdf"] {
        let new = Document {
            original_filename: name.to_owned(),
            created_at: Timestamp::now(),
            ..document(DocumentId::new())
        };
        env.store
            .documents
            .add(NewDocument::uploaded_by("tester", &new, None), Timestamp::now())
            .await
            .unwrap();
    }
    let names = |list: &Value| -> Vec<String> {
        list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["original_filename"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(server.get_bytes("/documents").json()["limit"], 50, "the default");
    let list = server.get_bytes("/documents?limit=2").json();
    assert_eq!(names(&list), ["Third.pdf", "second.pdf"]);
    assert_eq!((&list["limit"], &list["offset"], &list["total"]), (&json!(2), &json!(0), &json!(3)));
    assert_eq!(list["total_is_lower_bound"], false);
    let cursor = list["next_cursor"].as_str().unwrap();
    let rest = server.get_bytes(&format!("/documents?limit=2&cursor={cursor}")).json();
    assert_eq!((names(&rest), &rest["next_cursor"]), (vec!["first.pdf".to_owned()], &json!(null)));
    assert!(rest.get("total").is_none());
    assert_eq!(names(&server.get_bytes("/documents?offset=1&limit=1").json()), ["second.pdf"]);
    assert_eq!(names(&server.get_bytes("/documents?q=third&status=UPLOADED").json()), ["Third.pdf"]);
    assert_eq!(names(&server.get_bytes("/documents?status=COMPLETED").json()), Vec::<String>::new());
    for wrong in
        ["limit=0", "limit=201", "limit=x", "offset=-1", "cursor=nonsense", "status=DONE", "colour=red"]
    {
        let refused = server.get_bytes(&format!("/documents?{wrong}"));
        let (parameter, _) = wrong.split_once('=').unwrap();
        assert_eq!(
            (refused.status, &refused.json()["details"]["parameter"]),
            (400, &json!(parameter)),
            "{wrong}"
        );
    }
}

async fn malformed_ids_are_refused_and_unknown_ones_not_found(env: &TestEnv) {
    let server = env.cli.serve();
    let unknown = DocumentId::new().to_string();
    for (method, path) in [
        ("GET", "/documents/ID"),
        ("GET", "/documents/ID/download"),
        ("POST", "/documents/ID/reprocess"),
        ("GET", "/documents/ID/processing-history"),
        ("GET", "/documents/ID/jobs"),
        ("GET", "/documents/ID/pages"),
        ("GET", "/documents/ID/pages/1"),
        ("GET", "/documents/ID/pages/1/image"),
        ("GET", "/runs/ID"),
        ("GET", "/runs/ID/artifacts/raw-text"),
        ("POST", "/runs/ID/withdraw"),
        ("POST", "/runs/ID/cancel"),
        ("POST", "/runs/ID/retry"),
    ] {
        for (id, status, code) in [
            (unknown.as_str(), 404, "NOT_FOUND"),
            ("7", 400, "INVALID_REQUEST"),
            ("..%2F..%2Fetc%2Fpasswd", 400, "INVALID_REQUEST"),
            ("%FF", 400, "INVALID_REQUEST"),
        ] {
            let request = format!("{method} {}", path.replace("ID", id));
            let response = server.send(&request, "X-Request-ID: mine\r\n", "");
            let body = response.json();
            assert_eq!((response.status, &body["error_code"]), (status, &json!(code)), "{request}");
            assert_eq!(
                (response.header("x-request-id"), &body["correlation_id"]),
                (Some("mine"), &json!("mine"))
            );
            assert!(!body.to_string().contains("quire-data"), "{body}");
        }
    }
}

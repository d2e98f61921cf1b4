//! Documents, their runs and their pages, as a browser or a program gets them from `quire serve`.

mod changing;

use jiff::Timestamp;
use quire_domain::{Document, DocumentId};
use quire_ports::NewDocument;
use quire_testkit::documents::clinical_record;
use quire_testkit::fixture::document;
use serde_json::{Value, json};

use crate::http::Answer;
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R027, R031, R064, R065, R066 and R073: one document, in every way that it can be looked at.
    a_document_that_was_read_is_shown_from_the_list_to_its_words,
    /// The pages of a document, the words with their boxes, and the image that the boxes are drawn on.
    pages_have_words_and_an_image_that_is_sent_once,
    /// Proves R054: what is referred to and gone is gone, and not an inner error.
    a_file_that_is_gone_is_said_to_be_gone,
    /// Proves R063 over HTTP.
    the_list_is_walked_by_cursor_and_filtered,
    /// Proves R074, R076 and R079 on every address that has an id.
    malformed_ids_are_refused_and_unknown_ones_not_found,
}

/// All of an answer, whatever it is.
fn get(server: &Server, path: &str) -> Answer<Vec<u8>> {
    server.send(&format!("GET {path}"), "", "")
}

/// The id of the one document there is.
fn only_document(server: &Server) -> String {
    let list = get(server, "/documents").json();
    assert_eq!(list["total"], 1, "{list}");
    list["items"][0]["document_id"].as_str().unwrap().to_owned()
}

async fn a_document_that_was_read_is_shown_from_the_list_to_its_words(scene: &Scene) {
    let server = scene.quire.serve();
    let mut file = clinical_record(2);
    // More than fits into one piece of a download; what follows the end of a PDF is passed over.
    file.extend((0..300_000_u32).flat_map(|number| format!("\n% {number}").into_bytes()));
    let run = scene.add(Some(&file), None).await;
    scene.run_ended(run).await;

    let id = only_document(&server);
    let item = &get(&server, "/documents").json()["items"][0];
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
    let detail = get(&server, &format!("/documents/{id}")).json();
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

    let shown = get(&server, &format!("/documents/{id}/download"));
    assert_eq!((shown.status, shown.body == file), (200, true));
    assert_eq!(shown.header("content-type"), Some("application/pdf"));
    assert_eq!(shown.header("content-length"), Some(file.len().to_string().as_str()));
    let name = "filename=\"record.pdf\"; filename*=UTF-8''record.pdf";
    assert_eq!(shown.header("content-disposition"), Some(format!("inline; {name}").as_str()));
    let saved = get(&server, &format!("/documents/{id}/download?download=true"));
    assert_eq!(saved.header("content-disposition"), Some(format!("attachment; {name}").as_str()));

    let text = get(&server, &format!("/runs/{run}/artifacts/raw-text")).json();
    assert_eq!((&text["run_id"], &text["artifact_type"]), (&json!(run), &json!("RAW_TEXT")));
    assert!(text["content_type"].as_str().unwrap().starts_with("text/plain"), "{text}");
    assert!(text["text"].as_str().unwrap().contains("Paciente: Luna\n"), "{text}");
    let run = get(&server, &format!("/runs/{run}")).json();
    assert_eq!(
        (&run["state"], &run["subject_id"], &run["language_used"]),
        (&json!("COMPLETED"), &json!(id), &json!("es"))
    );
    assert_eq!(run["steps"][0]["step_status"], "SUCCEEDED");
}

async fn pages_have_words_and_an_image_that_is_sent_once(scene: &Scene) {
    let server = scene.quire.serve();
    let run = scene.add(Some(&clinical_record(2)), None).await;
    let id = only_document(&server);
    scene.run_ended(run).await;

    let pages = get(&server, &format!("/documents/{id}/pages")).json();
    assert_eq!((pages["pages"].as_array().unwrap().len(), &pages["run_id"]), (2, &json!(run)));
    let page = get(&server, &format!("/documents/{id}/pages/2")).json();
    assert_eq!((&page["page"], &page["width"]), (&json!(2), &pages["pages"][1]["width"]));
    let word = &page["lines"][1]["words"][0];
    assert_eq!(word["text"], "Página");
    assert!(word["rect"]["x1"].as_f64() > word["rect"]["x0"].as_f64(), "{word}");

    let path = format!("/documents/{id}/pages/1/image");
    let image = get(&server, &path);
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
        let refused = get(&server, &format!("/documents/{id}/{path}"));
        assert_eq!(refused.status, status, "{path}: {}", refused.json());
    }
}

async fn a_file_that_is_gone_is_said_to_be_gone(scene: &Scene) {
    let server = scene.quire.serve();
    let run = scene.add(Some(&clinical_record(1)), None).await;
    scene.run_ended(run).await;
    let id = only_document(&server);
    std::fs::remove_dir_all(scene.folder().join(&id)).unwrap();
    for path in [
        format!("/documents/{id}/download"),
        format!("/runs/{run}/artifacts/raw-text"),
        format!("/documents/{id}/pages/1"),
        format!("/documents/{id}/pages/1/image"),
    ] {
        let gone = get(&server, &path);
        assert_eq!((gone.status, &gone.json()["error_code"]), (410, &json!("ARTIFACT_MISSING")), "{path}");
        assert!(!gone.json().to_string().contains(&id), "no name of a file: {}", gone.json());
    }
    assert_eq!(get(&server, &format!("/documents/{id}/pages/2")).status, 404);
    assert_eq!(get(&server, &format!("/documents/{id}")).status, 200);
}

async fn the_list_is_walked_by_cursor_and_filtered(scene: &Scene) {
    let server = scene.quire.serve();
    for name in ["first.pdf", "second.pdf", "Third.pdf"] {
        let new = Document {
            original_filename: name.to_owned(),
            created_at: Timestamp::now(),
            ..document(DocumentId::new())
        };
        scene.store.documents.add(NewDocument::by("tester", &new, None), Timestamp::now()).await.unwrap();
    }
    let names = |list: &Value| -> Vec<String> {
        list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["original_filename"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(get(&server, "/documents").json()["limit"], 50, "unless somebody asks for another");
    let list = get(&server, "/documents?limit=2").json();
    assert_eq!(names(&list), ["Third.pdf", "second.pdf"]);
    assert_eq!((&list["limit"], &list["offset"], &list["total"]), (&json!(2), &json!(0), &json!(3)));
    assert_eq!(list["total_is_lower_bound"], false);
    let cursor = list["next_cursor"].as_str().unwrap();
    let rest = get(&server, &format!("/documents?limit=2&cursor={cursor}")).json();
    assert_eq!((names(&rest), &rest["next_cursor"]), (vec!["first.pdf".to_owned()], &json!(null)));
    assert!(rest.get("total").is_none());
    assert_eq!(names(&get(&server, "/documents?offset=1&limit=1").json()), ["second.pdf"]);
    assert_eq!(names(&get(&server, "/documents?q=third&status=UPLOADED").json()), ["Third.pdf"]);
    assert_eq!(names(&get(&server, "/documents?status=COMPLETED").json()), Vec::<String>::new());
    for wrong in
        ["limit=0", "limit=201", "limit=x", "offset=-1", "cursor=nonsense", "status=DONE", "colour=red"]
    {
        let refused = get(&server, &format!("/documents?{wrong}"));
        let (parameter, _) = wrong.split_once('=').unwrap();
        assert_eq!(
            (refused.status, &refused.json()["details"]["parameter"]),
            (400, &json!(parameter)),
            "{wrong}"
        );
    }
}

async fn malformed_ids_are_refused_and_unknown_ones_not_found(scene: &Scene) {
    let server = scene.quire.serve();
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
        ("POST", "/runs/ID/retry"),
    ] {
        for (id, status, code) in [
            (unknown.as_str(), 404, "NOT_FOUND"),
            ("7", 400, "INVALID_REQUEST"),
            ("..%2F..%2Fetc%2Fpasswd", 400, "INVALID_REQUEST"),
            ("%FF", 400, "INVALID_REQUEST"),
        ] {
            let request = format!("{method} {}", path.replace("ID", id));
            let answer = server.send(&request, "X-Request-ID: mine\r\n", "");
            let body = answer.json();
            assert_eq!((answer.status, &body["error_code"]), (status, &json!(code)), "{request}");
            assert_eq!(
                (answer.header("x-request-id"), &body["correlation_id"]),
                (Some("mine"), &json!("mine"))
            );
            assert!(!body.to_string().contains("quire-data"), "{body}");
        }
    }
}

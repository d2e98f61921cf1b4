//! `quire upload`: files and folders from the command line, beside a running server or without one.

use std::collections::BTreeSet;

use quire_domain::{EventType, Priority};
use quire_testkit::documents::clinical_record;
use serde_json::Value;

use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R026's uploads and R038 for the command.
    a_folder_is_taken_in_as_it_would_be_over_http,
    /// Proves R058 to R060 for the command.
    what_is_refused_is_named_with_its_code_and_the_rest_is_taken_in with [("QUIRE_UPLOADS_MAX_MB", "1")],
    /// Proves R129 for documents that were there before any server was.
    what_came_before_the_first_server_is_bound_to_its_schema,
}

fn lay_out(scene: &Scene) {
    for folder in ["in/deep", "in/.hidden"] {
        std::fs::create_dir_all(scene.quire.path(folder)).unwrap();
    }
    std::fs::write(scene.quire.path("in/b.pdf"), clinical_record(2)).unwrap();
    std::fs::write(scene.quire.path("in/a.pdf"), clinical_record(1)).unwrap();
    std::fs::write(scene.quire.path("in/deep/c.txt"), "Paciente: Luna\n").unwrap();
    std::fs::write(scene.quire.path("in/.hidden/d.pdf"), clinical_record(1)).unwrap();
}

async fn a_folder_is_taken_in_as_it_would_be_over_http(scene: &Scene) {
    lay_out(scene);
    let server = scene.quire.serve();
    let said = scene.quire.run(&["upload", "in", "--priority", "high"]);
    assert_eq!(said.status.code(), Some(0), "{}", said.err);
    let lines: Vec<(&str, &str)> = said.out.lines().map(|line| line.split_once("  ").unwrap()).collect();
    assert_eq!(
        lines.iter().map(|(_, path)| *path).collect::<Vec<_>>(),
        ["in/a.pdf", "in/b.pdf", "in/deep/c.txt"]
    );
    #[allow(clippy::cast_precision_loss)]
    let kilobytes = (clinical_record(1).len() + clinical_record(2).len() + 15) as f64 / 1024.0;
    let summary = format!("3 files uploaded ({kilobytes:.1} kB), 0 refused, 1 hidden skipped\n");
    assert_eq!(said.err, summary);
    let mut requests = BTreeSet::new();
    for (id, _) in &lines {
        let run = scene.ended(id.parse().unwrap()).await;
        assert_eq!(run.priority, Priority::High, "the server beside it has processed it");
        requests.insert(run.correlation_id.unwrap());
    }
    assert_eq!(requests.len(), 1, "one command, one id");
    assert_eq!(server.json("/documents")["total"], 3);
    let events = scene.events().await;
    let uploaded = events.iter().filter(|event| event.event_type == EventType::DocumentUploaded);
    assert!(uploaded.map(|event| event.actor.as_deref()).eq([Some("local"); 3]));
}

async fn what_is_refused_is_named_with_its_code_and_the_rest_is_taken_in(scene: &Scene) {
    lay_out(scene);
    std::fs::write(scene.quire.path("in/empty.pdf"), "").unwrap();
    std::fs::write(scene.quire.path("in/large.txt"), "a".repeat((1 << 20) + 1)).unwrap();
    std::fs::write(scene.quire.path("in/picture.gif"), b"GIF89a\x01\x00\x01\x00").unwrap();
    std::os::unix::fs::symlink("deep", scene.quire.path("in/link")).unwrap();
    let said = scene.quire.run(&["upload", "in", "nowhere.pdf", "--json"]);
    assert_eq!(said.status.code(), Some(3), "{}", said.err);
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |path: &str| lines.iter().find(|line| line["path"] == path).unwrap_or_else(|| panic!("{path}"));
    for (path, code) in [
        ("in/empty.pdf", "INVALID_REQUEST"),
        ("in/large.txt", "FILE_TOO_LARGE"),
        ("in/picture.gif", "UNSUPPORTED_MEDIA_TYPE"),
        ("in/link", "UNREADABLE"),
        ("nowhere.pdf", "UNREADABLE"),
    ] {
        assert_eq!(of(path)["error_code"], code);
        assert!(of(path)["message"].is_string());
    }
    for path in ["in/a.pdf", "in/b.pdf", "in/deep/c.txt"] {
        let id = of(path)["document_id"].as_str().unwrap().parse().unwrap();
        assert_eq!(scene.runs_of(id).await.len(), 1, "{path} waits for a server");
    }
    assert!(said.err.contains("3 files uploaded") && said.err.contains("5 refused"), "{}", said.err);
    assert_eq!(scene.documents().await.len(), 3);
    assert_eq!((scene.files().0.len(), scene.files().1), (3, 0));
    let told = scene.quire.run(&["upload", "in/empty.pdf"]);
    assert!(told.err.contains("in/empty.pdf") && told.err.contains("(INVALID_REQUEST)"), "{}", told.err);
}

async fn what_came_before_the_first_server_is_bound_to_its_schema(scene: &Scene) {
    std::fs::write(scene.quire.path("a.pdf"), clinical_record(1)).unwrap();
    let said = scene.quire.says(&["upload", "a.pdf"]);
    let (id, _) = said.split_once("  ").unwrap();
    let run = scene.runs_of(id.parse().unwrap()).await.remove(0);
    assert_eq!(run.schema.map(|schema| schema.version), Some(1));
}

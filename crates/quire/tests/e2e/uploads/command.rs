//! `quire upload`.

use std::collections::BTreeSet;

use quire_domain::{EventType, Priority};
use quire_testkit::documents::clinical_record;
use serde_json::Value;

use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R026 and R038 for the command.
    a_folder_is_uploaded_as_over_http,
    /// Proves R058 to R060 for the command.
    refused_files_are_named_with_their_code_and_the_others_are_uploaded with [("QUIRE_UPLOADS_MAX_MB", "1")],
    /// Proves R129 for documents uploaded before the first server started.
    a_document_uploaded_before_the_first_server_is_bound_to_its_schema,
}

fn create_files(env: &TestEnv) {
    for folder in ["in/deep", "in/.hidden"] {
        std::fs::create_dir_all(env.cli.path(folder)).unwrap();
    }
    std::fs::write(env.cli.path("in/b.pdf"), clinical_record(2)).unwrap();
    std::fs::write(env.cli.path("in/a.pdf"), clinical_record(1)).unwrap();
    std::fs::write(env.cli.path("in/deep/c.txt"), "Paciente: Luna\n").unwrap();
    std::fs::write(env.cli.path("in/.hidden/d.pdf"), clinical_record(1)).unwrap();
}

async fn a_folder_is_uploaded_as_over_http(env: &TestEnv) {
    create_files(env);
    let server = env.cli.serve();
    let output = env.cli.run(&["upload", "in", "--priority", "high"]);
    assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    let lines: Vec<(&str, &str)> = output.stdout.lines().map(|line| line.split_once("  ").unwrap()).collect();
    assert_eq!(
        lines.iter().map(|(_, path)| *path).collect::<Vec<_>>(),
        ["in/a.pdf", "in/b.pdf", "in/deep/c.txt"]
    );
    #[allow(clippy::cast_precision_loss)]
    let kilobytes = (clinical_record(1).len() + clinical_record(2).len() + 15) as f64 / 1024.0;
    let summary = format!("3 files uploaded ({kilobytes:.1} kB), 0 refused, 1 hidden skipped\n");
    assert_eq!(output.stderr, summary);
    let mut requests = BTreeSet::new();
    for (id, _) in &lines {
        let run = env.wait_for_latest_run(id.parse().unwrap()).await;
        assert_eq!(run.priority, Priority::High, "the running server has processed it");
        requests.insert(run.correlation_id.unwrap());
    }
    assert_eq!(requests.len(), 1, "one correlation id per command");
    assert_eq!(server.json("/documents")["total"], 3);
    let events = env.events().await;
    let uploaded = events.iter().filter(|event| event.event_type == EventType::DocumentUploaded);
    assert!(uploaded.map(|event| event.actor.as_deref()).eq([Some("local"); 3]));
}

async fn refused_files_are_named_with_their_code_and_the_others_are_uploaded(env: &TestEnv) {
    create_files(env);
    std::fs::write(env.cli.path("in/empty.pdf"), "").unwrap();
    std::fs::write(env.cli.path("in/large.txt"), "a".repeat((1 << 20) + 1)).unwrap();
    std::fs::write(env.cli.path("in/picture.gif"), b"GIF89a\x01\x00\x01\x00").unwrap();
    std::os::unix::fs::symlink("deep", env.cli.path("in/link")).unwrap();
    let output = env.cli.run(&["upload", "in", "nowhere.pdf", "--json"]);
    assert_eq!(output.status.code(), Some(3), "{}", output.stderr);
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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
        assert_eq!(env.runs_of(id).await.len(), 1, "{path} waits for a server");
    }
    assert!(
        output.stderr.contains("3 files uploaded") && output.stderr.contains("5 refused"),
        "{}",
        output.stderr
    );
    assert_eq!(env.documents().await.len(), 3);
    assert_eq!((env.stored_files().0.len(), env.stored_files().1), (3, 0));
    let output = env.cli.run(&["upload", "in/empty.pdf"]);
    assert!(
        output.stderr.contains("in/empty.pdf") && output.stderr.contains("(INVALID_REQUEST)"),
        "{}",
        output.stderr
    );
}

async fn a_document_uploaded_before_the_first_server_is_bound_to_its_schema(env: &TestEnv) {
    std::fs::write(env.cli.path("a.pdf"), clinical_record(1)).unwrap();
    let printed = env.cli.run_ok(&["upload", "a.pdf"]);
    let (id, _) = printed.split_once("  ").unwrap();
    let run = env.runs_of(id.parse().unwrap()).await.remove(0);
    assert_eq!(run.schema.map(|schema| schema.version), Some(1));
}

//! The storage folder: whether it is the right one, and files without a document.

use std::path::Path;

use quire_domain::{DocumentId, SubjectId};
use quire_testkit::documents::clinical_record;
use serde_json::json;

use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::uploads::send_file;

on_both_stores! {
    storage_that_is_not_mounted_loses_no_document_and_works_again,
    a_folder_belongs_to_one_database,
    only_old_files_without_a_document_are_collected,
    a_text_that_a_late_worker_wrote_is_not_served,
}

fn is_ready(server: &TestServer) -> bool {
    server.get("/health/ready").status == 200
}

/// The folder is empty as if its disk was not mounted. What is in the database waits, and nothing is written there.
async fn storage_that_is_not_mounted_loses_no_document_and_works_again(env: &TestEnv) {
    let run = env.add_document(Some(&clinical_record(1)), None).await;
    let (folder, disk) = (env.documents_folder(), env.cli.path("disk"));
    std::fs::rename(&folder, &disk).unwrap();
    std::fs::create_dir(&folder).unwrap();

    let server = env.cli.serve();
    wait_until(async || {
        server.get("/metrics").body.contains("quire_pipeline_ready{pipeline=\"document\"} 0")
    })
    .await;
    assert!(!is_ready(&server));
    let document = env.store.run_reader.run(run).await.unwrap().subject;
    let download = server.get(&format!("/documents/{document}/download"));
    assert_eq!((download.status, &download.json()["error_code"]), (503, &json!("SERVICE_UNAVAILABLE")));
    let refused = send_file(&server, "record.pdf", &clinical_record(1), "");
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(env.store.run_reader.run(run).await.unwrap().state.as_str(), "QUEUED");
    let left: Vec<_> = names(&folder).into_iter().filter(|name| name != "~incoming").collect();
    assert_eq!(left, [""; 0], "nothing was stored in the wrong place");

    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::rename(&disk, &folder).unwrap();
    assert_eq!(env.wait_for_run(run).await.state.as_str(), "COMPLETED");
    assert!(is_ready(&server));
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

async fn a_folder_belongs_to_one_database(env: &TestEnv) {
    let id = std::fs::read_to_string(env.documents_folder().join("installation-id")).unwrap();
    assert_eq!(env.store.installation.installation_id().await.unwrap().unwrap().to_string(), id.trim());
    let refused = env.cli.run_err(&["migrate", "up", "--database", "sqlite:other.db"]);
    assert!(refused.contains("belongs to another installation") && refused.contains(id.trim()), "{refused}");
    let refused = env.cli.run_err(&["serve", "--listen", "127.0.0.1:0", "--database", "sqlite:other.db"]);
    assert!(refused.contains("belongs to another installation"), "{refused}");

    let elsewhere = env.cli.run_ok(&["migrate", "up", "--data", "elsewhere"]);
    if env.is_on_postgresql() {
        assert!(elsewhere.contains("has no installation id") && elsewhere.contains(id.trim()), "{elsewhere}");
    }
    env.cli.run_ok(&["migrate", "down", "--to", "1", "--yes"]);
    env.cli.run_ok(&["migrate", "up"]);
    assert_eq!(env.store.installation.installation_id().await.unwrap().unwrap().to_string(), id.trim());
    assert!(is_ready(&env.cli.serve()));
}

async fn only_old_files_without_a_document_are_collected(env: &TestEnv) {
    let run = env.add_document(Some(&clinical_record(1)), None).await;
    let kept = env.store.run_reader.run(run).await.unwrap().subject;
    let orphan = SubjectId::new();
    for name in [format!("{orphan}/original.pdf"), "notes/keep.txt".to_owned()] {
        quire_ports::BlobStore::put(&env.blobs, &name, b"%PDF".to_vec()).await.unwrap();
    }
    assert_eq!(env.cli.run_ok(&["gc"]), "0 folders removed\n", "they are younger than a day");
    let found = env.cli.run_ok(&["gc", "--dry-run", "--older-than", "0s"]);
    assert_eq!(found, format!("1 folder without a document\n  {orphan}\n"));
    let removed = env.cli.run_ok(&["gc", "--older-than", "0s", "--pause", "0s"]);
    assert_eq!(removed, format!("1 folder removed\n  {orphan}\n"));
    let folder = env.documents_folder();
    assert!(!folder.join(orphan.to_string()).exists());
    assert!(folder.join(kept.to_string()).exists() && folder.join("notes/keep.txt").exists());

    std::fs::write(folder.join("installation-id"), SubjectId::new().to_string()).unwrap();
    let refused = env.cli.run_err(&["gc", "--older-than", "0s", "--pause", "0s"]);
    assert!(refused.contains("another installation"), "{refused}");
}

/// Proves R050 and R015: a worker that lost its run writes its files late.
async fn a_text_that_a_late_worker_wrote_is_not_served(env: &TestEnv) {
    let server = env.cli.serve();
    let id = env.add_document(Some(&clinical_record(1)), None).await;
    let run = env.wait_for_run(id).await;
    let text = || server.get(&format!("/runs/{id}/artifacts/raw-text"));
    let read = text().json()["text"].clone();
    let folder = env.documents_folder().join(format!("{}/runs/{id}", run.subject));
    assert_eq!(std::fs::read_to_string(folder.join("raw-text.txt")).unwrap(), read.as_str().unwrap());

    for late in ["another text".to_owned(), read.as_str().unwrap().replace("Luna", "Luno")] {
        std::fs::write(folder.join("raw-text.txt"), late).unwrap();
        assert_eq!(text().json()["text"], read);
    }
    let pages = names(&folder).into_iter().find(|name| name.starts_with("pages.")).unwrap();
    assert_eq!(pages.matches('.').count(), 2, "the fence stands in the name: {pages}");
    std::fs::remove_file(folder.join(pages)).unwrap();
    let missing = text();
    assert_eq!((missing.status, &missing.json()["error_code"]), (410, &json!("ARTIFACT_MISSING")));
    assert!(env.store.documents.find(DocumentId(run.subject.0)).await.is_ok());
}

/// A second worker whose folder is not shared with the first.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_with_another_folder_claims_nothing_and_says_why() {
    let env = TestEnv::on_postgresql(&[]).await;
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.push(env.add_document(Some(&clinical_record(1)), None).await);
    }
    let wrong = env.cli.serve_in("elsewhere");
    wait_until(async || wrong.get("/metrics").body.contains("quire_pipeline_ready{pipeline=\"document\"} 0"))
        .await;
    assert!(!is_ready(&wrong));
    let server = env.cli.serve();
    for run in runs {
        assert_eq!(env.wait_for_run(run).await.state.as_str(), "COMPLETED");
    }
    assert!(!is_ready(&wrong) && is_ready(&server));
    let stopped = wrong.stop();
    assert!(stopped.stderr.contains("installation id"), "{}", stopped.stderr);
}

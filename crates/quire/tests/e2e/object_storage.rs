//! Files in Azure Blob Storage (Azurite) and in S3 (moto), with the whole program on top.

mod backup;
mod damage;
mod moves;
mod outages;
mod provider_faults;
mod streaming;
mod whole;

use std::collections::BTreeSet;
use std::sync::Arc;

use quire_connectors::blob::ObjectBlobs;
use quire_connectors::blob::object::{
    AzureSettings, ObjectLocation, Repetition, S3Encryption, S3Keys, S3Settings,
};
use quire_connectors::http::HttpOptions;
use quire_domain::{DocumentId, SubjectId};
use quire_ports::BlobStore;
use quire_testkit::documents::{Pdf, clinical_record, text_page};
use quire_testkit::object_services::{TestContainer, azure_container, s3_bucket};
use serde_json::json;

use crate::program::TestServer;
use crate::test_env::{TestEnv, wait_until};
use crate::uploads::form::Form;
use crate::uploads::upload;

/// The beginning of every key.
const PREFIX: &str = "installations/one";

/// The program, and its files in an object store.
struct ObjectEnv {
    env: TestEnv,
    /// The same files, from outside.
    objects: Arc<ObjectBlobs>,
}

impl ObjectEnv {
    /// On PostgreSQL and a container of Azurite, which the program reaches at this address.
    async fn on_azure(container: &TestContainer, endpoint: &str) -> Self {
        let reached = TestContainer { endpoint: endpoint.to_owned(), ..container.clone() };
        let location = format!("az://{}/{PREFIX}", container.name);
        let credential = reached.connection_string();
        let env = TestEnv::on_postgresql(&[
            ("QUIRE_STORAGE_BLOBS", location.as_str()),
            ("QUIRE_STORAGE_AZURE_CONNECTION_STRING", credential.as_str()),
        ])
        .await;
        let settings = AzureSettings::of_connection_string(&container.connection_string()).unwrap();
        let objects =
            ObjectBlobs::azure(&at(container), &settings, &HttpOptions::default(), Repetition::Short);
        Self { env, objects: Arc::new(objects.unwrap()) }
    }

    /// On SQLite and a bucket of moto.
    fn on_s3(bucket: &TestContainer) -> Self {
        let location = format!("s3://{}/{PREFIX}", bucket.name);
        let env = TestEnv::on_sqlite(&[
            ("QUIRE_STORAGE_BLOBS", location.as_str()),
            ("QUIRE_STORAGE_S3_ENDPOINT", bucket.endpoint.as_str()),
            ("QUIRE_STORAGE_S3_ACCESS_KEY_ID", "test"),
            ("QUIRE_STORAGE_S3_SECRET_ACCESS_KEY", "test"),
            ("QUIRE_STORAGE_S3_ENCRYPTION", "s3"),
        ]);
        let settings = S3Settings {
            region: "us-east-1".to_owned(),
            endpoint: Some(bucket.endpoint.clone()),
            is_virtual_hosted: false,
            keys: Some(S3Keys { id: "test".to_owned(), secret: "test".to_owned(), session_token: None }),
            encryption: S3Encryption::Bucket,
        };
        let objects = ObjectBlobs::s3(&at(bucket), &settings, &HttpOptions::default(), Repetition::Short);
        Self { env, objects: Arc::new(objects.unwrap()) }
    }

    /// The documents that have files.
    async fn stored(&self) -> BTreeSet<String> {
        self.objects.folders(None).await.unwrap().names.into_iter().collect()
    }

    /// Fails unless each document has its job and its complete file, and no other document has a file.
    async fn assert_nothing_is_half_stored(&self) {
        let documents = self.env.documents().await;
        for id in &documents {
            let document = self.env.store.documents.find(*id).await.unwrap();
            let file = self.objects.get(&document.storage_path, 1 << 30).await.unwrap();
            assert_eq!(file.len() as u64, document.file_size);
            assert_eq!(self.env.runs_of(*id).await.len(), 1, "each document has its job");
        }
        assert_eq!(self.env.sql.number("SELECT count(*) FROM documents").await, rows(&documents));
        assert_eq!(
            self.env.sql.number("SELECT count(*) FROM document_processing_jobs").await,
            rows(&documents)
        );
        let names: BTreeSet<String> = documents.iter().map(ToString::to_string).collect();
        assert_eq!(self.stored().await, names);
    }
}

fn at(container: &TestContainer) -> ObjectLocation {
    ObjectLocation { container: container.name.clone(), prefix: PREFIX.to_owned() }
}

fn rows(documents: &BTreeSet<DocumentId>) -> i64 {
    i64::try_from(documents.len()).unwrap()
}

/// A record of at least so many bytes.
fn record_of(bytes: usize) -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["Paciente: Luna", "Especie: Felina", "Edad: 7 años"])]);
    pdf.stream("", &vec![b'x'; bytes]);
    pdf.file()
}

fn is_ready(server: &TestServer) -> bool {
    server.get("/health/ready").status == 200
}

/// The document of a completed run, with everything that comes from its files.
async fn assert_everything_is_served(
    object_env: &ObjectEnv,
    server: &TestServer,
    id: DocumentId,
    file: &[u8],
) {
    let ObjectEnv { env, objects } = object_env;
    let run = env.wait_until_completed(id).await;
    let download = server.get_bytes(&format!("/documents/{id}/download"));
    assert!(download.status == 200 && download.body == file);
    let part = server.send(&format!("GET /documents/{id}/download"), "Range: bytes=5-14\r\n", "");
    assert!(part.status == 206 && part.body == file[5..15]);
    let text = server.get(&format!("/runs/{}/artifacts/raw-text", run.id)).json()["text"].clone();
    let stored = objects.get(&format!("{id}/runs/{}/raw-text.txt", run.id), 1 << 20).await.unwrap();
    assert_eq!(text.as_str().unwrap().as_bytes(), stored);
    let page = server.get_bytes(&format!("/documents/{id}/pages/1"));
    assert!(page.status == 200 && !page.json()["lines"].as_array().unwrap().is_empty());
    let image = server.get_bytes(&format!("/documents/{id}/pages/1/image"));
    assert!(image.status == 200 && image.body.starts_with(b"\x89PNG"));
    let review = server.get(&format!("/documents/{id}/review"));
    assert_eq!(review.status, 200, "{}", review.body);
    let screen = server.get(&format!("/app/documents/{id}"));
    assert_eq!(screen.status, 200, "{}", screen.body);
}

/// A large file is sent in parts. A purge removes files of every kind and nothing else.
async fn from_upload_to_purge(object_env: &ObjectEnv) {
    let ObjectEnv { env, objects } = object_env;
    let server = env.cli.serve();
    assert!(is_ready(&server));
    server.post("/lanes/pipeline:document/pause");
    let small = clinical_record(2);
    let (response, body, id) = upload(&server, "/documents", "record.pdf", &small);
    assert_eq!((response.status, &body["original_filename"]), (200, &json!("record.pdf")));
    let pending = format!(
        "SELECT count(*) FROM document_processing_jobs WHERE document_id = {} AND status = 'PENDING'",
        env.sql.id(id.0)
    );
    assert_eq!(env.sql.number(&pending).await, 1);
    assert!(objects.get(&format!("{id}/original.pdf"), 1 << 20).await.unwrap() == small);
    server.post("/lanes/pipeline:document/resume");
    assert_everything_is_served(object_env, &server, id, &small).await;

    let large = record_of((17 << 20) + 3);
    let (_, _, other) = upload(&server, "/documents", "large.pdf", &large);
    assert_everything_is_served(object_env, &server, other, &large).await;
    object_env.assert_nothing_is_half_stored().await;

    env.cli.run_ok(&["purge", &id.to_string(), "--yes"]);
    assert_eq!(object_env.stored().await, BTreeSet::from([other.to_string()]));
    assert_eq!(server.get(&format!("/documents/{id}/download")).status, 404);
    assert!(is_ready(&server));
}

/// Proves R057, R162 and R201.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_in_azure_is_uploaded_processed_shown_and_purged() {
    let container = azure_container().await;
    from_upload_to_purge(&ObjectEnv::on_azure(&container, &container.endpoint).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_in_s3_is_uploaded_processed_shown_and_purged() {
    from_upload_to_purge(&ObjectEnv::on_s3(&s3_bucket().await)).await;
}

/// Proves R054 and R055 for an object store, and that `quire gc` finds what an interrupted upload left.
#[tokio::test(flavor = "multi_thread")]
async fn files_without_a_document_are_collected_and_a_missing_file_is_gone() {
    let container = azure_container().await;
    let object_env = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let ObjectEnv { env, objects } = &object_env;
    let server = env.cli.serve();
    let (_, _, kept) = upload(&server, "/documents", "record.pdf", &clinical_record(1));
    env.wait_until_completed(kept).await;
    let orphan = SubjectId::new();
    for name in
        [format!("{orphan}/original.pdf"), format!("{orphan}/runs/x/raw-text.txt"), "notes/a".to_owned()]
    {
        objects.put(&name, b"%PDF".to_vec()).await.unwrap();
    }
    assert_eq!(server.get(&format!("/documents/{orphan}")).status, 404);
    assert_eq!(env.cli.run_ok(&["gc"]), "0 folders removed\n", "they are younger than a day");
    let removed = env.cli.run_ok(&["gc", "--older-than", "0s", "--pause", "0s"]);
    assert_eq!(removed, format!("1 folder removed\n  {orphan}\n"));
    assert_eq!(object_env.stored().await, BTreeSet::from([kept.to_string(), "notes".to_owned()]));

    let mut other = clinical_record(1);
    other[100] ^= 1;
    objects.put(&format!("{kept}/original.pdf"), other).await.unwrap();
    assert_eq!(server.get(&format!("/documents/{kept}/download")).status, 500, "it is not what was uploaded");
    objects.remove(&format!("{kept}/original.pdf")).await.unwrap();
    let gone = server.get(&format!("/documents/{kept}/download"));
    assert_eq!((gone.status, gone.error_code().as_str()), (410, "ARTIFACT_MISSING"));
}

/// Another container, an empty one, and one that does not exist.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_with_another_container_claims_nothing_and_says_why() {
    let container = azure_container().await;
    let ObjectEnv { env, .. } = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let server = env.cli.serve();
    server.post("/lanes/pipeline:document/pause");
    let (_, _, id) = upload(&server, "/documents", "record.pdf", &clinical_record(1));
    drop(server.stop());

    let another = azure_container().await;
    ObjectEnv::on_azure(&another, &another.endpoint).await;
    let empty = azure_container().await;
    for (name, reason) in [
        (another.name.as_str(), "another installation"),
        (empty.name.as_str(), "has no installation id"),
        ("does-not-exist", "ContainerNotFound"),
    ] {
        let mut command = env.cli.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("QUIRE_STORAGE_BLOBS", format!("az://{name}/{PREFIX}"));
        let wrong = TestServer::ready(command);
        wrong.post("/lanes/pipeline:document/resume");
        wait_until(async || {
            wrong.get("/metrics").body.contains("quire_pipeline_ready{pipeline=\"document\"} 0")
        })
        .await;
        assert!(!is_ready(&wrong));
        let refused = Form::file("record.pdf", &clinical_record(1)).send(&wrong, "/documents");
        assert_eq!(refused.status, 503, "{}", refused.body);
        assert_eq!(wrong.get(&format!("/documents/{id}/download")).status, 503, "not gone");
        let log = wrong.stop().stderr;
        assert!(log.contains(reason), "{name}: {log}");
        assert!(!log.contains("AccountKey") && !log.contains("SharedKey"), "{log}");
    }
    assert_eq!(env.runs_of(id).await[0].state.as_str(), "QUEUED");
    let _server = env.cli.serve();
    env.wait_until_completed(id).await;
}

//! Every single call to the storage fails, during an upload and the run of its document: before the storage gets it, and after
//! the storage has done it. Nothing is stored by half, and the work goes on when the storage answers again.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use quire_application::document::upload::{FirstRunOptions, Upload, UploadError, UploadSettings, Uploader};
use quire_application::steps::DocumentIntelligenceOptions;
use quire_connectors::blob::DiskBlobs;
use quire_domain::reading::{Extractor, FileKind};
use quire_domain::{Backoff, DocumentId, Priority, RequeuePolicy, RetryPolicy, RunId};
use quire_ports::{BlobStore, DocumentJob};
use quire_testkit::{BlobFault, DocumentIntelligenceServer, FaultyBlobs};
use tempfile::TempDir;

use crate::document_intelligence::{Documents, options, server};
use crate::fixture::{EngineFixture, fail_policy};

crate::on_each_store! {
    each_call_of_an_upload_and_a_local_run_may_fail,
    each_call_of_an_upload_and_a_run_with_document_intelligence_may_fail,
    while_the_storage_is_not_ready_a_run_waits,
}

/// One attempt of a step in each attempt of the run, so that a failed call is in the log of the job.
fn policy() -> RetryPolicy {
    let backoff = Backoff { max_attempts: 1, ..fail_policy().backoff };
    let requeue = RequeuePolicy::Auto { max_claims: 3, base_delay: SignedDuration::from_secs(30) };
    RetryPolicy { backoff, requeue, ..fail_policy() }
}

/// Documents in a storage that fails as planned.
struct Outages {
    fixture: EngineFixture,
    documents: Documents,
    faulty: Arc<FaultyBlobs<DiskBlobs>>,
    /// The same files, without failures.
    disk: Arc<DiskBlobs>,
    extractor: Extractor,
}

impl Outages {
    fn new(fixture: EngineFixture, extractor: Extractor) -> Self {
        let folder = TempDir::new().unwrap();
        let disk = Arc::new(DiskBlobs::open(folder.path()).unwrap());
        let faulty = Arc::new(FaultyBlobs::new(disk.clone()));
        let documents = Documents::in_storage(faulty.clone(), folder);
        Self { fixture, documents, faulty, disk, extractor }
    }

    async fn upload(&self) -> Result<(DocumentId, RunId), UploadError> {
        let settings = UploadSettings {
            kinds: vec![FileKind::Pdf],
            max_bytes: 1 << 20,
            schema: "veterinary-record".to_owned(),
        };
        let (store, blobs) = (self.fixture.store.clone(), self.faulty.clone());
        let mut upload = Upload::begin(store, blobs, Arc::new(settings));
        // The first piece shows the kind of the file, so that the second one is a write of its own.
        for piece in [[&b"%PDF-1.7\n"[..], &vec![b'.'; 100 << 10]].concat(), vec![b'.'; 100]] {
            upload.write(&piece).await?;
        }
        let extractor = Some(self.extractor);
        let first = FirstRunOptions { priority: Priority::Normal, correlation_id: None, extractor };
        let uploader = Uploader { actor: "ana".to_owned(), key: None };
        let view = upload.finish("record.pdf", Some(first), &uploader).await?;
        Ok((view.overview.document.id, view.overview.latest_run.unwrap().id))
    }

    async fn job(&self, document: DocumentId) -> DocumentJob {
        self.fixture.store.run_reader.jobs(document.into()).await.unwrap().remove(0)
    }

    /// Fails if a row names a file that is not there, or a document has no row.
    async fn assert_every_row_has_its_file(&self, run: RunId) {
        for artifact in self.fixture.store.run_reader.artifacts(run).await.unwrap() {
            let payload: serde_json::Value = serde_json::from_str(&artifact.payload).unwrap();
            if let Some(path) = payload["path"].as_str() {
                let content = self.disk.get(path, 1 << 20).await.unwrap();
                assert_eq!(Some(content.len() as u64), payload["bytes"].as_u64(), "{path}");
            }
        }
        let folders = self.disk.folders(None).await.unwrap().names;
        assert_eq!(
            folders.len(),
            usize::try_from(self.fixture.store_fixture.count("documents").await).unwrap()
        );
    }

    /// Lets one call fail. Returns what it was: the upload and its run need no more calls if there is none of that number.
    async fn survive(&self, number: usize, fault: BlobFault) -> Option<&'static str> {
        let rows = self.fixture.store_fixture.count("documents").await;
        self.faulty.fail_call(number, fault);
        let (document, run) = match self.upload().await {
            Ok(uploaded) => uploaded,
            Err(error) => {
                assert!(matches!(error, UploadError::Other(_)), "{error}");
                assert_eq!(
                    self.fixture.store_fixture.count("documents").await,
                    rows,
                    "no row without its file"
                );
                assert_eq!(
                    self.disk.folders(None).await.unwrap().names.len(),
                    usize::try_from(rows).unwrap()
                );
                let hit = self.faulty.hit();
                assert!(hit.is_some());
                let (_, run) = self.upload().await.unwrap();
                self.fixture.wait_for_state_advancing(run, "COMPLETED").await;
                return hit;
            }
        };
        self.fixture.wait_for_state_advancing(run, "COMPLETED").await;
        let (job, hit) = (self.job(document).await, self.faulty.hit());
        let log: Vec<serde_json::Value> = serde_json::from_str(&job.error_log).unwrap();
        let codes: Vec<_> = log.iter().map(|entry| entry["error_code"].as_str().unwrap()).collect();
        assert_eq!(codes, vec!["STORAGE_UNAVAILABLE"; usize::from(hit.is_some())], "call {number}: {hit:?}");
        assert_eq!(job.attempts, u32::from(hit.is_some()), "call {number}: {hit:?}");
        // Those of the attempt that failed are still there.
        self.assert_every_row_has_its_file(run).await;
        hit
    }

    /// Lets each call fail, in both ways. Returns their names.
    async fn survive_all(&self, service: Option<&DocumentIntelligenceServer>) -> Vec<&'static str> {
        // A run that waits in its slot makes the same calls each time.
        let patient = DocumentIntelligenceOptions { wait_in_slot: Duration::from_hours(1), ..options() };
        let service = service.map(|server| (server, patient));
        let setup = self.documents.whole_pipeline(&self.fixture, policy(), service);
        let engine = self.fixture.start_engine(setup).await;
        let mut names = Vec::new();
        for fault in [BlobFault::Before, BlobFault::After] {
            names.clear();
            while let Some(name) = self.survive(names.len(), fault).await {
                names.push(name);
            }
        }
        engine.stop().await;
        names
    }
}

/// Proves R052, R053 and R163 for each call to the storage.
async fn each_call_of_an_upload_and_a_local_run_may_fail(fixture: EngineFixture) {
    let outages = Outages::new(fixture, Extractor::Local);
    let names = outages.survive_all(None).await;
    let extraction = ["get", "put", "put"];
    // INTERPRETATION keeps the pages for EMBEDDING.
    let later_steps = ["get"];
    assert_eq!(names, [&["begin", "write", "write", "finish"][..], &extraction, &later_steps].concat());
}

/// Proves the same for a document that Document Intelligence reads, and R202: what was read is not paid for again.
async fn each_call_of_an_upload_and_a_run_with_document_intelligence_may_fail(fixture: EngineFixture) {
    let (outages, server) = (Outages::new(fixture, Extractor::DocumentIntelligence), server());
    let names = outages.survive_all(Some(&server)).await;
    let extraction = ["get", "put", "put", "put"];
    // The pages, and what the service found beside them.
    let later_steps = ["get", "get"];
    assert_eq!(names, [&["begin", "write", "write", "finish"][..], &extraction, &later_steps].concat());
    let documents = outages.fixture.store_fixture.count("documents").await;
    assert_eq!(server.submitted().len(), usize::try_from(documents).unwrap(), "each file is sent once");
}

async fn while_the_storage_is_not_ready_a_run_waits(fixture: EngineFixture) {
    let outages = Outages::new(fixture, Extractor::Local);
    let fixture = &outages.fixture;
    outages.faulty.fail_all("check");
    let (document, run) = outages.upload().await.unwrap();
    let setup = outages.documents.whole_pipeline(fixture, policy(), None);
    let engine = fixture.start_engine(setup).await;
    fixture.let_watch(&fixture.breakpoints).await;
    assert_eq!(outages.faulty.hit(), Some("check"));
    let job = outages.job(document).await;
    assert_eq!((job.status.as_str(), job.attempts, job.error_log.as_str()), ("PENDING", 0, "[]"));
    outages.faulty.heal();
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    assert_eq!(outages.job(document).await.attempts, 0);
    outages.assert_every_row_has_its_file(run).await;
}

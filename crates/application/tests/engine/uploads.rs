//! Uploads as jobs: what stands in the database and in the storage when an upload is answered, before any engine runs.

use std::sync::Arc;

use quire_application::document::upload::{FirstRunOptions, Upload, UploadError, UploadSettings, Uploader};
use quire_connectors::blob::DiskBlobs;
use quire_domain::reading::FileKind;
use quire_domain::{Priority, SubjectId};
use quire_ports::BlobStore;
use tempfile::TempDir;

use crate::fixture::EngineFixture;

crate::on_each_store! {
    an_upload_leaves_one_pending_job_with_its_file,
    an_upload_whose_file_cannot_be_stored_leaves_no_row,
}

fn file() -> Vec<u8> {
    [b"%PDF-1.7\n".to_vec(), vec![b'.'; 100]].concat()
}

async fn begin(fixture: &EngineFixture, folder: &TempDir) -> (Upload, Arc<DiskBlobs>) {
    let blobs = Arc::new(DiskBlobs::open(folder.path().join("documents")).unwrap());
    let settings = UploadSettings {
        kinds: vec![FileKind::Pdf],
        max_bytes: 1 << 20,
        schema: "veterinary-record".to_owned(),
    };
    let mut upload = Upload::begin(fixture.store.clone(), blobs.clone(), Arc::new(settings));
    upload.write(&file()).await.unwrap();
    (upload, blobs)
}

async fn finish(upload: Upload) -> Result<SubjectId, UploadError> {
    let first = FirstRunOptions { priority: Priority::Normal, correlation_id: None, extractor: None };
    let uploader = Uploader { actor: "ana".to_owned(), key: None };
    let view = upload.finish("record.pdf", Some(first), &uploader).await?;
    Ok(view.overview.document.id.into())
}

/// Proves R162.
async fn an_upload_leaves_one_pending_job_with_its_file(fixture: EngineFixture) {
    let folder = tempfile::tempdir().unwrap();
    let (upload, blobs) = begin(&fixture, &folder).await;
    let document = finish(upload).await.unwrap();
    let jobs = fixture.store.run_reader.jobs(document).await.unwrap();
    let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
    assert_eq!((job.document, job.status.as_str(), job.attempts), (document, "PENDING", 0));
    assert_eq!((job.started_at, job.completed_at, job.error_log.as_str()), (None, None, "[]"));
    assert_eq!(blobs.get(&format!("{document}/original.pdf"), 1 << 20).await.unwrap(), file());
}

/// Proves R163.
async fn an_upload_whose_file_cannot_be_stored_leaves_no_row(fixture: EngineFixture) {
    let folder = tempfile::tempdir().unwrap();
    let (upload, _) = begin(&fixture, &folder).await;
    std::fs::remove_dir_all(folder.path().join("documents")).unwrap();
    assert!(finish(upload).await.is_err());
    for table in ["documents", "runs", "events"] {
        assert_eq!(fixture.store_fixture.count(table).await, 0, "{table}");
    }
}

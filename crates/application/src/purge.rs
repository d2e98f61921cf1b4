//! Purge a subject: delete its rows, and then its files.

use quire_domain::SubjectId;
use quire_ports::{BlobStore, PortError, PortResult, Store};

/// Purges a subject and returns the number of its runs. `Conflict` while a run is RUNNING; then nothing changes.
///
/// One transaction deletes the rows first. After it no row names the files, and no run can start that would need them.
/// If deleting the files then fails, or the process crashes in between, a second purge deletes them.
pub async fn purge(store: &Store, blobs: &dyn BlobStore, subject: SubjectId) -> PortResult<u64> {
    let rows = store.documents.purge(subject, store.clock.now()).await;
    if !matches!(rows, Ok(_) | Err(PortError::NotFound(_))) {
        return rows;
    }
    let had_files = blobs.remove_folder(&subject.to_string()).await?;
    match rows {
        Err(_) if had_files => Ok(0),
        rows => rows,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use async_trait::async_trait;
    use jiff::Timestamp;
    use quire_connectors::blob::DiskBlobs;
    use quire_domain::{DocumentId, RunId};
    use quire_ports::{BlobFile, BlobWriter, FolderPage, NewDocument};
    use quire_testkit::fixture::{StoreFixture, at, document, document_run};
    use tempfile::TempDir;

    use super::*;

    struct PurgeFixture {
        fixture: StoreFixture,
        blobs: DiskBlobs,
        _folder: TempDir,
    }

    async fn purge_fixture() -> PurgeFixture {
        let folder = tempfile::tempdir().unwrap();
        let blobs = DiskBlobs::open(folder.path()).unwrap();
        PurgeFixture { fixture: quire_sqlite::testing::store_fixture().await, blobs, _folder: folder }
    }

    impl PurgeFixture {
        /// A document with a queued run, its original and a text that a run wrote.
        async fn add(&self) -> (SubjectId, RunId) {
            let document = document(DocumentId::new());
            let run = document_run(document.id.into());
            self.fixture
                .store
                .documents
                .add(NewDocument::uploaded_by("tester", &document, Some(&run)), at(0))
                .await
                .unwrap();
            self.blobs.put(&document.storage_path, b"%PDF".to_vec()).await.unwrap();
            let text = format!("{}/runs/{}/raw-text.txt", document.id, run.id);
            self.blobs.put(&text, b"text".to_vec()).await.unwrap();
            (document.id.into(), run.id)
        }

        async fn purge(&self, subject: SubjectId) -> PortResult<u64> {
            purge(&self.fixture.store, &self.blobs, subject).await
        }

        async fn has_original(&self, subject: SubjectId) -> bool {
            self.blobs.get(&format!("{subject}/original.pdf"), 100).await.is_ok()
        }
    }

    /// A storage that does not answer.
    struct Away;

    #[async_trait]
    impl BlobStore for Away {
        async fn put(&self, _: &str, _: Vec<u8>) -> PortResult<()> {
            Err(away())
        }

        async fn put_new(&self, _: &str, _: Vec<u8>) -> PortResult<bool> {
            Err(away())
        }

        async fn get(&self, _: &str, _: u64) -> PortResult<Vec<u8>> {
            Err(away())
        }

        async fn get_range(&self, _: &str, _: Range<u64>) -> PortResult<Vec<u8>> {
            Err(away())
        }

        async fn begin(&self, _: &str) -> PortResult<Box<dyn BlobWriter>> {
            Err(away())
        }

        async fn remove(&self, _: &str) -> PortResult<bool> {
            Err(away())
        }

        async fn remove_folder(&self, _: &str) -> PortResult<bool> {
            Err(away())
        }

        async fn folders(&self, _: Option<&str>) -> PortResult<FolderPage> {
            Err(away())
        }

        async fn files(&self, _: &str) -> PortResult<Vec<BlobFile>> {
            Err(away())
        }

        async fn last_written(&self, _: &str) -> PortResult<Option<Timestamp>> {
            Err(away())
        }

        async fn check(&self) -> PortResult<()> {
            Err(away())
        }
    }

    fn away() -> PortError {
        PortError::Unavailable { service: "storage", reason: "rehearsed".to_owned(), contention: false }
    }

    #[tokio::test]
    async fn a_purge_takes_rows_and_files_of_its_subject_and_no_other() {
        let env = purge_fixture().await;
        let ((gone, run), (kept, _)) = (env.add().await, env.add().await);
        assert_eq!(env.purge(gone).await.unwrap(), 1);
        assert!(matches!(env.fixture.store.run_reader.run(run).await, Err(PortError::NotFound(_))));
        assert!(!env.blobs.remove_folder(&gone.to_string()).await.unwrap(), "no file is left");
        assert!(env.has_original(kept).await);
        assert!(env.fixture.store.documents.find(DocumentId(kept.0)).await.is_ok());
    }

    #[tokio::test]
    async fn a_purge_interrupted_after_the_rows_is_finished_by_repeating_it() {
        let env = purge_fixture().await;
        let (subject, run) = env.add().await;
        assert_eq!(purge(&env.fixture.store, &Away, subject).await, Err(away()));
        assert!(matches!(env.fixture.store.run_reader.run(run).await, Err(PortError::NotFound(_))));
        assert!(env.has_original(subject).await);
        assert_eq!(env.purge(subject).await.unwrap(), 0);
        assert!(!env.has_original(subject).await);
        let nothing_left = env.purge(subject).await;
        assert!(matches!(nothing_left, Err(PortError::NotFound(_))), "{nothing_left:?}");
    }

    #[tokio::test]
    async fn a_purge_during_a_run_is_refused_and_touches_nothing() {
        let env = purge_fixture().await;
        let (subject, run) = env.add().await;
        let worker = env.fixture.worker(at(0)).await;
        env.fixture.claim_one(worker, at(1)).await;
        let refused = env.purge(subject).await;
        assert!(matches!(refused, Err(PortError::Conflict(_))), "{refused:?}");
        assert!(env.has_original(subject).await);
        assert_eq!(env.fixture.state(run).await, "RUNNING");
    }

    #[tokio::test]
    async fn a_subject_without_files_is_purged_and_an_unknown_one_is_not_found() {
        let env = purge_fixture().await;
        let subject = SubjectId::new();
        env.fixture.enqueue(subject, at(0)).await;
        assert_eq!(env.purge(subject).await.unwrap(), 1);
        assert!(matches!(env.purge(SubjectId::new()).await, Err(PortError::NotFound(_))));
    }
}

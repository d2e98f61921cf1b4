use std::sync::Arc;

use quire_connectors::blob::DiskBlobs;
use quire_domain::{Document, DocumentId};
use quire_testkit::StoreFixture;
use quire_testkit::fixture::{at, document, document_run};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;
use crate::storage::both_stores::on_both_stores;

on_both_stores! {
    a_lost_or_changed_original_is_reported_and_the_rest_is_written,
    a_document_that_is_purged_meanwhile_fails_the_backup,
    a_storage_that_vanishes_fails_the_backup,
    a_database_is_not_emptied_beside_the_storage_of_another_installation,
}

/// Has the files that it got.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    content: Vec<u8>,
}

impl FileSink for Files {
    fn begin(&mut self, name: &str, _: u64) -> Result<(), CopyError> {
        self.names.push(name.to_owned());
        self.content.clear();
        Ok(())
    }

    fn write(&mut self, piece: &[u8]) -> Result<(), CopyError> {
        self.content.extend_from_slice(piece);
        Ok(())
    }

    fn end(&mut self) -> Result<[u8; 32], CopyError> {
        Ok(Sha256::digest(&self.content).into())
    }
}

struct Installation {
    stores: InstallationStores,
    documents: Vec<Document>,
    folder: TempDir,
}

impl Installation {
    /// Three documents with their originals.
    async fn new(fixture: &StoreFixture) -> Self {
        let folder = TempDir::new().unwrap();
        let blobs = Arc::new(DiskBlobs::open(folder.path()).unwrap());
        let stores = InstallationStores { store: fixture.store.clone(), blobs };
        let id = stores.store.installation.set_installation_id(InstallationId::new()).await.unwrap();
        identity::write_id(&*stores.blobs, id).await.unwrap();
        let mut documents = Vec::new();
        for content in [[1; 100], [2; 100], [3; 100]] {
            let id = DocumentId::new();
            let document =
                Document { file_size: 100, content_hash: Sha256::digest(content).into(), ..document(id) };
            fixture.add_document(&document, Some(&document_run(id.into())), at(0)).await;
            stores.blobs.put(&document.storage_path, content.to_vec()).await.unwrap();
            documents.push(document);
        }
        Self { stores, documents, folder }
    }
}

async fn a_lost_or_changed_original_is_reported_and_the_rest_is_written(fixture: &StoreFixture) {
    let Installation { stores, documents, folder: _folder } = Installation::new(fixture).await;
    stores.blobs.remove(&documents[0].storage_path).await.unwrap();
    stores.blobs.put(&documents[1].storage_path, vec![9; 100]).await.unwrap();
    let rows = quire_sqlite::testing::store_fixture().await;
    let mut backup = Backup::of_rows(&stores, &rows.store, &()).await.unwrap();
    let mut files = Files::default();
    let report = backup.write_files(&mut files, &()).await.unwrap();
    assert_eq!(report.files, 2);
    assert_eq!(files.names, [documents[1].storage_path.clone(), documents[2].storage_path.clone()]);
    let sentence = |index: usize, what: &str| {
        let Document { id, storage_path, .. } = &documents[index];
        format!("the original of document {id} {what}: {storage_path}")
    };
    assert_eq!(
        report.faults.first,
        [sentence(0, "is missing"), sentence(1, "has another content than it had")]
    );

    let target = quire_sqlite::testing::store_fixture().await;
    let folder = TempDir::new().unwrap();
    let to = InstallationStores {
        store: target.store.clone(),
        blobs: Arc::new(DiskBlobs::open(folder.path()).unwrap()),
    };
    let mut copied = crate::storage::copy(&stores, &to, &()).await.unwrap();
    copied.faults.first.sort();
    let mut faults = report.faults;
    faults.first.sort();
    assert_eq!((copied.files, copied.faults), (2, faults));
}

async fn a_document_that_is_purged_meanwhile_fails_the_backup(fixture: &StoreFixture) {
    let Installation { stores, documents, folder: _folder } = Installation::new(fixture).await;
    let rows = quire_sqlite::testing::store_fixture().await;
    let mut backup = Backup::of_rows(&stores, &rows.store, &()).await.unwrap();
    let purged = &documents[1];
    stores.store.documents.purge(purged.id.into(), at(1)).await.unwrap();
    stores.blobs.remove_folder(&purged.id.to_string()).await.unwrap();
    let written = backup.write_files(&mut Files::default(), &()).await;
    assert_eq!(written, Err(CopyError::Vanished(purged.storage_path.clone())));
}

async fn a_storage_that_vanishes_fails_the_backup(fixture: &StoreFixture) {
    let Installation { stores, folder, .. } = Installation::new(fixture).await;
    let rows = quire_sqlite::testing::store_fixture().await;
    let mut backup = Backup::of_rows(&stores, &rows.store, &()).await.unwrap();
    // An unmounted disk leaves an empty folder.
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
    }
    let failed = backup.write_files(&mut Files::default(), &()).await.unwrap_err();
    assert!(
        matches!(failed, CopyError::Store(PortError::Unavailable { service: "storage", .. })),
        "{failed}"
    );
}

async fn a_database_is_not_emptied_beside_the_storage_of_another_installation(fixture: &StoreFixture) {
    let Installation { stores, documents, folder: _folder } = Installation::new(fixture).await;
    let (source, other) = (InstallationId::new(), InstallationId::new());
    let own = stores.store.installation.installation_id().await.unwrap().unwrap();
    identity::write_id(&*stores.blobs, other).await.unwrap();
    assert_eq!(empty_installation(&stores, source).await, Err(CopyError::StorageTaken));
    assert_eq!(identity::stored_id(&*stores.blobs).await.unwrap(), Some(other));
    assert!(stores.store.documents.find(documents[0].id).await.is_ok(), "nothing is lost");
    for allowed in [own, source] {
        identity::write_id(&*stores.blobs, allowed).await.unwrap();
        empty_installation(&stores, source).await.unwrap();
        assert_eq!(identity::stored_id(&*stores.blobs).await.unwrap(), None);
    }
    assert!(stores.store.documents.find(documents[0].id).await.is_err());
}

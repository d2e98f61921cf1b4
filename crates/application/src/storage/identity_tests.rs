use std::sync::Arc;

use quire_connectors::blob::DiskBlobs;
use quire_domain::DocumentId;
use quire_testkit::fixture::{StoreFixture, at, document};
use tempfile::TempDir;

use super::super::InstallationBlobs;
use super::super::both_stores::on_both_stores;
use super::*;

fn empty_storage() -> (TempDir, DiskBlobs) {
    let folder = tempfile::tempdir().unwrap();
    let blobs = DiskBlobs::open(folder.path()).unwrap();
    (folder, blobs)
}

fn checked(fixture: &StoreFixture, blobs: &DiskBlobs) -> InstallationBlobs {
    InstallationBlobs::new(Arc::new(blobs.clone()), fixture.store.installation.clone())
}

async fn add_document(fixture: &StoreFixture, blobs: &DiskBlobs) {
    let document = document(DocumentId::new());
    fixture.add_document(&document, None, at(0)).await;
    blobs.put(&document.storage_path, b"%PDF".to_vec()).await.unwrap();
}

on_both_stores! {
    database_and_storage_get_the_same_id_once,
    another_storage_and_an_empty_one_are_refused_and_the_right_one_works,
    an_interrupted_call_is_finished_by_the_next,
    a_database_without_an_id_takes_no_storage_of_another,
    a_database_from_before_gets_its_id_only_with_its_files,
    a_state_folder_from_before_gets_its_id_without_the_removed_originals,
    a_database_that_was_migrated_down_gets_its_id_back,
}

async fn database_and_storage_get_the_same_id_once(fixture: &StoreFixture) {
    let (_folder, blobs) = empty_storage();
    assert_eq!(fixture.store.installation.installation_id().await.unwrap(), None);
    assert_eq!(identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
    let id = fixture.store.installation.installation_id().await.unwrap().unwrap();
    assert_eq!(read(&blobs, ID_FILE).await.unwrap(), Some(id));
    assert_eq!(read(&blobs, PENDING_FILE).await.unwrap(), None);
    assert_eq!(identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
    let other = InstallationId::new();
    assert_eq!(fixture.store.installation.set_installation_id(other).await.unwrap(), id, "it never changes");
    checked(fixture, &blobs).check().await.unwrap();
}

async fn another_storage_and_an_empty_one_are_refused_and_the_right_one_works(fixture: &StoreFixture) {
    let ((_right, right), (_empty, empty)) = (empty_storage(), empty_storage());
    assert_eq!(identify(&fixture.store, &right, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
    checked(fixture, &right).put("a/file", b"x".to_vec()).await.unwrap();
    let database = fixture.store.installation.installation_id().await.unwrap().unwrap();
    assert_eq!(
        identify(&fixture.store, &empty, OriginalsPolicy::Kept).await,
        Ok(StorageMatch::StorageHasNone { database })
    );

    let storage = InstallationId::new();
    let (_folder, another) = empty_storage();
    write(&another, ID_FILE, storage).await.unwrap();
    assert_eq!(
        identify(&fixture.store, &another, OriginalsPolicy::Kept).await,
        Ok(StorageMatch::Different { database, storage })
    );

    for wrong in [&empty, &another] {
        let blobs = checked(fixture, wrong);
        let away = |error: &PortError| matches!(error, PortError::Unavailable { service: "storage", .. });
        assert!(blobs.check().await.is_err_and(|error| away(&error)));
        assert!(blobs.get("a/file", 9).await.is_err_and(|error| away(&error)), "it is not called missing");
        assert!(blobs.get_range("a/file", 0..1).await.is_err_and(|error| away(&error)));
        assert!(blobs.put("b/file", b"x".to_vec()).await.is_err_and(|error| away(&error)));
        assert!(blobs.begin("b/file").await.is_err_and(|error| away(&error)));
        assert!(blobs.remove_folder("a").await.is_err_and(|error| away(&error)));
        assert!(blobs.put_new("b/file", b"x".to_vec()).await.is_err_and(|error| away(&error)));
        assert!(blobs.folders(None).await.is_err_and(|error| away(&error)));
        assert_eq!(wrong.folders(None).await.unwrap().names, [""; 0], "nothing was written");
    }
    let missing = checked(fixture, &right).get("a/other", 9).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
}

async fn an_interrupted_call_is_finished_by_the_next(fixture: &StoreFixture) {
    let (_folder, blobs) = empty_storage();
    let id = InstallationId::new();
    write(&blobs, PENDING_FILE, id).await.unwrap();
    assert_eq!(identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
    assert_eq!(fixture.store.installation.installation_id().await.unwrap(), Some(id));

    write(&blobs, PENDING_FILE, id).await.unwrap();
    blobs.remove(ID_FILE).await.unwrap();
    assert!(checked(fixture, &blobs).check().await.is_err(), "a pending id is not enough");
    assert_eq!(identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
    checked(fixture, &blobs).check().await.unwrap();
}

async fn a_database_without_an_id_takes_no_storage_of_another(fixture: &StoreFixture) {
    let (_folder, blobs) = empty_storage();
    let storage = InstallationId::new();
    write(&blobs, ID_FILE, storage).await.unwrap();
    assert_eq!(
        identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await,
        Err(IdentityError::StorageOfAnother { storage })
    );
    assert_eq!(fixture.store.installation.installation_id().await.unwrap(), None);
    assert!(checked(fixture, &blobs).check().await.is_err());
}

async fn a_database_from_before_gets_its_id_only_with_its_files(fixture: &StoreFixture) {
    let ((_right, right), (_empty, empty)) = (empty_storage(), empty_storage());
    add_document(fixture, &right).await;
    assert_eq!(
        identify(&fixture.store, &empty, OriginalsPolicy::Kept).await,
        Err(IdentityError::FilesElsewhere)
    );
    assert_eq!(fixture.store.installation.installation_id().await.unwrap(), None);
    assert_eq!(identify(&fixture.store, &right, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
}

async fn a_state_folder_from_before_gets_its_id_without_the_removed_originals(fixture: &StoreFixture) {
    let ((_before, before), (_state, state)) = (empty_storage(), empty_storage());
    add_document(fixture, &before).await;
    assert_eq!(identify(&fixture.store, &state, OriginalsPolicy::Removed).await, Ok(StorageMatch::Same));
}

async fn a_database_that_was_migrated_down_gets_its_id_back(fixture: &StoreFixture) {
    let (_folder, blobs) = empty_storage();
    identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await.unwrap();
    let id = fixture.store.installation.installation_id().await.unwrap().unwrap();
    let lose_id = async || fixture.sql.execute("DELETE FROM installation").await.unwrap();

    lose_id().await;
    release_storage_id(&blobs, InstallationId::new()).await.unwrap();
    assert_eq!(read(&blobs, ID_FILE).await.unwrap(), Some(id), "the storage of another is left alone");
    release_storage_id(&blobs, id).await.unwrap();
    assert_eq!(identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
    assert_eq!(fixture.store.installation.installation_id().await.unwrap(), Some(id));

    add_document(fixture, &blobs).await;
    lose_id().await;
    assert_eq!(
        identify(&fixture.store, &blobs, OriginalsPolicy::Kept).await,
        Ok(StorageMatch::Same),
        "its documents are there"
    );
    assert_eq!(fixture.store.installation.installation_id().await.unwrap(), Some(id));
}

/// How often a disk is mounted and unmounted.
const MOUNTS: usize = 2_000;

/// While a disk is mounted and unmounted, a call may find it or not, and must never mistake the empty folder below for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_comes_and_goes_is_never_mistaken_for_an_empty_one() {
    let fixture = quire_sqlite::testing::store_fixture().await;
    let ((disk, on_disk), (below, _)) = (empty_storage(), empty_storage());
    std::fs::remove_dir(below.path().join("~incoming")).unwrap();
    assert_eq!(identify(&fixture.store, &on_disk, OriginalsPolicy::Kept).await, Ok(StorageMatch::Same));
    on_disk.put("a/file", b"x".to_vec()).await.unwrap();

    let folder = tempfile::tempdir().unwrap();
    let (path, next) = (folder.path().join("documents"), folder.path().join("next"));
    std::os::unix::fs::symlink(disk.path(), &path).unwrap();
    let blobs = checked(&fixture, &DiskBlobs::open(&path).unwrap());
    blobs.check().await.unwrap();
    let mounting = std::thread::spawn(move || {
        for mount in 0..MOUNTS {
            let target = if mount.is_multiple_of(2) { below.path() } else { disk.path() };
            std::os::unix::fs::symlink(target, &next).unwrap();
            std::fs::rename(&next, &path).unwrap();
        }
        (below, disk)
    });
    let (mut found, mut stored) = (0, Vec::new());
    for number in 0.. {
        match blobs.get("a/file", 9).await {
            Ok(_) => found += 1,
            Err(error) => assert!(error.is_retryable(), "the file is not missing: {error}"),
        }
        let name = format!("b/{number}");
        if blobs.put(&name, b"y".to_vec()).await.is_ok() {
            stored.push(name);
        }
        if mounting.is_finished() {
            break;
        }
    }
    let (below, _disk) = mounting.join().unwrap();
    assert!(found > 0 && !stored.is_empty());
    assert_eq!(std::fs::read_dir(below.path()).unwrap().count(), 0, "nothing was written below the disk");
    for name in stored {
        assert_eq!(on_disk.get(&name, 9).await.unwrap(), b"y", "what was stored is on the disk");
    }
}

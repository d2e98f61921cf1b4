//! Tests that apply to disk storage only.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

use quire_ports::PortError;
use tempfile::TempDir;

use super::*;
use crate::blob::disk::temporary_file::{TEMPORARY_FOLDER, TemporaryFile};

fn open_storage() -> (DiskBlobs, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (DiskBlobs::open(folder.path().join("documents")).unwrap(), folder)
}

fn root(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("documents")
}

/// The number of temporary files.
fn temporary_files(folder: &TempDir) -> usize {
    fs::read_dir(root(folder).join(TEMPORARY_FOLDER)).unwrap().count()
}

fn assert_unavailable<T: std::fmt::Debug>(outcome: &PortResult<T>, folder: &Path) {
    let Err(error @ PortError::Unavailable { service: "storage", contention: false, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(!error.to_string().contains(folder.to_str().unwrap()), "the message contains a path: {error}");
}

#[tokio::test]
async fn files_have_their_names_as_paths_and_only_the_owner_can_read_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let (blobs, folder) = open_storage();
    blobs.put("0192/original.pdf", b"%PDF".to_vec()).await.unwrap();
    let path = root(&folder).join("0192/original.pdf");
    assert_eq!(fs::read(&path).unwrap(), b"%PDF");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o077, 0);
    assert_eq!(temporary_files(&folder), 0);
}

/// A temporary file with a part of its content.
fn partial_file(folder: &TempDir) -> TemporaryFile {
    let mut file = TemporaryFile::create(&FolderHandle::open_root(&root(folder)).unwrap()).unwrap();
    file.append(b"half").unwrap();
    file
}

/// Another process starts while this one writes.
#[tokio::test]
async fn a_temporary_file_is_invisible_and_survives_the_start_of_another_process() {
    let (blobs, folder) = open_storage();
    blobs.put("a/file", b"old".to_vec()).await.unwrap();
    let partial = partial_file(&folder);
    let reopened = DiskBlobs::open(root(&folder)).unwrap();
    assert_eq!(reopened.get("a/file", 100).await.unwrap(), b"old");
    assert!(!reopened.remove_folder("b").await.unwrap());
    assert_eq!(temporary_files(&folder), 1, "its writer is alive");
    partial
        .finish(&FolderHandle::open_root(&root(&folder)).unwrap(), &BlobName::parse("a/file").unwrap())
        .unwrap();
    assert_eq!(reopened.get("a/file", 100).await.unwrap(), b"half");
}

/// Proves R051 for the temporary files of a killed process: their locks are released.
#[test]
fn temporary_files_of_a_dead_process_are_removed_at_the_next_start() {
    let (_, folder) = open_storage();
    let path = root(&folder).join(TEMPORARY_FOLDER);
    for name in ["one", "another"] {
        fs::write(path.join(name), b"half").unwrap();
    }
    let partial = partial_file(&folder);
    DiskBlobs::open(root(&folder)).unwrap();
    assert_eq!(temporary_files(&folder), 1, "only the file that is being written");
    drop(partial);
    assert_eq!(temporary_files(&folder), 0);
}

#[test]
fn dropping_an_unfinished_file_removes_its_temporary_file() {
    let (blobs, folder) = open_storage();
    drop(partial_file(&folder));
    assert_eq!(temporary_files(&folder), 0);

    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut writer = blobs.begin("a/file").await.unwrap();
        writer.write(&vec![1; 1_000_000]).await.unwrap();
        assert_eq!(temporary_files(&folder), 1, "larger than the buffer");
        drop(writer);
    });
    // Dropping the runtime waits for its blocking threads.
    drop(runtime);
    assert_eq!(temporary_files(&folder), 0);
}

/// A small file is written once. A large one never needs more memory than the buffer.
#[tokio::test]
async fn the_buffer_in_memory_is_limited() {
    let (blobs, folder) = open_storage();
    let mut writer = blobs.begin("a/file").await.unwrap();
    writer.write(&vec![1; 100_000]).await.unwrap();
    assert_eq!(temporary_files(&folder), 0, "smaller than the buffer");
    for _ in 0..50 {
        writer.write(&vec![1; 100_000]).await.unwrap();
    }
    let entry = fs::read_dir(root(&folder).join(TEMPORARY_FOLDER)).unwrap().next().unwrap().unwrap();
    assert!(entry.metadata().unwrap().len() > 4_500_000);
    writer.finish().await.unwrap();
    assert_eq!(blobs.get("a/file", 10_000_000).await.unwrap().len(), 5_100_000);
    assert_eq!(temporary_files(&folder), 0);
}

#[tokio::test]
async fn a_file_with_a_failed_write_never_gets_a_name() {
    let (blobs, folder) = open_storage();
    let mut writer = blobs.begin("a/file").await.unwrap();
    fs::rename(root(&folder), folder.path().join("elsewhere")).unwrap();
    assert_unavailable(&writer.write(&vec![1; 1_000_000]).await, folder.path());
    fs::rename(folder.path().join("elsewhere"), root(&folder)).unwrap();
    assert_unavailable(&writer.write(b"more").await, folder.path());
    assert_unavailable(&writer.finish().await, folder.path());
    assert!(matches!(blobs.get("a/file", 100).await, Err(PortError::NotFound(_))));
    assert_eq!(temporary_files(&folder), 0);
}

#[tokio::test]
async fn a_file_and_a_folder_cannot_share_a_name() {
    let (blobs, folder) = open_storage();
    blobs.put("a/file", b"x".to_vec()).await.unwrap();
    for name in ["a", "a/file/below"] {
        let put = blobs.put(name, b"y".to_vec()).await;
        assert!(matches!(put, Err(PortError::Conflict(_))), "{name}: {put:?}");
    }
    assert_eq!(blobs.get("a/file", 100).await.unwrap(), b"x");
    assert_eq!(temporary_files(&folder), 0);
}

/// `/dev/full` behaves like a full disk.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported() {
    let (_, folder) = open_storage();
    let mut file = TemporaryFile::create(&FolderHandle::open_root(&root(&folder)).unwrap()).unwrap();
    file.file.0 = fs::File::options().write(true).open("/dev/full").unwrap();
    let outcome = file.append(b"x");
    assert_eq!(outcome, Err(PortError::Full { service: "storage" }));
}

/// Root may write anywhere, so the thread of this test drops that capability. It applies to the thread only.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_without_write_permission_is_unavailable() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_, folder) = open_storage();
    let path = root(&folder);
    fs::set_permissions(path.join(TEMPORARY_FOLDER), fs::Permissions::from_mode(0o555)).unwrap();
    let tried = std::thread::spawn(move || {
        let mut mine = rustix::thread::capabilities(None).unwrap();
        mine.effective.remove(rustix::thread::CapabilitySet::DAC_OVERRIDE);
        rustix::thread::set_capabilities(None, mine).unwrap();
        temporary_file::put(
            &FolderHandle::open_root(&path).unwrap(),
            &BlobName::parse("a/file").unwrap(),
            b"x",
        )
    });
    let outcome = tried.join().unwrap();
    assert_unavailable(&outcome, folder.path());
    assert!(outcome.unwrap_err().to_string().contains("no permission"));
}

#[tokio::test]
async fn a_missing_root_is_unavailable_and_not_a_missing_file() {
    let (blobs, folder) = open_storage();
    blobs.put("a/file", b"x".to_vec()).await.unwrap();
    fs::rename(root(&folder), folder.path().join("elsewhere")).unwrap();
    assert_unavailable(&blobs.get("a/file", 100).await, folder.path());
    assert_unavailable(&blobs.put("a/file", b"y".to_vec()).await, folder.path());
    assert_unavailable(&blobs.remove_folder("a").await, folder.path());
    fs::rename(folder.path().join("elsewhere"), root(&folder)).unwrap();
    assert_eq!(blobs.get("a/file", 100).await.unwrap(), b"x");
}

#[test]
fn a_root_that_cannot_be_created_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"").unwrap();
    assert_unavailable(&DiskBlobs::open(folder.path().join("file/documents")), folder.path());
    assert_unavailable(&DiskBlobs::open(folder.path().join("file")), folder.path());
}

/// Files outside of the root are neither changed nor read.
#[tokio::test]
async fn a_link_is_never_followed() {
    let (blobs, folder) = open_storage();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), b"secret").unwrap();
    blobs.put("a/file", b"x".to_vec()).await.unwrap();
    symlink(&outside, root(&folder).join("linked")).unwrap();
    symlink(&outside, root(&folder).join("a/linked")).unwrap();
    symlink(outside.join("file"), root(&folder).join("a/link")).unwrap();

    for name in ["linked/file", "a/linked/file", "a/link"] {
        let got = blobs.get(name, 100).await;
        assert!(matches!(got, Err(PortError::NotFound(_))), "{name}: {got:?}");
    }
    let put = blobs.put("linked/new", b"y".to_vec()).await;
    assert!(matches!(put, Err(PortError::Conflict(_))), "{put:?}");
    assert!(!blobs.remove_folder("linked").await.unwrap());
    assert!(!blobs.remove_folder("linked/sub").await.unwrap());
    blobs.put("a/link", b"mine".to_vec()).await.unwrap();
    assert_eq!(blobs.get("a/link", 100).await.unwrap(), b"mine");
    assert!(blobs.remove_folder("a").await.unwrap());

    assert!(!root(&folder).join("a").exists());
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

/// A link in place of the temporary folder does not lead to other files being removed.
#[test]
fn leftovers_behind_a_link_are_not_removed() {
    let (_, folder) = open_storage();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let file = fs::File::create(outside.join("old")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(100_000)).unwrap();
    fs::remove_dir(root(&folder).join(TEMPORARY_FOLDER)).unwrap();
    symlink(&outside, root(&folder).join(TEMPORARY_FOLDER)).unwrap();
    assert_unavailable(&DiskBlobs::open(root(&folder)), folder.path());
    assert!(outside.join("old").exists());
}

#[tokio::test]
async fn a_named_pipe_does_not_block_the_reader() {
    let (blobs, folder) = open_storage();
    blobs.put("a/file", b"x".to_vec()).await.unwrap();
    let pipe = root(&folder).join("a/pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(matches!(blobs.get("a/pipe", 100).await, Err(PortError::NotFound(_))));
    assert!(blobs.remove_folder("a").await.unwrap());
}

#[test]
fn missing_parents_of_the_root_are_created() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("not/there/yet");
    DiskBlobs::open(&deep).unwrap();
    assert!(deep.join(TEMPORARY_FOLDER).is_dir());
}

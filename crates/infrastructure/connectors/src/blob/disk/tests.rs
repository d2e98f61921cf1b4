//! What is true of a disk alone.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

use quire_ports::PortError;
use tempfile::TempDir;

use super::*;
use crate::blob::disk::write::{INCOMING, Incoming};

fn disk() -> (DiskBlobs, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (DiskBlobs::open(folder.path().join("documents")).unwrap(), folder)
}

fn root(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("documents")
}

/// How many files there are that nobody can name.
fn incoming(folder: &TempDir) -> usize {
    fs::read_dir(root(folder).join(INCOMING)).unwrap().count()
}

fn assert_unavailable<T: std::fmt::Debug>(outcome: &PortResult<T>, folder: &Path) {
    let Err(error @ PortError::Unavailable { service: "storage", contention: false, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(!error.to_string().contains(folder.to_str().unwrap()), "a path in: {error}");
}

#[tokio::test]
async fn files_are_where_their_names_say_and_only_their_owner_reads_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let (blobs, folder) = disk();
    blobs.put("0192/original.pdf", b"%PDF".to_vec()).await.unwrap();
    let path = root(&folder).join("0192/original.pdf");
    assert_eq!(fs::read(&path).unwrap(), b"%PDF");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o077, 0);
    assert_eq!(incoming(&folder), 0);
}

fn half_a_file(folder: &TempDir) -> Incoming {
    let mut incoming = Incoming::begin(&Folder::root(&root(folder)).unwrap()).unwrap();
    incoming.append(b"half").unwrap();
    incoming
}

/// As another process does that starts while this one writes.
#[tokio::test]
async fn a_file_that_was_not_moved_to_its_name_is_seen_by_nobody_and_left_to_its_writer() {
    let (blobs, folder) = disk();
    blobs.put("a/file", b"old".to_vec()).await.unwrap();
    let writing = half_a_file(&folder);
    let again = DiskBlobs::open(root(&folder)).unwrap();
    assert_eq!(again.get("a/file", 100).await.unwrap(), b"old");
    assert!(!again.remove_folder("b").await.unwrap());
    assert_eq!(incoming(&folder), 1, "its writer lives");
    writing.finish(&Folder::root(&root(&folder)).unwrap(), &Name::parse("a/file").unwrap()).unwrap();
    assert_eq!(again.get("a/file", 100).await.unwrap(), b"half");
}

/// Proves R051 for what a killed process left: nobody holds its lock.
#[test]
fn what_a_dead_process_left_is_removed_at_the_next_start_however_young_it_is() {
    let (_, folder) = disk();
    let place = root(&folder).join(INCOMING);
    for name in ["one", "another"] {
        fs::write(place.join(name), b"half").unwrap();
    }
    let writing = half_a_file(&folder);
    DiskBlobs::open(root(&folder)).unwrap();
    assert_eq!(incoming(&folder), 1, "only what is being written");
    drop(writing);
    assert_eq!(incoming(&folder), 0);
}

#[test]
fn a_file_that_is_given_up_leaves_nothing_behind() {
    let (blobs, folder) = disk();
    drop(half_a_file(&folder));
    assert_eq!(incoming(&folder), 0);

    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut coming = blobs.begin().await.unwrap();
        coming.write(&vec![1; 1_000_000]).await.unwrap();
        assert_eq!(incoming(&folder), 1, "large enough to be on the disk");
        drop(coming);
    });
    // Its last act is to have done, or to drop, what was handed to other threads.
    drop(runtime);
    assert_eq!(incoming(&folder), 0);
}

/// Small files make one trip to the disk, and memory holds no more than the limit of what comes in.
#[tokio::test]
async fn what_is_gathered_in_memory_is_bounded() {
    let (blobs, folder) = disk();
    let mut coming = blobs.begin().await.unwrap();
    coming.write(&vec![1; 100_000]).await.unwrap();
    assert_eq!(incoming(&folder), 0, "not worth a trip yet");
    for _ in 0..50 {
        coming.write(&vec![1; 100_000]).await.unwrap();
    }
    let entry = fs::read_dir(root(&folder).join(INCOMING)).unwrap().next().unwrap().unwrap();
    assert!(entry.metadata().unwrap().len() > 4_500_000);
    coming.finish("a/file").await.unwrap();
    assert_eq!(blobs.get("a/file", 10_000_000).await.unwrap().len(), 5_100_000);
    assert_eq!(incoming(&folder), 0);
}

#[tokio::test]
async fn after_a_write_that_failed_nothing_gets_a_name() {
    let (blobs, folder) = disk();
    let mut coming = blobs.begin().await.unwrap();
    fs::rename(root(&folder), folder.path().join("elsewhere")).unwrap();
    assert_unavailable(&coming.write(&vec![1; 1_000_000]).await, folder.path());
    fs::rename(folder.path().join("elsewhere"), root(&folder)).unwrap();
    assert_unavailable(&coming.write(b"more").await, folder.path());
    assert_unavailable(&coming.finish("a/file").await, folder.path());
    assert!(matches!(blobs.get("a/file", 100).await, Err(PortError::NotFound(_))));
    assert_eq!(incoming(&folder), 0);
}

#[tokio::test]
async fn a_file_and_a_folder_cannot_share_a_name() {
    let (blobs, folder) = disk();
    blobs.put("a/file", b"x".to_vec()).await.unwrap();
    for name in ["a", "a/file/below"] {
        let put = blobs.put(name, b"y".to_vec()).await;
        assert!(matches!(put, Err(PortError::Conflict(_))), "{name}: {put:?}");
    }
    assert_eq!(blobs.get("a/file", 100).await.unwrap(), b"x");
    assert_eq!(incoming(&folder), 0);
}

/// A device that is always full answers as a full disk does.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_to_be_full() {
    let (_, folder) = disk();
    let mut incoming = Incoming::begin(&Folder::root(&root(&folder)).unwrap()).unwrap();
    incoming.file = fs::File::options().write(true).open("/dev/full").unwrap();
    let outcome = incoming.append(b"x");
    assert_unavailable(&outcome, Path::new("/dev"));
    assert!(outcome.unwrap_err().to_string().contains("the disk is full"));
}

/// Root may write anywhere, so the thread that tries gives up that right. It is a thread's own and ends with it.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_cannot_be_written_is_unavailable() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_, folder) = disk();
    let place = root(&folder);
    fs::set_permissions(place.join(INCOMING), fs::Permissions::from_mode(0o555)).unwrap();
    let tried = std::thread::spawn(move || {
        let mut mine = rustix::thread::capabilities(None).unwrap();
        mine.effective.remove(rustix::thread::CapabilitySet::DAC_OVERRIDE);
        rustix::thread::set_capabilities(None, mine).unwrap();
        write::put(&Folder::root(&place).unwrap(), &Name::parse("a/file").unwrap(), b"x")
    });
    let outcome = tried.join().unwrap();
    assert_unavailable(&outcome, folder.path());
    assert!(outcome.unwrap_err().to_string().contains("cannot be read or written"));
}

#[tokio::test]
async fn a_root_that_is_gone_is_trouble_and_not_a_missing_file() {
    let (blobs, folder) = disk();
    blobs.put("a/file", b"x".to_vec()).await.unwrap();
    fs::rename(root(&folder), folder.path().join("elsewhere")).unwrap();
    assert_unavailable(&blobs.get("a/file", 100).await, folder.path());
    assert_unavailable(&blobs.put("a/file", b"y".to_vec()).await, folder.path());
    assert_unavailable(&blobs.remove_folder("a").await, folder.path());
    fs::rename(folder.path().join("elsewhere"), root(&folder)).unwrap();
    assert_eq!(blobs.get("a/file", 100).await.unwrap(), b"x");
}

#[test]
fn a_root_that_cannot_be_made_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"").unwrap();
    assert_unavailable(&DiskBlobs::open(folder.path().join("file/documents")), folder.path());
    assert_unavailable(&DiskBlobs::open(folder.path().join("file")), folder.path());
}

/// Everything outside stays as it was, and nothing of it is read.
#[tokio::test]
async fn a_link_is_never_followed() {
    let (blobs, folder) = disk();
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

/// Nor are old files removed through a link where new ones should be.
#[test]
fn leftovers_are_not_looked_for_behind_a_link() {
    let (_, folder) = disk();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let file = fs::File::create(outside.join("old")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(100_000)).unwrap();
    fs::remove_dir(root(&folder).join(INCOMING)).unwrap();
    symlink(&outside, root(&folder).join(INCOMING)).unwrap();
    assert_unavailable(&DiskBlobs::open(root(&folder)), folder.path());
    assert!(outside.join("old").exists());
}

#[tokio::test]
async fn a_pipe_in_the_place_of_a_file_keeps_nobody_waiting() {
    let (blobs, folder) = disk();
    blobs.put("a/file", b"x".to_vec()).await.unwrap();
    let pipe = root(&folder).join("a/pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(matches!(blobs.get("a/pipe", 100).await, Err(PortError::NotFound(_))));
    assert!(blobs.remove_folder("a").await.unwrap());
}

#[test]
fn a_root_is_made_with_everything_above_it() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("not/there/yet");
    DiskBlobs::open(&deep).unwrap();
    assert!(deep.join(INCOMING).is_dir());
}

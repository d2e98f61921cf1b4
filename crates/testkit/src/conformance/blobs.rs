//! The promises of every blob store.
//!
//! A blob store calls [`blobs_conformance!`](crate::blobs_conformance) once, with a function that returns a
//! [`BlobStoreFixture`] on an empty store. The macro makes one test for each case.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use quire_ports::{BlobFile, BlobStore, FolderPage, PortError};

/// An empty blob store.
pub struct BlobStoreFixture {
    /// The blob store under test.
    pub blobs: Arc<dyn BlobStore>,
    /// Dropped with the fixture: a temporary folder, a container.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// Makes one test for each case of a blob store. `$fixture` is the path of a function that returns a fixture.
#[macro_export]
macro_rules! blobs_conformance {
    ($fixture:path) => {
        $crate::conformance_cases! { $fixture, blobs:
            get_returns_what_was_put,
            a_file_may_be_empty,
            a_put_replaces_the_file,
            readers_see_the_old_or_the_new_file_and_never_a_mix,
            concurrent_puts_leave_one_complete_file,
            a_missing_file_is_reported_as_not_found_by_name,
            an_invalid_name_is_refused_by_every_method,
            the_longest_allowed_names_work,
            a_file_larger_than_the_limit_is_refused,
            a_range_returns_only_its_bytes,
            a_range_beyond_the_end_is_reported_as_corrupt,
            removing_a_folder_removes_everything_below_it_and_nothing_beside_it,
            removing_a_missing_folder_removes_nothing,
            a_removed_folder_can_be_used_again,
            puts_during_a_folder_removal_are_complete_or_gone,
            a_file_written_in_pieces_equals_a_file_put_whole,
            an_unfinished_file_is_not_visible,
            an_abandoned_file_leaves_nothing_behind,
            files_written_concurrently_do_not_mix,
            removing_a_file_removes_the_folders_it_leaves_empty,
            removing_a_missing_file_removes_nothing,
            the_files_of_a_folder_are_listed_with_their_sizes,
            the_top_folders_are_listed_with_the_time_of_their_last_file,
            a_new_file_never_replaces_another,
        }
        $crate::conformance_cases! { $fixture, large_blobs:
            of_sixteen_new_files_of_one_name_one_is_written,
            a_large_file_arrives_as_it_was_sent,
            of_large_files_of_one_name_at_once_a_complete_one_remains,
            an_abandoned_large_file_leaves_nothing_behind,
            a_folder_of_many_files_is_removed_whole,
            every_folder_is_listed_once,
        }
    };
}

/// A size limit larger than every file in these cases.
const NO_LIMIT: u64 = 1 << 24;

/// Every byte value and every allowed name works.
pub async fn get_returns_what_was_put(fixture: &BlobStoreFixture) {
    let every_byte: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    for name in
        ["alone", "0192-ab/original.pdf", "0192-ab/runs/7_x/raw-text.txt", "0192-ab/..odd..", ".hidden"]
    {
        fixture.blobs.put(name, every_byte.clone()).await.unwrap();
        assert!(fixture.blobs.get(name, NO_LIMIT).await.unwrap() == every_byte, "{name}");
    }
}

/// An empty file exists like any other.
pub async fn a_file_may_be_empty(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/empty", Vec::new()).await.unwrap();
    assert_eq!(fixture.blobs.get("a/empty", 0).await.unwrap(), b"");
    assert_eq!(fixture.blobs.get_range("a/empty", 0..0).await.unwrap(), b"");
    assert!(fixture.blobs.remove_folder("a").await.unwrap());
}

/// Nothing of the old file remains, whether the new one is shorter or longer.
pub async fn a_put_replaces_the_file(fixture: &BlobStoreFixture) {
    for content in [&b"first and long"[..], b"short", b"third and longer still"] {
        fixture.blobs.put("a/file", content.to_vec()).await.unwrap();
        assert_eq!(fixture.blobs.get("a/file", NO_LIMIT).await.unwrap(), content);
    }
}

/// A file of one repeated byte. Its length depends on the byte, so that a mix of two files is noticed.
fn uniform(byte: u8) -> Vec<u8> {
    vec![byte; 50_000 + usize::from(byte) * 1_000]
}

fn assert_uniform(content: &[u8]) {
    let first = *content.first().expect("the file is not empty");
    assert!(content == uniform(first), "a mixed or partial file of {} bytes", content.len());
}

/// A reader during a write gets one of the two files, complete.
pub async fn readers_see_the_old_or_the_new_file_and_never_a_mix(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", uniform(0)).await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (blobs, done) = (fixture.blobs.clone(), done.clone());
            tokio::spawn(async move {
                // Read at least once after the last write.
                loop {
                    let last = done.load(Ordering::SeqCst);
                    assert_uniform(&blobs.get("a/file", NO_LIMIT).await.unwrap());
                    if last {
                        break;
                    }
                }
            })
        })
        .collect();
    for byte in 1..=40 {
        fixture.blobs.put("a/file", uniform(byte)).await.unwrap();
    }
    done.store(true, Ordering::SeqCst);
    for reader in readers {
        reader.await.unwrap();
    }
    assert!(fixture.blobs.get("a/file", NO_LIMIT).await.unwrap() == uniform(40), "the last write remains");
}

/// One of several concurrent puts wins.
pub async fn concurrent_puts_leave_one_complete_file(fixture: &BlobStoreFixture) {
    let writers: Vec<_> = (0..8)
        .map(|byte| {
            let blobs = fixture.blobs.clone();
            tokio::spawn(async move { blobs.put("new/folder/file", uniform(byte)).await })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap().unwrap();
    }
    assert_uniform(&fixture.blobs.get("new/folder/file", NO_LIMIT).await.unwrap());
}

/// A folder is not a file, and a file is not a folder.
pub async fn a_missing_file_is_reported_as_not_found_by_name(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"x".to_vec()).await.unwrap();
    for name in ["b", "a/other", "a", "a/file/below", "no/such/folder"] {
        let got = fixture.blobs.get(name, NO_LIMIT).await;
        assert!(matches!(&got, Err(PortError::NotFound(what)) if what.ends_with(name)), "{name}: {got:?}");
        let range = fixture.blobs.get_range(name, 0..1).await;
        assert!(
            matches!(&range, Err(PortError::NotFound(what)) if what.ends_with(name)),
            "{name}: {range:?}"
        );
    }
}

/// Proves R076: no name leads out of the store or has two meanings.
pub async fn an_invalid_name_is_refused_by_every_method(fixture: &BlobStoreFixture) {
    let too_long_a_part = "x".repeat(256);
    let too_long = ["x".repeat(200).as_str(); 6].join("/");
    let refused = [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "./a",
        "a/.",
        "../a",
        "a/../b",
        "a/..",
        "a\\b",
        "..\\a",
        "a b",
        "a\0",
        "a\n",
        "é",
        "a:b",
        "~incoming",
        "~incoming/a",
        "C:a",
        "a*",
        "%2e%2e/a",
        &too_long_a_part,
        &too_long,
    ];
    for name in refused {
        let put = fixture.blobs.put(name, b"x".to_vec()).await;
        let got = fixture.blobs.get(name, NO_LIMIT).await.map(drop);
        let range = fixture.blobs.get_range(name, 0..1).await.map(drop);
        let received = fixture.blobs.begin(name).await.map(drop);
        let put_new = fixture.blobs.put_new(name, b"x".to_vec()).await.map(drop);
        let removed = fixture.blobs.remove(name).await.map(drop);
        let folder_removed = fixture.blobs.remove_folder(name).await.map(drop);
        for outcome in [put, put_new, got, range, received, removed, folder_removed] {
            assert!(matches!(outcome, Err(PortError::Conflict(_))), "{name:?}: {outcome:?}");
        }
    }
}

/// Names at the limit of length work with every method.
pub async fn the_longest_allowed_names_work(fixture: &BlobStoreFixture) {
    let part = "x".repeat(255);
    let name = [part.as_str(); 4].join("/");
    assert_eq!(name.len(), 1023);
    fixture.blobs.put(&name, b"deep".to_vec()).await.unwrap();
    assert_eq!(fixture.blobs.get(&name, NO_LIMIT).await.unwrap(), b"deep");
    assert!(fixture.blobs.remove_folder(&part).await.unwrap());
    assert!(fixture.blobs.get(&name, NO_LIMIT).await.is_err());
}

/// A file of exactly the limit is allowed.
pub async fn a_file_larger_than_the_limit_is_refused(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"12345".to_vec()).await.unwrap();
    assert_eq!(fixture.blobs.get("a/file", 5).await.unwrap(), b"12345");
    assert_eq!(fixture.blobs.get("a/file", u64::MAX).await.unwrap(), b"12345");
    for limit in [0, 4] {
        let got = fixture.blobs.get("a/file", limit).await;
        assert!(matches!(got, Err(PortError::Conflict(_))), "{limit}: {got:?}");
    }
}

/// A range may begin and end anywhere in the file.
pub async fn a_range_returns_only_its_bytes(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"0123456789".to_vec()).await.unwrap();
    for (range, expected) in
        [(0..10, &b"0123456789"[..]), (3..7, b"3456"), (9..10, b"9"), (4..4, b""), (10..10, b"")]
    {
        assert_eq!(fixture.blobs.get_range("a/file", range).await.unwrap(), expected);
    }
}

/// The first one stays, whatever the others contain.
pub async fn a_new_file_never_replaces_another(fixture: &BlobStoreFixture) {
    assert!(fixture.blobs.put_new("a/file", b"first".to_vec()).await.unwrap());
    assert!(!fixture.blobs.put_new("a/file", b"second".to_vec()).await.unwrap());
    assert_eq!(fixture.blobs.get("a/file", NO_LIMIT).await.unwrap(), b"first");
    assert!(fixture.blobs.remove("a/file").await.unwrap());
    assert!(fixture.blobs.put_new("a/file", b"third".to_vec()).await.unwrap());
    assert_eq!(fixture.blobs.get("a/file", NO_LIMIT).await.unwrap(), b"third");
}

/// The caller knows the length of the file, so a shorter file is corrupt.
pub async fn a_range_beyond_the_end_is_reported_as_corrupt(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"0123456789".to_vec()).await.unwrap();
    for range in [0..11, 9..20, 10..11, 50..60, 0..u64::MAX, u64::MAX - 1..u64::MAX] {
        let got = fixture.blobs.get_range("a/file", range.clone()).await;
        assert!(matches!(got, Err(PortError::Corrupt(_))), "{range:?}: {got:?}");
    }
    #[allow(clippy::reversed_empty_ranges)] // The case tests a reversed range.
    let backwards = fixture.blobs.get_range("a/file", 7..3).await;
    assert!(matches!(backwards, Err(PortError::Conflict(_))), "{backwards:?}");
}

/// Proves that purging one subject cannot touch another.
pub async fn removing_a_folder_removes_everything_below_it_and_nothing_beside_it(fixture: &BlobStoreFixture) {
    let removed = ["a/b/file", "a/b/c/file", "a/b/c/d/e/file"];
    let kept = ["a/bc/file", "a/b.txt", "a/file", "b/file", "a/a/b/file", "ab"];
    for name in removed.iter().chain(&kept) {
        fixture.blobs.put(name, name.as_bytes().to_vec()).await.unwrap();
    }
    assert!(fixture.blobs.remove_folder("a/b").await.unwrap());
    for name in removed {
        assert!(matches!(fixture.blobs.get(name, NO_LIMIT).await, Err(PortError::NotFound(_))), "{name}");
    }
    for name in kept {
        assert_eq!(fixture.blobs.get(name, NO_LIMIT).await.unwrap(), name.as_bytes());
    }
}

/// A second removal reports that nothing was there. A file is not a folder.
pub async fn removing_a_missing_folder_removes_nothing(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"x".to_vec()).await.unwrap();
    for folder in ["b", "a/b", "a/file", "a/file/c", "a/fil"] {
        assert!(!fixture.blobs.remove_folder(folder).await.unwrap(), "{folder}");
    }
    assert_eq!(fixture.blobs.get("a/file", NO_LIMIT).await.unwrap(), b"x");
    assert!(fixture.blobs.remove_folder("a").await.unwrap());
    assert!(!fixture.blobs.remove_folder("a").await.unwrap());
}

/// The names in a removed folder are free again.
pub async fn a_removed_folder_can_be_used_again(fixture: &BlobStoreFixture) {
    for content in [&b"one"[..], b"two"] {
        fixture.blobs.put("a/b/file", content.to_vec()).await.unwrap();
        assert_eq!(fixture.blobs.get("a/b/file", NO_LIMIT).await.unwrap(), content);
        assert!(fixture.blobs.remove_folder("a").await.unwrap());
    }
}

/// A put that succeeded has written a complete file, which the removal may delete.
pub async fn puts_during_a_folder_removal_are_complete_or_gone(fixture: &BlobStoreFixture) {
    let done = Arc::new(AtomicBool::new(false));
    let remover = {
        let (blobs, done) = (fixture.blobs.clone(), done.clone());
        tokio::spawn(async move {
            while !done.load(Ordering::SeqCst) {
                blobs.remove_folder("a").await.unwrap();
            }
        })
    };
    for byte in 0..30 {
        fixture.blobs.put("a/b/c/file", uniform(byte)).await.unwrap();
        match fixture.blobs.get("a/b/c/file", NO_LIMIT).await {
            Ok(content) => assert_uniform(&content),
            Err(error) => assert!(matches!(error, PortError::NotFound(_)), "{error:?}"),
        }
    }
    done.store(true, Ordering::SeqCst);
    remover.await.unwrap();
    fixture.blobs.put("a/b/c/file", uniform(99)).await.unwrap();
    assert_uniform(&fixture.blobs.get("a/b/c/file", NO_LIMIT).await.unwrap());
}

/// The sizes of the pieces do not matter, and the file may be empty.
pub async fn a_file_written_in_pieces_equals_a_file_put_whole(fixture: &BlobStoreFixture) {
    let content: Vec<u8> = (0..=255).cycle().take(1_500_000).collect();
    for (length, piece) in [(0, 1), (1, 1), (300_000, 77), (1_500_000, 65_536), (1_500_000, 1_500_000)] {
        let content = &content[..length];
        // The first round creates the file, the second replaces it.
        for name in ["folder/file", "folder/file", "alone"] {
            let mut incoming = fixture.blobs.begin(name).await.unwrap();
            for piece in content.chunks(piece) {
                incoming.write(piece).await.unwrap();
            }
            incoming.finish().await.unwrap();
            assert!(fixture.blobs.get(name, NO_LIMIT).await.unwrap() == content, "{length} bytes by {piece}");
        }
    }
}

/// Proves R051: until the new file is finished, its name shows the old one.
pub async fn an_unfinished_file_is_not_visible(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/old", uniform(1)).await.unwrap();
    let mut replacing = fixture.blobs.begin("a/old").await.unwrap();
    let mut new = fixture.blobs.begin("b/new").await.unwrap();
    for half in uniform(9).chunks(uniform(9).len() / 2 + 1) {
        replacing.write(half).await.unwrap();
        new.write(half).await.unwrap();
        assert!(fixture.blobs.get("a/old", NO_LIMIT).await.unwrap() == uniform(1));
        assert!(matches!(fixture.blobs.get("b/new", NO_LIMIT).await, Err(PortError::NotFound(_))));
        assert!(!fixture.blobs.remove_folder("b").await.unwrap());
    }
    replacing.finish().await.unwrap();
    new.finish().await.unwrap();
    for name in ["a/old", "b/new"] {
        assert!(fixture.blobs.get(name, NO_LIMIT).await.unwrap() == uniform(9), "{name}");
    }
}

/// A writer that is dropped changes nothing.
pub async fn an_abandoned_file_leaves_nothing_behind(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", uniform(1)).await.unwrap();
    let mut dropped = fixture.blobs.begin("a/file").await.unwrap();
    dropped.write(&vec![7; 1_000_000]).await.unwrap();
    drop(dropped);
    assert!(fixture.blobs.get("a/file", NO_LIMIT).await.unwrap() == uniform(1));
    assert!(fixture.blobs.remove_folder("a").await.unwrap());
    assert_eq!(fixture.blobs.folders(None).await.unwrap().names, [""; 0]);
}

/// Concurrent writers do not mix their bytes.
pub async fn files_written_concurrently_do_not_mix(fixture: &BlobStoreFixture) {
    let mut all = Vec::new();
    for byte in 0..8 {
        all.push(fixture.blobs.begin(&format!("each/{byte}")).await.unwrap());
    }
    for _ in 0..10 {
        for (byte, incoming) in (0..).zip(&mut all) {
            incoming.write(&vec![byte; 30_000]).await.unwrap();
        }
    }
    for incoming in all {
        incoming.finish().await.unwrap();
    }
    for byte in 0..8_u8 {
        let content = fixture.blobs.get(&format!("each/{byte}"), NO_LIMIT).await.unwrap();
        assert!(content == vec![byte; 300_000], "{byte}");
    }
}

/// Other files stay, and so do the folders that contain them.
pub async fn removing_a_file_removes_the_folders_it_leaves_empty(fixture: &BlobStoreFixture) {
    for name in ["a/b/c/file", "a/beside", "alone"] {
        fixture.blobs.put(name, b"x".to_vec()).await.unwrap();
        assert_eq!(fixture.blobs.get(name, NO_LIMIT).await.unwrap(), b"x");
    }
    assert!(fixture.blobs.remove("a/b/c/file").await.unwrap());
    assert!(fixture.blobs.remove("alone").await.unwrap());
    for name in ["a/b/c/file", "alone"] {
        assert!(matches!(fixture.blobs.get(name, NO_LIMIT).await, Err(PortError::NotFound(_))), "{name}");
        assert!(!fixture.blobs.remove(name).await.unwrap(), "{name}");
    }
    assert_eq!(fixture.blobs.get("a/beside", NO_LIMIT).await.unwrap(), b"x");
    // The name of a removed folder can become a file.
    fixture.blobs.put("a/b", b"y".to_vec()).await.unwrap();
    assert_eq!(fixture.blobs.get("a/b", NO_LIMIT).await.unwrap(), b"y");
}

/// A folder is not a file.
pub async fn removing_a_missing_file_removes_nothing(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/b/file", b"x".to_vec()).await.unwrap();
    for name in ["a", "a/b", "a/b/other", "a/b/file/below", "c", "c/d"] {
        assert!(!fixture.blobs.remove(name).await.unwrap(), "{name}");
    }
    assert_eq!(fixture.blobs.get("a/b/file", NO_LIMIT).await.unwrap(), b"x");
}

/// The files of a folder are listed with their sizes, those of its subfolders too, and no others.
pub async fn the_files_of_a_folder_are_listed_with_their_sizes(fixture: &BlobStoreFixture) {
    let blobs = &fixture.blobs;
    for (name, bytes) in [("top", 1), ("a/one", 2), ("a/deep/er/two", 3), ("ab/three", 4)] {
        blobs.put(name, vec![b'x'; bytes]).await.unwrap();
    }
    let mut files = blobs.files("a").await.unwrap();
    files.sort();
    let file = |name: &str, bytes| BlobFile { name: name.to_owned(), bytes };
    assert_eq!(files, [file("a/deep/er/two", 3), file("a/one", 2)]);
    assert_eq!(blobs.files("a/deep").await.unwrap(), [file("a/deep/er/two", 3)]);
    for none in ["top", "missing", "a/one"] {
        assert_eq!(blobs.files(none).await.unwrap(), [], "{none}");
    }
    assert!(matches!(blobs.files("../a").await, Err(PortError::Conflict(_))));
}

/// Files at the top and unfinished files are not listed. A folder is as new as its newest file.
pub async fn the_top_folders_are_listed_with_the_time_of_their_last_file(fixture: &BlobStoreFixture) {
    let blobs = &fixture.blobs;
    blobs.check().await.unwrap();
    assert_eq!(blobs.folders(None).await.unwrap(), FolderPage::default());
    let before = Timestamp::now().as_second();
    let mut unfinished = blobs.begin("c/unfinished").await.unwrap();
    unfinished.write(&vec![1; 1 << 20]).await.unwrap();
    for name in ["top", "a/one", "a/deep/er/two", "b/three"] {
        blobs.put(name, b"x".to_vec()).await.unwrap();
    }
    let mut folders = blobs.folders(None).await.unwrap().names;
    folders.sort();
    assert_eq!(folders, ["a", "b"]);
    let deep = blobs.last_written("a/deep").await.unwrap();
    assert!(deep.is_some_and(|at| (before..=before + 60).contains(&at.as_second())), "{deep:?}");
    assert!(blobs.last_written("a").await.unwrap() >= deep);
    assert_eq!(blobs.last_written("missing").await.unwrap(), None);
    blobs.remove_folder("a").await.unwrap();
    assert_eq!(blobs.folders(None).await.unwrap().names, ["b"]);
    assert!(matches!(blobs.last_written("../a").await, Err(PortError::Conflict(_))));
}

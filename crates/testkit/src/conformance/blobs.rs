//! What every place for files promises.
//!
//! An adapter calls [`blobs_conformance!`](crate::blobs_conformance) once, with a function that makes a [`BlobStoreFixture`]
//! on an empty place, and gets one test per case.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quire_ports::{BlobStore, PortError};

/// A place for files to try things on.
pub struct BlobStoreFixture {
    /// The place.
    pub blobs: Arc<dyn BlobStore>,
    /// Whatever has to live as long: a temporary folder, a container to delete.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// One test for each case, against the fixture that `$fixture` makes.
#[macro_export]
macro_rules! blobs_conformance {
    ($fixture:path) => {
        $crate::conformance_cases! { $fixture, blobs:
            what_was_put_is_what_is_got,
            a_file_may_be_empty,
            a_put_takes_the_place_of_what_was_there,
            readers_see_the_old_or_the_new_and_never_a_mix,
            of_puts_at_the_same_time_one_is_left_whole,
            what_is_not_there_is_said_to_be_missing_by_its_name,
            a_name_that_is_none_is_refused_by_every_method,
            the_longest_names_are_taken,
            a_file_larger_than_the_limit_is_refused,
            a_range_is_got_without_the_rest,
            a_range_beyond_the_end_is_corrupt,
            removing_a_folder_takes_everything_below_and_nothing_beside,
            removing_a_folder_that_is_not_there_removes_nothing,
            a_folder_can_be_filled_again_after_it_was_removed,
            puts_while_their_folder_is_removed_are_whole_or_gone,
            what_came_in_pieces_is_what_was_put_whole,
            a_file_that_is_still_coming_in_is_seen_by_nobody,
            a_file_that_was_given_up_never_was,
            files_that_come_in_at_the_same_time_do_not_mix,
            removing_a_file_takes_it_and_the_folders_it_leaves_empty,
            removing_a_file_that_is_not_there_removes_nothing,
        }
    };
}

/// More than any file in these cases has.
const ROOMY: u64 = 1 << 24;

/// The outcome of a put must not depend on what is in the file.
pub async fn what_was_put_is_what_is_got(fixture: &BlobStoreFixture) {
    let every_byte: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    for name in
        ["alone", "0192-ab/original.pdf", "0192-ab/runs/7_x/raw-text.txt", "0192-ab/..odd..", ".hidden"]
    {
        fixture.blobs.put(name, every_byte.clone()).await.unwrap();
        assert!(fixture.blobs.get(name, ROOMY).await.unwrap() == every_byte, "{name}");
    }
}

/// An empty file is a file.
pub async fn a_file_may_be_empty(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/empty", Vec::new()).await.unwrap();
    assert_eq!(fixture.blobs.get("a/empty", 0).await.unwrap(), b"");
    assert_eq!(fixture.blobs.get_range("a/empty", 0..0).await.unwrap(), b"");
    assert!(fixture.blobs.remove_folder("a").await.unwrap());
}

/// Shorter or longer, nothing of the old remains.
pub async fn a_put_takes_the_place_of_what_was_there(fixture: &BlobStoreFixture) {
    for content in [&b"first and long"[..], b"short", b"third and longer still"] {
        fixture.blobs.put("a/file", content.to_vec()).await.unwrap();
        assert_eq!(fixture.blobs.get("a/file", ROOMY).await.unwrap(), content);
    }
}

/// Each content is one byte over and over, its length told by that byte, so that a mix of two shows.
fn uniform(byte: u8) -> Vec<u8> {
    vec![byte; 50_000 + usize::from(byte) * 1_000]
}

fn assert_uniform(content: &[u8]) {
    let first = *content.first().expect("it is not empty");
    assert!(content == uniform(first), "a mix, or a part, of {} bytes", content.len());
}

/// Whoever reads while others write gets one of the contents, whole.
pub async fn readers_see_the_old_or_the_new_and_never_a_mix(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", uniform(0)).await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (blobs, done) = (fixture.blobs.clone(), done.clone());
            tokio::spawn(async move {
                // At least one look after the last write.
                loop {
                    let last = done.load(Ordering::SeqCst);
                    assert_uniform(&blobs.get("a/file", ROOMY).await.unwrap());
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
    assert!(fixture.blobs.get("a/file", ROOMY).await.unwrap() == uniform(40), "the last write is what stays");
}

/// Nobody loses a race so badly that neither wins.
pub async fn of_puts_at_the_same_time_one_is_left_whole(fixture: &BlobStoreFixture) {
    let writers: Vec<_> = (0..8)
        .map(|byte| {
            let blobs = fixture.blobs.clone();
            tokio::spawn(async move { blobs.put("new/folder/file", uniform(byte)).await })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap().unwrap();
    }
    assert_uniform(&fixture.blobs.get("new/folder/file", ROOMY).await.unwrap());
}

/// A folder is no file, and a file is no folder.
pub async fn what_is_not_there_is_said_to_be_missing_by_its_name(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"x".to_vec()).await.unwrap();
    for name in ["b", "a/other", "a", "a/file/below", "no/such/folder"] {
        let got = fixture.blobs.get(name, ROOMY).await;
        assert!(matches!(&got, Err(PortError::NotFound(what)) if what.ends_with(name)), "{name}: {got:?}");
        let range = fixture.blobs.get_range(name, 0..1).await;
        assert!(
            matches!(&range, Err(PortError::NotFound(what)) if what.ends_with(name)),
            "{name}: {range:?}"
        );
    }
}

/// Proves R076: no name leads out of the place, or to two places.
pub async fn a_name_that_is_none_is_refused_by_every_method(fixture: &BlobStoreFixture) {
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
        let got = fixture.blobs.get(name, ROOMY).await.map(drop);
        let range = fixture.blobs.get_range(name, 0..1).await.map(drop);
        let received = fixture.blobs.begin().await.unwrap().finish(name).await;
        let removed = fixture.blobs.remove(name).await.map(drop);
        let folder_removed = fixture.blobs.remove_folder(name).await.map(drop);
        for outcome in [put, got, range, received, removed, folder_removed] {
            assert!(matches!(outcome, Err(PortError::Conflict(_))), "{name:?}: {outcome:?}");
        }
    }
}

/// What is just short enough works whole.
pub async fn the_longest_names_are_taken(fixture: &BlobStoreFixture) {
    let part = "x".repeat(255);
    let name = [part.as_str(); 4].join("/");
    assert_eq!(name.len(), 1023);
    fixture.blobs.put(&name, b"deep".to_vec()).await.unwrap();
    assert_eq!(fixture.blobs.get(&name, ROOMY).await.unwrap(), b"deep");
    assert!(fixture.blobs.remove_folder(&part).await.unwrap());
    assert!(fixture.blobs.get(&name, ROOMY).await.is_err());
}

/// Exactly the limit is allowed.
pub async fn a_file_larger_than_the_limit_is_refused(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"12345".to_vec()).await.unwrap();
    assert_eq!(fixture.blobs.get("a/file", 5).await.unwrap(), b"12345");
    assert_eq!(fixture.blobs.get("a/file", u64::MAX).await.unwrap(), b"12345");
    for limit in [0, 4] {
        let got = fixture.blobs.get("a/file", limit).await;
        assert!(matches!(got, Err(PortError::Conflict(_))), "{limit}: {got:?}");
    }
}

/// From anywhere to anywhere within.
pub async fn a_range_is_got_without_the_rest(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"0123456789".to_vec()).await.unwrap();
    for (range, expected) in
        [(0..10, &b"0123456789"[..]), (3..7, b"3456"), (9..10, b"9"), (4..4, b""), (10..10, b"")]
    {
        assert_eq!(fixture.blobs.get_range("a/file", range).await.unwrap(), expected);
    }
}

/// Whoever asks for a range knows the file; if it is shorter, something is wrong with it.
pub async fn a_range_beyond_the_end_is_corrupt(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"0123456789".to_vec()).await.unwrap();
    for range in [0..11, 9..20, 10..11, 50..60, 0..u64::MAX, u64::MAX - 1..u64::MAX] {
        let got = fixture.blobs.get_range("a/file", range.clone()).await;
        assert!(matches!(got, Err(PortError::Corrupt(_))), "{range:?}: {got:?}");
    }
    #[allow(clippy::reversed_empty_ranges)] // That is the case.
    let backwards = fixture.blobs.get_range("a/file", 7..3).await;
    assert!(matches!(backwards, Err(PortError::Conflict(_))), "{backwards:?}");
}

/// Proves that a purge of one subject cannot touch another.
pub async fn removing_a_folder_takes_everything_below_and_nothing_beside(fixture: &BlobStoreFixture) {
    let gone = ["a/b/file", "a/b/c/file", "a/b/c/d/e/file"];
    let kept = ["a/bc/file", "a/b.txt", "a/file", "b/file", "a/a/b/file", "ab"];
    for name in gone.iter().chain(&kept) {
        fixture.blobs.put(name, name.as_bytes().to_vec()).await.unwrap();
    }
    assert!(fixture.blobs.remove_folder("a/b").await.unwrap());
    for name in gone {
        assert!(matches!(fixture.blobs.get(name, ROOMY).await, Err(PortError::NotFound(_))), "{name}");
    }
    for name in kept {
        assert_eq!(fixture.blobs.get(name, ROOMY).await.unwrap(), name.as_bytes());
    }
}

/// Asking again says that there was nothing, and a file is no folder.
pub async fn removing_a_folder_that_is_not_there_removes_nothing(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", b"x".to_vec()).await.unwrap();
    for folder in ["b", "a/b", "a/file", "a/file/c", "a/fil"] {
        assert!(!fixture.blobs.remove_folder(folder).await.unwrap(), "{folder}");
    }
    assert_eq!(fixture.blobs.get("a/file", ROOMY).await.unwrap(), b"x");
    assert!(fixture.blobs.remove_folder("a").await.unwrap());
    assert!(!fixture.blobs.remove_folder("a").await.unwrap());
}

/// A name is free again.
pub async fn a_folder_can_be_filled_again_after_it_was_removed(fixture: &BlobStoreFixture) {
    for content in [&b"one"[..], b"two"] {
        fixture.blobs.put("a/b/file", content.to_vec()).await.unwrap();
        assert_eq!(fixture.blobs.get("a/b/file", ROOMY).await.unwrap(), content);
        assert!(fixture.blobs.remove_folder("a").await.unwrap());
    }
}

/// Whichever comes first, a put that was answered put a whole file.
pub async fn puts_while_their_folder_is_removed_are_whole_or_gone(fixture: &BlobStoreFixture) {
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
        match fixture.blobs.get("a/b/c/file", ROOMY).await {
            Ok(content) => assert_uniform(&content),
            Err(error) => assert!(matches!(error, PortError::NotFound(_)), "{error:?}"),
        }
    }
    done.store(true, Ordering::SeqCst);
    remover.await.unwrap();
    fixture.blobs.put("a/b/c/file", uniform(99)).await.unwrap();
    assert_uniform(&fixture.blobs.get("a/b/c/file", ROOMY).await.unwrap());
}

/// However it is cut, and also when there is nothing in it.
pub async fn what_came_in_pieces_is_what_was_put_whole(fixture: &BlobStoreFixture) {
    let content: Vec<u8> = (0..=255).cycle().take(1_500_000).collect();
    for (length, piece) in [(0, 1), (1, 1), (300_000, 77), (1_500_000, 65_536), (1_500_000, 1_500_000)] {
        let content = &content[..length];
        // The first round makes the file, the second takes its place.
        for name in ["whole/file", "whole/file", "alone"] {
            let mut incoming = fixture.blobs.begin().await.unwrap();
            for piece in content.chunks(piece) {
                incoming.write(piece).await.unwrap();
            }
            incoming.finish(name).await.unwrap();
            assert!(fixture.blobs.get(name, ROOMY).await.unwrap() == content, "{length} bytes by {piece}");
        }
    }
}

/// Proves R051: until it is whole, its name shows what was there before.
pub async fn a_file_that_is_still_coming_in_is_seen_by_nobody(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/old", uniform(1)).await.unwrap();
    let mut replacing = fixture.blobs.begin().await.unwrap();
    let mut new = fixture.blobs.begin().await.unwrap();
    for half in uniform(9).chunks(uniform(9).len() / 2 + 1) {
        replacing.write(half).await.unwrap();
        new.write(half).await.unwrap();
        assert!(fixture.blobs.get("a/old", ROOMY).await.unwrap() == uniform(1));
        assert!(matches!(fixture.blobs.get("b/new", ROOMY).await, Err(PortError::NotFound(_))));
        assert!(!fixture.blobs.remove_folder("b").await.unwrap());
    }
    replacing.finish("a/old").await.unwrap();
    new.finish("b/new").await.unwrap();
    for name in ["a/old", "b/new"] {
        assert!(fixture.blobs.get(name, ROOMY).await.unwrap() == uniform(9), "{name}");
    }
}

/// Dropped, or refused at the end for its name, it changes nothing.
pub async fn a_file_that_was_given_up_never_was(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/file", uniform(1)).await.unwrap();
    let mut dropped = fixture.blobs.begin().await.unwrap();
    let mut refused = fixture.blobs.begin().await.unwrap();
    for incoming in [&mut dropped, &mut refused] {
        incoming.write(&vec![7; 1_000_000]).await.unwrap();
    }
    drop(dropped);
    assert!(matches!(refused.finish("../file").await, Err(PortError::Conflict(_))));
    assert!(fixture.blobs.get("a/file", ROOMY).await.unwrap() == uniform(1));
}

/// Each keeps to itself, and the last to finish is what a shared name shows.
pub async fn files_that_come_in_at_the_same_time_do_not_mix(fixture: &BlobStoreFixture) {
    let mut all = Vec::new();
    for _ in 0..8 {
        all.push(fixture.blobs.begin().await.unwrap());
    }
    for _ in 0..10 {
        for (byte, incoming) in (0..).zip(&mut all) {
            incoming.write(&vec![byte; 30_000]).await.unwrap();
        }
    }
    for (byte, incoming) in (0..).zip(all) {
        incoming.finish(&format!("each/{byte}")).await.unwrap();
    }
    for byte in 0..8_u8 {
        let content = fixture.blobs.get(&format!("each/{byte}"), ROOMY).await.unwrap();
        assert!(content == vec![byte; 300_000], "{byte}");
    }
}

/// What is beside it stays, and so do the folders that this is in.
pub async fn removing_a_file_takes_it_and_the_folders_it_leaves_empty(fixture: &BlobStoreFixture) {
    for name in ["a/b/c/file", "a/beside", "alone"] {
        fixture.blobs.put(name, b"x".to_vec()).await.unwrap();
        assert_eq!(fixture.blobs.get(name, ROOMY).await.unwrap(), b"x");
    }
    assert!(fixture.blobs.remove("a/b/c/file").await.unwrap());
    assert!(fixture.blobs.remove("alone").await.unwrap());
    for name in ["a/b/c/file", "alone"] {
        assert!(matches!(fixture.blobs.get(name, ROOMY).await, Err(PortError::NotFound(_))), "{name}");
        assert!(!fixture.blobs.remove(name).await.unwrap(), "{name}");
    }
    assert_eq!(fixture.blobs.get("a/beside", ROOMY).await.unwrap(), b"x");
    // What was a folder may be a file now.
    fixture.blobs.put("a/b", b"y".to_vec()).await.unwrap();
    assert_eq!(fixture.blobs.get("a/b", ROOMY).await.unwrap(), b"y");
}

/// A folder is no file.
pub async fn removing_a_file_that_is_not_there_removes_nothing(fixture: &BlobStoreFixture) {
    fixture.blobs.put("a/b/file", b"x".to_vec()).await.unwrap();
    for name in ["a", "a/b", "a/b/other", "a/b/file/below", "c", "c/d"] {
        assert!(!fixture.blobs.remove(name).await.unwrap(), "{name}");
    }
    assert_eq!(fixture.blobs.get("a/b/file", ROOMY).await.unwrap(), b"x");
}

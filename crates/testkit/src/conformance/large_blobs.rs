//! Files that are sent in parts, folders with many files, and races.

use std::collections::BTreeSet;

use quire_ports::{BlobStore, BlobWriter, PortError, PortResult};

use super::blobs::BlobStoreFixture;

/// More than the parts of any store, and no multiple of them.
const LARGE: usize = (20 << 20) + 7;
const PIECE: usize = 300_000;

/// The pieces of a file. They differ, so that an exchange of two is noticed, and so do files of another seed.
fn pieces(seed: u8) -> impl Iterator<Item = Vec<u8>> {
    let lengths = (0..LARGE).step_by(PIECE).map(|begin| PIECE.min(LARGE - begin));
    (seed * 60..).zip(lengths).map(|(byte, length)| vec![byte; length])
}

async fn send(blobs: &dyn BlobStore, name: &str, seed: u8) -> PortResult<()> {
    let mut writer: Box<dyn BlobWriter> = blobs.begin(name).await?;
    for piece in pieces(seed) {
        writer.write(&piece).await?;
    }
    writer.finish().await
}

fn whole(seed: u8) -> Vec<u8> {
    pieces(seed).flatten().collect()
}

/// One call wins, and its content stays.
pub async fn of_sixteen_new_files_of_one_name_one_is_written(fixture: &BlobStoreFixture) {
    let calls: Vec<_> = (0..16_u8)
        .map(|byte| {
            let blobs = fixture.blobs.clone();
            tokio::spawn(async move { (byte, blobs.put_new("new/file", vec![byte; 40_000]).await.unwrap()) })
        })
        .collect();
    let mut winners = Vec::new();
    for call in calls {
        let (byte, is_winner) = call.await.unwrap();
        winners.extend(is_winner.then_some(byte));
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
    assert!(fixture.blobs.get("new/file", 1 << 20).await.unwrap() == vec![winners[0]; 40_000]);
}

/// The parts are in their order, and ranges cross them.
pub async fn a_large_file_arrives_as_it_was_sent(fixture: &BlobStoreFixture) {
    let blobs = &fixture.blobs;
    blobs.put("a/file", b"old".to_vec()).await.unwrap();
    send(&**blobs, "a/file", 1).await.unwrap();
    let expected = whole(1);
    assert!(blobs.get("a/file", LARGE as u64).await.unwrap() == expected);
    for (begin, end) in [(0, 10), (8_388_600, 8_388_620), (LARGE - 5, LARGE), (5_000_000, 17_000_000)] {
        let range = blobs.get_range("a/file", begin as u64..end as u64).await.unwrap();
        assert!(range == expected[begin..end], "{begin}..{end}");
    }
    let larger = blobs.get("a/file", LARGE as u64 - 1).await;
    assert!(matches!(larger, Err(PortError::Conflict(_))), "{larger:?}");
}

/// A writer may fail, but one succeeds, and no file is a mix of two.
pub async fn of_large_files_of_one_name_at_once_a_complete_one_remains(fixture: &BlobStoreFixture) {
    let writers: Vec<_> = (1..=3_u8)
        .map(|seed| {
            let blobs = fixture.blobs.clone();
            tokio::spawn(async move { send(&*blobs, "a/file", seed).await.is_ok() })
        })
        .collect();
    let mut succeeded = 0;
    for writer in writers {
        succeeded += usize::from(writer.await.unwrap());
    }
    assert!(succeeded > 0);
    let content = fixture.blobs.get("a/file", LARGE as u64).await.unwrap();
    assert!((1..=3).any(|seed| content == whole(seed)), "a mix of two files");
}

/// Neither a part nor a name stays.
pub async fn an_abandoned_large_file_leaves_nothing_behind(fixture: &BlobStoreFixture) {
    let blobs = &fixture.blobs;
    let mut writer = blobs.begin("a/file").await.unwrap();
    for piece in pieces(1) {
        writer.write(&piece).await.unwrap();
    }
    drop(writer);
    assert!(matches!(blobs.get("a/file", LARGE as u64).await, Err(PortError::NotFound(_))));
    assert!(!blobs.remove_folder("a").await.unwrap());
    assert_eq!(blobs.folders(None).await.unwrap().names, [""; 0]);
    send(&**blobs, "a/file", 2).await.unwrap();
    assert!(blobs.get("a/file", LARGE as u64).await.unwrap() == whole(2));
}

async fn put_many(fixture: &BlobStoreFixture, names: Vec<String>) {
    let mut calls = tokio::task::JoinSet::new();
    for name in names {
        let blobs = fixture.blobs.clone();
        calls.spawn(async move { blobs.put(&name, b"x".to_vec()).await });
        if calls.len() >= 16 {
            calls.join_next().await.unwrap().unwrap().unwrap();
        }
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap().unwrap();
    }
}

/// More than one page of a list, and more than one request of a removal.
pub async fn a_folder_of_many_files_is_removed_whole(fixture: &BlobStoreFixture) {
    let names = (0..1_100).map(|number| format!("a/{:02}/file-{number}", number % 40)).collect();
    put_many(fixture, names).await;
    fixture.blobs.put("ab/beside", b"x".to_vec()).await.unwrap();
    assert!(fixture.blobs.last_written("a").await.unwrap().is_some());
    assert!(fixture.blobs.remove_folder("a").await.unwrap());
    assert_eq!(fixture.blobs.last_written("a").await.unwrap(), None);
    assert_eq!(fixture.blobs.folders(None).await.unwrap().names, ["ab"]);
    assert!(!fixture.blobs.remove_folder("a").await.unwrap());
}

/// The pages of the list have every folder and none twice.
pub async fn every_folder_is_listed_once(fixture: &BlobStoreFixture) {
    let expected: BTreeSet<String> = (0..1_050).map(|number| format!("folder-{number}")).collect();
    put_many(fixture, expected.iter().map(|folder| format!("{folder}/file")).collect()).await;
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let page = fixture.blobs.folders(after.as_deref()).await.unwrap();
        listed.extend(page.names);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(listed.len(), expected.len());
    assert_eq!(BTreeSet::from_iter(listed), expected);
}

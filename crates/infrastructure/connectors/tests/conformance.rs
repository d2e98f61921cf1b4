//! The disk passes what every place for files passes.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use quire_connectors::blob::DiskBlobs;
use quire_testkit::BlobStoreFixture;

#[allow(clippy::unused_async)] // The suite waits for its fixture, because most have to be made over a network.
async fn fixture() -> BlobStoreFixture {
    let folder = tempfile::tempdir().unwrap();
    let blobs = DiskBlobs::open(folder.path().join("documents")).unwrap();
    BlobStoreFixture { blobs: Arc::new(blobs), keep: Box::new(folder) }
}

quire_testkit::blobs_conformance!(crate::fixture);

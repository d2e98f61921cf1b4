//! SHA-256 of stored files, which are read in pieces.

use quire_ports::{BlobFile, BlobStore, PortResult};
use sha2::{Digest as _, Sha256};

/// How much of a file is in memory at a time.
pub(super) const PIECE: u64 = 4 << 20;

/// A SHA-256 that grows.
#[derive(Default)]
pub(super) struct Hash(Sha256);

impl Hash {
    pub(super) fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub(super) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// The hash of a stored file of this size. `Corrupt` if it is shorter.
pub(super) async fn hash_blob(blobs: &dyn BlobStore, file: &BlobFile) -> PortResult<[u8; 32]> {
    let mut hash = Hash::default();
    let mut start = 0;
    while start < file.bytes {
        let end = (start + PIECE).min(file.bytes);
        hash.update(&blobs.get_range(&file.name, start..end).await?);
        start = end;
    }
    Ok(hash.finish())
}

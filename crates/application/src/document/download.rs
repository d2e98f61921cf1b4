//! The original file of a document, piece by piece.

use std::ops::Range;
use std::sync::Arc;

use quire_domain::Document;
use quire_ports::{BlobStore, PortError, PortResult};
use sha2::{Digest as _, Sha256};

use crate::{App, Error, Result};

/// Bytes read at a time, each with a request to an object store.
const PIECE: u64 = 1 << 20;

/// Why the original cannot be downloaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    /// The document exists and its file does not.
    #[error("the document's file is gone; upload the document again")]
    FileMissing,
    /// There is no such document, or storage does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// The original file of a document, or a part of it. Only one piece of it is in memory at a time. The last piece of a whole
/// file is kept back if the file is not what was uploaded, so that a client does not take it for complete.
pub struct OriginalFile {
    blobs: Arc<dyn BlobStore>,
    path: String,
    end: u64,
    read: u64,
    first: Option<Vec<u8>>,
    /// What was read so far and what it must be in the end. None for a part of a file.
    hash: Option<(Sha256, [u8; 32])>,
}

/// Opens a part of the original file of a document. Reads the first piece at once, so that a missing file is an error before
/// the response begins.
pub async fn download(
    app: &App,
    document: &Document,
    part: Range<u64>,
) -> Result<OriginalFile, DownloadError> {
    let hash = (part == (0..document.file_size)).then(|| (Sha256::new(), document.content_hash));
    let mut file = OriginalFile {
        blobs: app.blobs.clone(),
        path: document.storage_path.clone(),
        end: part.end,
        read: part.start,
        first: None,
        hash,
    };
    let first = file.read_piece().await.map_err(|error| match error {
        PortError::NotFound(_) => DownloadError::FileMissing,
        error => error.into(),
    })?;
    Ok(OriginalFile { first: Some(first), ..file })
}

impl OriginalFile {
    /// The next piece; none at the end of the file.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        if self.read >= self.end {
            return Ok(None);
        }
        Ok(Some(self.read_piece().await?))
    }

    async fn read_piece(&mut self) -> PortResult<Vec<u8>> {
        let end = self.end.min(self.read.saturating_add(PIECE));
        let piece = self.blobs.get_range(&self.path, self.read..end).await?;
        self.read = end;
        if let Some((hash, _)) = &mut self.hash {
            hash.update(&piece);
        }
        if end < self.end {
            return Ok(piece);
        }
        let is_original = self.hash.take().is_none_or(|(hash, expected)| *hash.finalize() == expected);
        if is_original {
            Ok(piece)
        } else {
            Err(PortError::Corrupt(format!("the file {} is not what was uploaded", self.path)))
        }
    }
}

//! The original file of a document, piece by piece.

use std::ops::Range;
use std::sync::Arc;

use quire_domain::Document;
use quire_ports::{BlobStore, PortError};

use crate::{App, Error, Result};

/// Bytes read at a time.
const PIECE: u64 = 256 << 10;

/// Why the original cannot be downloaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    /// The document exists and its file does not.
    #[error("the document's file is gone; upload the document again")]
    FileMissing,
    /// There is no such document, or storage does not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

/// The original file of a document, or a part of it. Only one piece of it is in memory at a time.
pub struct OriginalFile {
    blobs: Arc<dyn BlobStore>,
    path: String,
    end: u64,
    read: u64,
    first: Option<Vec<u8>>,
}

/// Opens a part of the original file of a document. Reads the first piece at once, so that a missing file is an error before
/// the response begins.
pub async fn download(
    app: &App,
    document: &Document,
    part: Range<u64>,
) -> Result<OriginalFile, DownloadError> {
    let path = document.storage_path.clone();
    let read = part.end.min(part.start.saturating_add(PIECE));
    let first = app.blobs.get_range(&path, part.start..read).await.map_err(|error| match error {
        PortError::NotFound(_) => DownloadError::FileMissing,
        error => error.into(),
    })?;
    Ok(OriginalFile { blobs: app.blobs.clone(), path, end: part.end, read, first: Some(first) })
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
        let end = self.end.min(self.read.saturating_add(PIECE));
        let piece = self.blobs.get_range(&self.path, self.read..end).await?;
        self.read = end;
        Ok(Some(piece))
    }
}

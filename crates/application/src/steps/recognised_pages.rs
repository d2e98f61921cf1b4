//! A cache of recognised pages, stored beside their document. Text recognition takes seconds for a page, so neither a retry
//! nor a later run repeats it.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::SubjectId;
use quire_domain::reading::Line;
use quire_ports::{BlobStore, PortError, RecognisedPages};

/// The size limit of a cached page: 16 MB.
const MAX_BYTES: u64 = 16 << 20;

pub(super) struct RecognisedPageCache {
    pub(super) blobs: Arc<dyn BlobStore>,
    pub(super) document: SubjectId,
}

impl RecognisedPageCache {
    /// The file of a page. A document never changes, so page and language identify it.
    fn name(&self, page: usize, language: Option<&str>) -> String {
        format!("{}/recognised/{page}-{}.json", self.document, language.unwrap_or("any"))
    }
}

#[async_trait]
impl RecognisedPages for RecognisedPageCache {
    async fn find(&self, page: usize, language: Option<&str>) -> Option<Vec<Line>> {
        let found = self.blobs.get(&self.name(page, language), MAX_BYTES).await;
        match found {
            Ok(lines) => serde_json::from_slice(&lines).ok(),
            Err(PortError::NotFound(_)) => None,
            Err(error) => {
                tracing::warn!(%error, "recognised page: cache read failed, recognising it again");
                None
            }
        }
    }

    async fn store(&self, page: usize, language: Option<&str>, lines: &[Line]) {
        let Ok(lines) = serde_json::to_vec(lines) else { return };
        if let Err(error) = self.blobs.put(&self.name(page, language), lines).await {
            tracing::warn!(%error, "recognised page: cache write failed");
        }
    }
}

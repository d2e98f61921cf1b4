//! Recognised pages are kept beside their document: recognising takes seconds a page, and neither a run that times out
//! halfway nor a later run shall do it again.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::SubjectId;
use quire_domain::reading::Line;
use quire_ports::{BlobStore, PortError, RecognisedPages};

/// The largest page that is kept; what is larger was no page of words.
const LARGEST: u64 = 16 << 20;

pub(super) struct KeptWithDocument {
    pub(super) blobs: Arc<dyn BlobStore>,
    pub(super) document: SubjectId,
}

impl KeptWithDocument {
    /// A document never changes, so that page and language say it all.
    fn name(&self, page: usize, language: Option<&str>) -> String {
        format!("{}/recognised/{page}-{}.json", self.document, language.unwrap_or("any"))
    }
}

#[async_trait]
impl RecognisedPages for KeptWithDocument {
    async fn find(&self, page: usize, language: Option<&str>) -> Option<Vec<Line>> {
        let found = self.blobs.get(&self.name(page, language), LARGEST).await;
        match found {
            Ok(lines) => serde_json::from_slice(&lines).ok(),
            Err(PortError::NotFound(_)) => None,
            Err(error) => {
                tracing::warn!(%error, "a recognised page could not be looked up; it is recognised again");
                None
            }
        }
    }

    async fn keep(&self, page: usize, language: Option<&str>, lines: &[Line]) {
        let Ok(lines) = serde_json::to_vec(lines) else { return };
        if let Err(error) = self.blobs.put(&self.name(page, language), lines).await {
            tracing::warn!(%error, "a recognised page could not be kept");
        }
    }
}

//! A cache of recognised pages, stored beside their document. Text recognition takes seconds for a page, so neither a retry
//! nor a later run repeats it. Recognising more pages needs a permit of the lane `ocr`.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quire_domain::reading::Line;
use quire_domain::{Failure, LaneName, SubjectId};
use quire_ports::{BlobStore, CallPermit, PortError, RecognisedPages};

use crate::lanes::LanePermits;

/// Grows when recognition improves, so that pages are recognised anew. From 2 on, pages are prepared and words have a
/// confidence.
const RECOGNITION: u32 = 2;
/// The size limit of a cached page: 16 MB.
const MAX_BYTES: u64 = 16 << 20;

pub(super) struct RecognisedPageCache {
    pub(super) blobs: Arc<dyn BlobStore>,
    pub(super) document: SubjectId,
    pub(super) lanes: Arc<LanePermits>,
    /// What the step returns if there was no permit: its run waits.
    pub(super) busy: Mutex<Option<Failure>>,
}

impl RecognisedPageCache {
    /// The failure with which the step gives up, if there was no permit.
    pub(super) fn take_busy(&self) -> Option<Failure> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The file of a page. A document never changes, so page, language and the kind of recognition identify it.
    fn name(&self, page: usize, language: Option<&str>) -> String {
        format!("{}/recognised/{page}-{}.{RECOGNITION}.json", self.document, language.unwrap_or("any"))
    }
}

#[async_trait]
impl RecognisedPages for RecognisedPageCache {
    async fn permit(&self) -> Option<CallPermit> {
        match self.lanes.acquire(&LaneName::ocr()).await {
            Ok(permit) => Some(Box::new(permit)),
            Err(busy) => {
                *self.busy.lock().unwrap_or_else(PoisonError::into_inner) = Some(busy);
                None
            }
        }
    }

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

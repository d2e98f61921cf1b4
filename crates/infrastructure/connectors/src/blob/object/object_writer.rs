//! Writes an object that arrives in pieces. Up to one part it is sent with one request at its end. Beyond that its parts are
//! sent while it arrives, and the service joins them at the end.

use std::sync::Arc;

use async_trait::async_trait;
use object_store::path::Path;
use object_store::{MultipartUpload, PutMultipartOptions, PutPayload};
use quire_ports::{BlobWriter, PortResult};
use tokio::task::JoinSet;

use super::error::{unavailable, unusable};
use super::{ObjectService, checksum};
use crate::blob::error::earlier_write_failed;

/// The size of a part, in bytes. S3 wants at least 5 MiB, and at most 10,000 parts.
const PART_BYTES: usize = 6 << 20;
/// Parts that are on their way at the same time. With the one that is being filled, a file needs three in memory.
const PARTS_IN_FLIGHT: usize = 2;

/// Writes one object. Dropping it before it is finished ends the upload of its parts.
pub(super) struct ObjectWriter {
    service: Arc<dyn ObjectService>,
    key: Path,
    buffer: Vec<u8>,
    /// That of the whole file, if the caller knows it.
    sha256: Option<[u8; 32]>,
    parts: Option<Parts>,
    /// True during a write, and after one that failed or was cancelled: an object with a missing part must never appear.
    is_broken: bool,
}

/// The parts of an object.
struct Parts {
    upload: Box<dyn MultipartUpload>,
    in_flight: JoinSet<object_store::Result<()>>,
}

impl Parts {
    /// Sends a part, after one of the earlier ones has arrived if too many are on their way.
    async fn send(&mut self, part: Vec<u8>) -> PortResult<()> {
        while self.in_flight.len() >= PARTS_IN_FLIGHT {
            self.wait_for_one().await?;
        }
        self.in_flight.spawn(self.upload.put_part(PutPayload::from(part)));
        Ok(())
    }

    async fn wait_for_one(&mut self) -> PortResult<()> {
        match self.in_flight.join_next().await {
            Some(Ok(sent)) => sent.map_err(|error| unavailable(&error)),
            Some(Err(_)) => Err(unusable("the process is shutting down".to_owned())),
            None => Ok(()),
        }
    }

    async fn finish(&mut self) -> PortResult<()> {
        while !self.in_flight.is_empty() {
            self.wait_for_one().await?;
        }
        self.upload.complete().await.map(drop).map_err(|error| unavailable(&error))
    }
}

impl ObjectWriter {
    pub(super) fn new(service: Arc<dyn ObjectService>, key: Path) -> Self {
        Self { service, key, buffer: Vec::new(), sha256: None, parts: None, is_broken: false }
    }

    /// Sends the buffer as a part.
    async fn send_part(&mut self) -> PortResult<()> {
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let upload = self.service.put_multipart_opts(&self.key, PutMultipartOptions::default()).await;
                let upload = upload.map_err(|error| unavailable(&error))?;
                none.insert(Parts { upload, in_flight: JoinSet::new() })
            }
        };
        parts.send(std::mem::take(&mut self.buffer)).await
    }

    async fn fill(&mut self, mut piece: &[u8]) -> PortResult<()> {
        while !piece.is_empty() {
            if self.buffer.len() == PART_BYTES {
                self.send_part().await?;
                // Growing piece by piece would need up to twice the memory.
                self.buffer.reserve_exact(PART_BYTES);
            }
            let (fits, rest) = piece.split_at(piece.len().min(PART_BYTES - self.buffer.len()));
            self.buffer.extend_from_slice(fits);
            piece = rest;
        }
        Ok(())
    }

    async fn send_rest(&mut self) -> PortResult<()> {
        if self.parts.is_none() {
            let content = std::mem::take(&mut self.buffer);
            let attributes = match &self.sha256 {
                Some(sha256) => checksum::attributes_of(sha256),
                None => checksum::attributes(&content),
            };
            let put = self.service.put_opts(&self.key, content.into(), attributes.into()).await;
            return put.map(drop).map_err(|error| unavailable(&error));
        }
        self.send_part().await?;
        match &mut self.parts {
            Some(parts) => parts.finish().await,
            None => Err(earlier_write_failed()),
        }
    }
}

#[async_trait]
impl BlobWriter for ObjectWriter {
    async fn write(&mut self, piece: &[u8]) -> PortResult<()> {
        if std::mem::replace(&mut self.is_broken, true) {
            return Err(earlier_write_failed());
        }
        self.fill(piece).await?;
        self.is_broken = false;
        Ok(())
    }

    fn set_sha256(&mut self, sha256: [u8; 32]) {
        self.sha256 = Some(sha256);
    }

    async fn finish(mut self: Box<Self>) -> PortResult<()> {
        if self.is_broken {
            return Err(earlier_write_failed());
        }
        self.send_rest().await?;
        // There is nothing left to end.
        self.parts = None;
        Ok(())
    }
}

impl Drop for ObjectWriter {
    /// Ends an unfinished upload of parts. S3 keeps, and charges for, the parts of one that is not ended; Azure forgets them
    /// after a week.
    fn drop(&mut self) {
        let (Some(mut parts), Ok(runtime)) = (self.parts.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        runtime.spawn(async move {
            parts.in_flight.shutdown().await;
            if let Err(error) = parts.upload.abort().await {
                tracing::warn!(error = %unavailable(&error), "storage: the parts of an unfinished file stay");
            }
        });
    }
}

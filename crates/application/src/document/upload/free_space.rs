//! Refuses uploads before the disk is full. A full disk stops the database too, and with it everything else.

use std::io;
use std::sync::Arc;

use super::UploadError;

/// Measures the free space of the disk with the documents.
#[derive(Clone)]
pub struct FreeSpace {
    floor: u64,
    measure: Arc<dyn Fn() -> io::Result<u64> + Send + Sync>,
}

impl FreeSpace {
    /// Keeps `floor` bytes free. `measure` returns the number of free bytes; it may block.
    pub fn new(floor: u64, measure: impl Fn() -> io::Result<u64> + Send + Sync + 'static) -> Self {
        Self { floor, measure: Arc::new(measure) }
    }

    /// Fails if the disk has less free space than it must keep. Storage that cannot be measured is left to the upload itself.
    pub(super) async fn check(&self) -> Result<(), UploadError> {
        let (floor, measure) = (self.floor, self.measure.clone());
        if floor == 0 {
            return Ok(());
        }
        match tokio::task::spawn_blocking(move || measure()).await {
            Ok(Ok(free)) if free < floor => {
                tracing::warn!(
                    free_mb = free >> 20,
                    floor_mb = floor >> 20,
                    "upload refused: the disk is nearly full"
                );
                Err(UploadError::BelowReserve { free, floor })
            }
            _ => Ok(()),
        }
    }
}

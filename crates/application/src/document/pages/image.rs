//! The image of a page, drawn on the first request and then cached.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use quire_domain::{Document, DocumentId};
use quire_ports::{BlobStore, DocumentReader, Documents, PageImageRequest, PortError, ReadError};
use tokio::sync::Semaphore;

use crate::{App, Error};

/// Images change with the program that draws them.
const DRAWN_BY: &str = env!("CARGO_PKG_VERSION");

/// The scales that pages are drawn at, as the review page asks for them. Without them each scale would be another drawing.
const SCALES: [f32; 6] = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0];

/// Limits of drawing and caching.
#[derive(Clone, Copy, Debug)]
pub struct ImageSettings {
    /// The smallest and the largest number of pixels per point.
    pub scales: (f32, f32),
    /// Bytes of cached images.
    pub cache_bytes: u64,
    /// Bytes of the largest file that is drawn.
    pub max_file_bytes: u64,
    /// Images drawn at the same time; each holds a file in memory.
    pub max_concurrent: usize,
}

/// An image of a page.
#[derive(Clone, Debug)]
pub struct ImageRequest {
    /// The document.
    pub document: DocumentId,
    /// The page, from 1.
    pub page: usize,
    /// Pixels per point, at least. The page is drawn at the next of a few scales.
    pub scale: f32,
    /// The tag of the image that the client has.
    pub known: Option<String>,
}

/// The image, or that the client has it already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageResponse {
    /// The client's image is current.
    Unchanged {
        /// Its tag.
        tag: String,
    },
    /// The image.
    Image {
        /// Its tag, which identifies the image.
        tag: String,
        /// The PNG file.
        png: Arc<[u8]>,
    },
}

/// Why there is no image.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ImageError {
    /// The scale is out of range.
    #[error("scale must be between {0} and {1}")]
    Scale(f32, f32),
    /// The document exists and its file does not.
    #[error("the document's file is gone; upload the document again")]
    FileMissing,
    /// There is no such document, or storage does not answer.
    #[error(transparent)]
    Other(#[from] Error),
    /// The page cannot be drawn.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// The image of a page.
pub async fn image(app: &App, request: ImageRequest) -> Result<ImageResponse, ImageError> {
    app.images.image(request).await
}

/// Draws pages and caches the images.
pub struct PageImages {
    documents: Arc<dyn Documents>,
    blobs: Arc<dyn BlobStore>,
    reader: Arc<dyn DocumentReader>,
    settings: ImageSettings,
    permits: Semaphore,
    drawn: Cache<String, Arc<[u8]>, Weight>,
}

#[derive(Clone)]
struct Weight;

impl Weighter<String, Arc<[u8]>> for Weight {
    fn weight(&self, tag: &String, png: &Arc<[u8]>) -> u64 {
        (tag.len() + png.len()) as u64
    }
}

/// The size of a typical image, to estimate how many fit into the cache.
const USUAL_SIZE: u64 = 60 << 10;

impl PageImages {
    /// Draws pages with that reader.
    pub fn new(
        documents: Arc<dyn Documents>,
        blobs: Arc<dyn BlobStore>,
        reader: Arc<dyn DocumentReader>,
        settings: ImageSettings,
    ) -> Self {
        let expected = usize::try_from(settings.cache_bytes / USUAL_SIZE).unwrap_or(usize::MAX);
        let drawn = Cache::with_weighter(expected, settings.cache_bytes, Weight);
        let permits = Semaphore::new(settings.max_concurrent.max(1));
        Self { documents, blobs, reader, settings, permits, drawn }
    }

    /// The image of a page. Concurrent requests for the same image wait for one drawing.
    pub async fn image(&self, request: ImageRequest) -> Result<ImageResponse, ImageError> {
        let (least, most) = self.settings.scales;
        if !(least..=most).contains(&request.scale) {
            return Err(ImageError::Scale(least, most));
        }
        let scale = SCALES.into_iter().find(|scale| *scale >= request.scale).unwrap_or(most).min(most);
        let document = self.documents.find(request.document).await?;
        let tag = tag(&document, request.page, scale);
        if request.known.as_ref() == Some(&tag) {
            return Ok(ImageResponse::Unchanged { tag });
        }
        let drawing = self.draw(&document, request.page, scale);
        let png = self.drawn.get_or_insert_async(&tag, drawing).await?;
        Ok(ImageResponse::Image { tag, png })
    }

    async fn draw(&self, document: &Document, page: usize, scale: f32) -> Result<Arc<[u8]>, ImageError> {
        // Take the permit before reading the file, so that a waiting request holds no file in memory.
        let _permit = self.permits.acquire().await;
        let file = self.blobs.get(&document.storage_path, self.settings.max_file_bytes).await;
        let file = file.map_err(|error| match error {
            PortError::NotFound(_) => ImageError::FileMissing,
            error => error.into(),
        })?;
        Ok(self.reader.image(PageImageRequest { file: file.into(), page, scale }).await?.into())
    }
}

/// The tag consists of everything that determines the image, so that no drawing is needed to compute it.
fn tag(document: &Document, page: usize, scale: f32) -> String {
    let [first, second] = [0, 8].map(|start| {
        let bytes: [u8; 8] = std::array::from_fn(|index| document.content_hash[start + index]);
        u64::from_be_bytes(bytes)
    });
    format!("{first:016x}{second:016x}-{page}-{scale}-{DRAWN_BY}")
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;

//! Images from a reader that counts its drawings.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use quire_connectors::blob::DiskBlobs;
use quire_domain::DocumentId;
use quire_ports::{NewDocument, ReadErrorKind, ReadOutput, ReadRequest};
use quire_testkit::fixture::{StoreFixture, at, document};
use tempfile::TempDir;

use super::*;

/// Draws the page number and the scale, waits for a permit each time, and fails for page 9.
struct Counting {
    drawn: AtomicUsize,
    permits: Semaphore,
}

#[async_trait]
impl DocumentReader for Counting {
    async fn read(&self, _: ReadRequest) -> Result<ReadOutput, ReadError> {
        unreachable!("images are drawn from the file alone")
    }

    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        self.permits.acquire().await.unwrap().forget();
        self.drawn.fetch_add(1, Ordering::SeqCst);
        if request.page == 9 {
            return Err(ReadError::new(ReadErrorKind::PageNotFound, "no such page"));
        }
        Ok(format!("{} at {}", request.page, request.scale).into_bytes())
    }
}

struct ImageFixture {
    images: Arc<PageImages>,
    reader: Arc<Counting>,
    document: DocumentId,
    _keep: (StoreFixture, TempDir),
}

async fn image_fixture(permits: usize) -> ImageFixture {
    let fixture = quire_sqlite::testing::store_fixture().await;
    let folder = tempfile::tempdir().unwrap();
    let blobs = DiskBlobs::open(folder.path()).unwrap();
    let document = document(DocumentId::new());
    fixture.store.documents.add(NewDocument::uploaded_by("tester", &document, None), at(0)).await.unwrap();
    blobs.put(&document.storage_path, b"%PDF".to_vec()).await.unwrap();
    let reader = Arc::new(Counting { drawn: AtomicUsize::new(0), permits: Semaphore::new(permits) });
    let settings = ImageSettings {
        scales: (0.1, 4.0),
        cache_bytes: 1 << 20,
        max_file_bytes: 1 << 20,
        max_concurrent: 2,
    };
    let images = PageImages::new(fixture.store.documents.clone(), Arc::new(blobs), reader.clone(), settings);
    ImageFixture { images: Arc::new(images), reader, document: document.id, _keep: (fixture, folder) }
}

impl ImageFixture {
    fn request(&self, page: usize, scale: f32) -> ImageRequest {
        ImageRequest { document: self.document, page, scale, known: None }
    }

    async fn image(&self, page: usize, scale: f32) -> (String, Arc<[u8]>) {
        match self.images.image(self.request(page, scale)).await.unwrap() {
            ImageResponse::Image { tag, png } => (tag, png),
            ImageResponse::Unchanged { .. } => panic!("nothing was known"),
        }
    }

    fn drawn(&self) -> usize {
        self.reader.drawn.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn an_image_is_drawn_once_and_each_page_and_scale_is_another() {
    let env = image_fixture(100).await;
    let (tag, png) = env.image(1, 1.5).await;
    assert_eq!(&*png, b"1 at 1.5");
    assert_eq!(env.image(1, 1.5).await, (tag.clone(), png));
    assert_eq!(env.drawn(), 1);
    for (page, scale) in [(2, 1.5), (1, 2.0)] {
        assert_ne!(env.image(page, scale).await.0, tag);
    }
    assert_eq!(env.drawn(), 3);
}

/// Otherwise a client could have a page drawn again and again, and fill the cache.
#[tokio::test]
async fn scales_snap_to_the_few_in_use() {
    let env = image_fixture(100).await;
    let (tag, png) = env.image(1, 1.5).await;
    for scale in [1.01, 1.2, 1.499_999] {
        assert_eq!(env.image(1, scale).await, (tag.clone(), png.clone()), "{scale}");
    }
    for number in 0..50_u8 {
        env.image(1, 0.1 + f32::from(number) * 0.078).await;
    }
    assert_eq!(env.drawn(), SCALES.len());
    assert_eq!(&*env.image(2, 0.1).await.1, b"2 at 0.5");
}

#[tokio::test]
async fn a_matching_etag_is_answered_without_drawing() {
    let env = image_fixture(1).await;
    let (tag, _) = env.image(1, 1.0).await;
    let again = ImageRequest { known: Some(tag.clone()), ..env.request(1, 1.0) };
    assert_eq!(env.images.image(again).await.unwrap(), ImageResponse::Unchanged { tag });
}

#[tokio::test]
async fn concurrent_requests_wait_for_one_drawing() {
    let env = image_fixture(0).await;
    let asking: Vec<_> = (0..8)
        .map(|_| {
            let (images, request) = (env.images.clone(), env.request(1, 1.0));
            tokio::spawn(async move { images.image(request).await.unwrap() })
        })
        .collect();
    env.reader.permits.add_permits(1);
    for asker in asking {
        assert!(matches!(asker.await.unwrap(), ImageResponse::Image { .. }));
    }
    assert_eq!(env.drawn(), 1);
}

#[tokio::test]
async fn a_failure_is_not_kept_and_a_scale_out_of_bounds_draws_nothing() {
    let env = image_fixture(100).await;
    for _ in 0..2 {
        assert!(matches!(env.images.image(env.request(9, 1.0)).await, Err(ImageError::Read(_))));
    }
    assert_eq!(env.drawn(), 2);
    for scale in [0.0, -1.0, 4.1, f32::NAN, f32::INFINITY] {
        let refused = env.images.image(env.request(1, scale)).await;
        assert!(matches!(refused, Err(ImageError::Scale(..))), "{scale}");
    }
    let unknown = ImageRequest { document: DocumentId::new(), ..env.request(1, 1.0) };
    assert!(matches!(env.images.image(unknown).await, Err(ImageError::Other(Error::NotFound(_)))));
    assert_eq!(env.drawn(), 2);
}

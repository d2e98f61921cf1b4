//! A document that cannot be indexed does not keep the others from it.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use quire_connectors::blob::DiskBlobs;
use quire_domain::reading::{FileKind, Line, Page, Rect, Word};
use quire_ports::{FindQuery, FoundOrder, ModelError, ModelErrorKind, TextQuery};
use quire_testkit::fixture::StoreFixture;
use quire_understanding::search::{Term, hashed_vector};
use tempfile::TempDir;

use super::*;
use crate::document::pages::PagesArtifact;
use crate::lanes::LaneLimits;

/// Refuses texts with a certain word, and does not answer for another one. Counts the requests.
#[derive(Default)]
struct Picky(AtomicU32);

#[async_trait]
impl Embedder for Picky {
    fn model(&self) -> &'static str {
        "picky"
    }

    fn is_lexical(&self) -> bool {
        true
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Vec<Vec<f32>>, ModelError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        for (word, kind) in [("refused", ModelErrorKind::Refused), ("silent", ModelErrorKind::Unavailable)] {
            if request.texts.iter().any(|text| text.contains(word)) {
                return Err(ModelError::new(kind, "no"));
            }
        }
        Ok(request.texts.iter().map(|text| hashed_vector(text)).collect())
    }
}

struct IndexFixture {
    fixture: StoreFixture,
    blobs: Arc<DiskBlobs>,
    embedder: Arc<Picky>,
    indexer: Indexer,
    _folder: TempDir,
}

impl IndexFixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Arc::new(DiskBlobs::open(folder.path()).unwrap());
        let fixture = quire_sqlite::testing::store_fixture().await;
        let embedder = Arc::new(Picky::default());
        let limits = LaneLimits { per_process: 4, per_installation: None, ocr: 1 };
        let lanes = LanePermits::new(&fixture.store, limits);
        let indexer = Indexer::new(fixture.store.clone(), blobs.clone(), Some(embedder.clone()), lanes);
        Self { fixture, blobs, embedder, indexer, _folder: folder }
    }

    /// A completed document with a page of this one word, which is not indexed yet.
    async fn add(&self, text: &str) -> DocumentId {
        let (id, run, _) = self.fixture.interpreted_document().await;
        let rect = Rect { x0: 0.0, y0: 0.0, x1: 9.0, y1: 9.0 };
        let words = vec![Word::new(text, rect)];
        let page = Page { lines: vec![Line { words, opens_paragraph: true }], ..Page::default() };
        let path = format!("{id}/runs/{run}/pages.1.jsonl");
        self.blobs.put(&path, serde_json::to_vec(&page).unwrap()).await.unwrap();
        let index = PagesArtifact {
            path,
            bytes: None,
            sha256: None,
            kind: FileKind::Pdf,
            pages: Vec::new(),
            covered_used: false,
            text_properties: Vec::new(),
            text_reliability: None,
        };
        let (artifact, run) = (self.fixture.sql.id(uuid::Uuid::now_v7()), self.fixture.sql.id(run.0));
        let payload = serde_json::to_string(&index).unwrap();
        let insert = format!(
            "INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at) VALUES ({artifact}, {run}, 'PAGES', '{payload}', 1)"
        );
        self.fixture.sql.execute(&insert).await.unwrap();
        id
    }

    async fn run(&self) -> PortResult<IndexReport> {
        self.indexer.run(&CancellationToken::new()).await
    }

    fn requests(&self) -> u32 {
        self.embedder.0.load(Ordering::Relaxed)
    }

    async fn found(&self, word: &str) -> usize {
        let text = TextQuery { terms: vec![vec![Term::Word(word.to_owned())]], ..TextQuery::default() };
        let order = FoundOrder::Best;
        let query = FindQuery { text, conditions: Vec::new(), among: None, order, limit: 9, count_limit: 9 };
        self.fixture.store.search.find(&query).await.unwrap().documents.len()
    }
}

#[tokio::test]
async fn a_document_that_the_model_refuses_is_found_by_its_words_and_tried_again_later() {
    let index = IndexFixture::new().await;
    index.add("refused").await;
    index.add("first").await;
    index.add("second").await;
    assert_eq!(index.indexer.count().await.unwrap(), 3);
    let report = index.run().await.unwrap();
    assert_eq!((report.indexed, report.failed), (2, 1));
    assert_eq!(index.indexer.count().await.unwrap(), 1);
    assert_eq!((index.found("first").await, index.found("second").await), (1, 1));
    assert_eq!(index.found("refused").await, 1, "by its words");
    let due = index.indexer.next_due().unwrap();
    let asked = index.requests();
    assert_eq!(index.run().await.unwrap().failed, 1);
    assert_eq!(index.requests(), asked, "nobody pays for it again before its time");
    index.indexer.failed.lock().unwrap().values_mut().for_each(|failed| failed.due = Instant::now());
    index.indexer.run_failed(&CancellationToken::new()).await.unwrap();
    assert_eq!(index.requests(), asked + 1);
    assert!(index.indexer.next_due().unwrap() > due + BASE_RETRY_DELAY / 2, "and then it waits longer");
}

#[tokio::test]
async fn many_refused_documents_do_not_keep_the_others_from_being_indexed() {
    let index = IndexFixture::new().await;
    for _ in 0..5 {
        index.add("refused").await;
    }
    index.add("later").await;
    assert_eq!(index.run().await.unwrap().failed, 5);
    assert_eq!(index.found("later").await, 1);
}

#[tokio::test]
async fn a_model_that_does_not_answer_ends_the_attempt() {
    let index = IndexFixture::new().await;
    for _ in 0..3 {
        index.add("silent").await;
    }
    index.add("later").await;
    assert!(index.run().await.is_err());
    assert_eq!(index.found("later").await, 0, "the model is asked again later, not for each document");
}

#[test]
fn the_pause_doubles_up_to_a_limit() {
    assert_eq!([1, 2, 3].map(|tries| delay(tries).as_secs()), [30, 60, 120]);
    assert_eq!(delay(u32::MAX), MAX_RETRY);
}

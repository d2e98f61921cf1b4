use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_connectors::blob::DiskBlobs;
use quire_domain::{Event, EventId, Run, SubjectId};
use quire_ports::{
    AddOutcome, DocumentFilter, DocumentListQuery, DocumentOverview, Documents, EventFilter,
    LeastConfidentQuery, PortResult, RunFilter, SubjectPresence,
};
use quire_testkit::fixture::StoreFixture;
use tempfile::TempDir;

use super::*;

/// The outcome of a transaction.
#[derive(Clone, Copy, PartialEq)]
enum PlannedOutcome {
    Refused,
    Busy,
    Full,
    NotMade,
    MadeWithoutAnAnswer,
    /// The first transaction is made without an answer, and the second is refused.
    MadeThenRefused,
    /// The first transaction is made without an answer, and the second waits too long for a lock.
    MadeThenBusy,
    /// The first transaction is still running when the second is refused.
    RunningThenRefused,
    LostWithTheDatabase,
}

/// A document store whose next transaction fails.
struct FailingDocuments {
    real: Arc<dyn Documents>,
    outcome: PlannedOutcome,
    tries: AtomicU32,
}

fn unavailable() -> PortError {
    PortError::Unavailable { service: "database", reason: "rehearsed".to_owned(), contention: false }
}

#[async_trait]
impl Documents for FailingDocuments {
    async fn add(&self, intake: NewDocument, at: Timestamp) -> PortResult<AddOutcome> {
        let is_first = self.tries.fetch_add(1, Ordering::Relaxed) == 0;
        match self.outcome {
            PlannedOutcome::NotMade | PlannedOutcome::RunningThenRefused if is_first => Err(unavailable()),
            PlannedOutcome::LostWithTheDatabase => Err(unavailable()),
            PlannedOutcome::MadeWithoutAnAnswer
            | PlannedOutcome::MadeThenRefused
            | PlannedOutcome::MadeThenBusy
                if is_first =>
            {
                self.real.add(intake, at).await?;
                Err(unavailable())
            }
            PlannedOutcome::Refused
            | PlannedOutcome::MadeThenRefused
            | PlannedOutcome::RunningThenRefused => Err(PortError::Conflict("rehearsed".to_owned())),
            PlannedOutcome::Busy | PlannedOutcome::MadeThenBusy => Err(PortError::Unavailable {
                service: "database",
                reason: "rehearsed".to_owned(),
                contention: true,
            }),
            PlannedOutcome::Full => Err(PortError::Full { service: "database" }),
            PlannedOutcome::NotMade | PlannedOutcome::MadeWithoutAnAnswer => self.real.add(intake, at).await,
        }
    }

    async fn find(&self, id: DocumentId) -> PortResult<Document> {
        if self.outcome == PlannedOutcome::LostWithTheDatabase {
            Err(unavailable())
        } else {
            self.real.find(id).await
        }
    }

    async fn overview(&self, _: DocumentId) -> PortResult<DocumentOverview> {
        Err(unavailable())
    }

    async fn overviews(&self, _: &[DocumentId]) -> PortResult<Vec<DocumentOverview>> {
        Err(unavailable())
    }

    async fn list(&self, _: DocumentListQuery) -> PortResult<Vec<DocumentOverview>> {
        Err(unavailable())
    }

    async fn count(&self, _: DocumentFilter, _: u32) -> PortResult<u32> {
        Err(unavailable())
    }

    async fn least_confident(&self, _: LeastConfidentQuery) -> PortResult<Vec<DocumentOverview>> {
        Err(unavailable())
    }

    async fn count_awaiting_review(&self, _: u32) -> PortResult<u32> {
        Err(unavailable())
    }

    async fn duplicates(&self, _: &Document, _: u32) -> PortResult<Vec<DocumentId>> {
        Err(unavailable())
    }

    async fn reprocess_as(&self, _: &NewRun, _: Option<&str>, _: Event) -> PortResult<Run> {
        Err(unavailable())
    }

    async fn set_language(&self, _: DocumentId, _: Option<&str>, _: Event) -> PortResult<()> {
        Err(unavailable())
    }

    async fn set_hidden(&self, _: &quire_ports::HideRequest) -> PortResult<quire_ports::HideOutcome> {
        Err(unavailable())
    }

    async fn purge(&self, _: SubjectId, _: Timestamp) -> PortResult<u64> {
        Err(unavailable())
    }

    async fn presence(&self, _: &[SubjectId]) -> PortResult<Vec<SubjectPresence>> {
        Err(unavailable())
    }
}

struct UploadFixture {
    fixture: StoreFixture,
    folder: TempDir,
    settings: UploadSettings,
}

impl UploadFixture {
    async fn new() -> Self {
        let settings = UploadSettings {
            kinds: vec![FileKind::Pdf, FileKind::Text],
            max_bytes: 1 << 20,
            schema: "veterinary-record".to_owned(),
        };
        Self {
            fixture: quire_sqlite::testing::store_fixture().await,
            folder: tempfile::tempdir().unwrap(),
            settings,
        }
    }

    async fn upload(&self, store: Store, file: &[u8]) -> Result<DocumentView, UploadError> {
        let blobs = Arc::new(DiskBlobs::open(self.folder.path()).unwrap());
        let mut upload = Upload::begin(store, blobs, Arc::new(self.settings.clone()));
        for piece in file.chunks(50_000) {
            upload.write(piece).await?;
        }
        let first = FirstRunOptions {
            priority: Priority::High,
            correlation_id: Some("req-1".to_owned()),
            extractor: None,
        };
        upload.finish("folder/record.pdf", Some(first), &uploader(None)).await
    }

    fn store(&self, outcome: PlannedOutcome) -> Store {
        let real = self.fixture.store.documents.clone();
        Store {
            documents: Arc::new(FailingDocuments { real, outcome, tries: AtomicU32::default() }),
            ..self.fixture.store.clone()
        }
    }

    async fn runs(&self) -> Vec<Run> {
        self.fixture.store.run_reader.runs(&RunFilter { limit: 10, ..RunFilter::default() }).await.unwrap()
    }

    /// The files of the folder. The folder of temporary files must be empty.
    fn files(&self) -> Vec<String> {
        let names = |folder: &std::path::Path| -> Vec<String> {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        assert_eq!(names(&self.folder.path().join("~incoming")), [""; 0]);
        let mut found = names(self.folder.path());
        found.retain(|name| name != "~incoming");
        found
    }
}

fn uploader(key: Option<UploadKey>) -> Uploader {
    Uploader { actor: "ana".to_owned(), key }
}

fn pdf(length: usize) -> Vec<u8> {
    [b"%PDF-1.7\n".to_vec(), vec![b'.'; length]].concat()
}

/// Proves R031 and R049.
#[tokio::test]
async fn an_upload_stores_the_file_its_hash_and_the_first_run() {
    let env = UploadFixture::new().await;
    let file = pdf(700_000);
    let taken = env.upload(env.fixture.store.clone(), &file).await.unwrap();
    let id = taken.overview.document.id;
    let document = env.fixture.store.documents.find(id).await.unwrap();
    assert_eq!(
        env.fixture.store.documents.overview(id).await.unwrap(),
        taken.overview,
        "what is answered is stored"
    );
    assert_eq!(document.original_filename, "record.pdf");
    assert_eq!((document.content_type.as_str(), document.file_size), ("application/pdf", file.len() as u64));
    assert_eq!(document.content_hash, <[u8; 32]>::from(Sha256::digest(&file)));
    assert_eq!(document.storage_path, format!("{}/original.pdf", document.id));
    assert_eq!(document.review_status, ReviewStatus::InReview);
    assert!(std::fs::read(env.folder.path().join(&document.storage_path)).unwrap() == file);
    let runs = env.runs().await;
    assert_eq!(taken.overview.latest_run.as_slice(), runs);
    assert_eq!((runs[0].subject, runs[0].priority), (document.id.into(), Priority::High));
    assert_eq!(runs[0].correlation_id.as_deref(), Some("req-1"));
}

/// Proves R052.
#[tokio::test]
async fn when_the_record_is_not_made_the_file_goes_again() {
    for outcome in [PlannedOutcome::Refused, PlannedOutcome::Busy] {
        let env = UploadFixture::new().await;
        let refused = env.upload(env.store(outcome), &pdf(10)).await;
        assert!(matches!(refused, Err(UploadError::Other(_))), "{refused:?}");
        assert_eq!(env.files(), [""; 0]);
        assert!(env.runs().await.is_empty());
    }
}

/// A file that stayed would make a full disk fuller with each upload.
#[tokio::test]
async fn when_the_disk_of_the_database_is_full_the_file_goes_again() {
    let env = UploadFixture::new().await;
    let refused = env.upload(env.store(PlannedOutcome::Full), &pdf(10)).await;
    assert_eq!(refused, Err(UploadError::DiskFull));
    assert_eq!(env.files(), [""; 0]);
    assert!(env.runs().await.is_empty());
}

#[tokio::test]
async fn when_an_answer_is_lost_the_record_is_there_once_and_keeps_its_file() {
    for outcome in [
        PlannedOutcome::MadeWithoutAnAnswer,
        PlannedOutcome::NotMade,
        PlannedOutcome::MadeThenRefused,
        PlannedOutcome::MadeThenBusy,
    ] {
        let env = UploadFixture::new().await;
        let taken = env.upload(env.store(outcome), &pdf(10)).await.unwrap();
        assert_eq!(env.files(), [taken.overview.document.id.to_string()]);
        assert_eq!(env.runs().await.len(), 1);
    }
}

#[tokio::test]
async fn the_file_stays_while_the_outcome_of_the_insert_is_unknown() {
    let env = UploadFixture::new().await;
    let refused = env.upload(env.store(PlannedOutcome::LostWithTheDatabase), &pdf(10)).await;
    assert_eq!(refused, Err(UploadError::Other(unavailable().into())));
    assert_eq!(env.files().len(), 1);
}

/// Proves R052's other half: a second error does not end the doubt that the first one left.
#[tokio::test]
async fn while_the_first_transaction_may_still_commit_the_file_stays() {
    let env = UploadFixture::new().await;
    let refused = env.upload(env.store(PlannedOutcome::RunningThenRefused), &pdf(10)).await;
    assert_eq!(
        refused,
        Err(UploadError::Other(unavailable().into())),
        "the client learns that it is in doubt"
    );
    assert_eq!(env.files().len(), 1);
}

/// Proves R053.
#[tokio::test]
async fn without_the_file_there_is_no_record() {
    let env = UploadFixture::new().await;
    let blobs = Arc::new(DiskBlobs::open(env.folder.path().join("documents")).unwrap());
    let settings = Arc::new(env.settings.clone());
    let mut upload = Upload::begin(env.fixture.store.clone(), blobs, settings);
    upload.write(&pdf(10)).await.unwrap();
    std::fs::remove_dir_all(env.folder.path().join("documents")).unwrap();
    let refused = upload.finish("record.pdf", None, &uploader(None)).await;
    assert!(matches!(refused, Err(UploadError::Other(Error::Unavailable { .. }))), "{refused:?}");
    let events = env.fixture.store.run_reader.events(EventId(0), EventFilter::default(), 10).await.unwrap();
    assert_eq!(events, []);
}

/// Proves R058 to R060 below HTTP.
#[tokio::test]
async fn what_is_too_large_empty_or_of_another_kind_is_refused_and_leaves_nothing() {
    let env = UploadFixture::new().await;
    let kinds = env.settings.kinds.clone();
    let png = [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 600_000]].concat();
    for (file, error) in [
        (pdf(1 << 20), UploadError::TooLarge { max_bytes: 1 << 20 }),
        (Vec::new(), UploadError::Empty),
        (png, UploadError::Unsupported { kinds: kinds.clone() }),
        (b"\0\x01\x02".to_vec(), UploadError::Unsupported { kinds }),
    ] {
        assert_eq!(env.upload(env.fixture.store.clone(), &file).await, Err(error));
    }
    assert!(
        env.upload(env.fixture.store.clone(), &pdf((1 << 20) - 9)).await.is_ok(),
        "exactly the limit is taken"
    );
    assert_eq!(env.runs().await.len(), 1);
}

/// Proves R068's half about uploads.
#[tokio::test]
async fn without_processing_a_document_gets_no_run() {
    let env = UploadFixture::new().await;
    let blobs = Arc::new(DiskBlobs::open(env.folder.path()).unwrap());
    let settings = Arc::new(env.settings.clone());
    let mut upload = Upload::begin(env.fixture.store.clone(), blobs, settings);
    upload.write(b"Paciente: Luna").await.unwrap();
    let taken = upload.finish("", None, &uploader(None)).await.unwrap();
    assert_eq!(taken.overview.latest_run, None);
    assert_eq!(taken.processing.status.as_str(), "UPLOADED");
    assert_eq!(taken.overview.document.original_filename, "document.txt");
    assert!(env.runs().await.is_empty());
    assert_eq!(env.files().len(), 1);
}

/// Proves R026 below HTTP: a key is one person's, and lasts a day.
#[tokio::test]
async fn a_key_identifies_an_upload_by_owner_request_and_day() {
    let env = UploadFixture::new().await;
    let clock = Arc::new(quire_testkit::FakeClock::at(quire_testkit::fixture::at(0)));
    let store = Store { clock: clock.clone(), ..env.fixture.store.clone() };
    let send = async |actor: &str, position: u32, is_last: bool| {
        let blobs = Arc::new(DiskBlobs::open(env.folder.path()).unwrap());
        let mut upload = Upload::begin(store.clone(), blobs, Arc::new(env.settings.clone()));
        upload.write(&pdf(10)).await?;
        let key = Some(UploadKey { key: "k".to_owned(), position, is_last });
        upload.finish("a.pdf", None, &Uploader { actor: actor.to_owned(), key }).await
    };
    let first = send("ana", 0, true).await.unwrap();
    clock.advance(jiff::SignedDuration::from_hours(24));
    assert_eq!(send("ana", 0, true).await.as_ref(), Ok(&first));
    assert_eq!(send("ana", 0, false).await, Err(UploadError::KeyReused), "one more file follows");
    let (other, next) = (send("eva", 0, true).await.unwrap(), send("ana", 1, true).await.unwrap());
    clock.advance(jiff::SignedDuration::from_secs(1));
    let anew = send("ana", 0, false).await.unwrap();
    let ids: std::collections::BTreeSet<_> =
        [&first, &other, &next, &anew].map(|taken| taken.overview.document.id).into();
    assert_eq!((ids.len(), env.files().len()), (4, 4));
}

//! Documents that Document Intelligence reads, with the real client and a server that checks the contract.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::SignedDuration;
use quire_application::engine::PipelineSetup;
use quire_application::lanes::LanePermits;
use quire_application::search::LexicalEmbedder;
use quire_application::steps::{
    ConfidenceCalibrator, DocumentIntelligenceOptions, DocumentIntelligenceReader, EmbeddingStep,
    ExtractionStep, InterpretationStep, KeptPages, RuleInterpreter, UnreadableSchema,
};
use quire_connectors::blob::DiskBlobs;
use quire_connectors::document_intelligence::{DocumentIntelligence, DocumentIntelligenceSettings};
use quire_connectors::http::{HttpClient, HttpOptions};
use quire_domain::reading::{Extractor, FileKind, Line, Page, Reading, Rect, Word};
use quire_domain::{
    Document, DocumentId, EventType, LaneName, NewRun, PipelinePlan, RetryPolicy, RunId, StepName,
};
use quire_ports::{
    AcceptedOperation, AnalysisError, AnalysisRequest, BlobStore, Clock, DocumentAnalyser, DocumentJob,
    DocumentReader, OperationState, PageImageRequest, ReadError, ReadOutput, ReadRequest, Step,
};
use quire_testkit::DocumentIntelligenceServer;
use quire_testkit::document_intelligence_server::{
    AnalysisFault, LayoutLine, LayoutPage, analyze_result, photographed_invoice,
};
use quire_testkit::fixture::{self, document, document_run};
use quire_understanding::{Schema, SchemaFile, Value};
use tempfile::TempDir;
use tokio::sync::Notify;

use crate::fixture::{EngineFixture, LEASE_TERM, fail_policy, requeue_policy};

crate::on_each_store! {
    a_document_is_read_by_the_service_and_its_pairs_and_cost_are_kept,
    a_slow_operation_waits_in_the_queue_without_a_slot_and_is_paid_once,
    a_worker_that_dies_between_submission_and_poll_is_followed_by_one_that_polls,
    a_rate_limit_with_a_time_closes_the_lane_and_counts_nothing,
    provider_errors_are_counted_and_logged_and_the_worker_goes_on,
    a_crash_before_the_operation_is_stored_pays_once_more_and_is_counted,
    a_vanished_operation_is_submitted_again_and_both_are_paid_for,
    a_vanished_operation_is_polled_once_although_its_lane_is_closed_meanwhile,
    an_accepted_file_whose_operation_cannot_be_polled_is_paid_for,
    pages_that_the_service_left_out_are_named,
    a_photographed_invoice_in_the_shape_of_the_service_gets_its_table_and_pairs,
    a_failed_operation_ends_the_run_or_falls_back_to_the_local_reader,
    a_schema_chooses_the_service_and_without_one_the_run_says_so,
    a_spent_budget_sends_no_file,
}

const KEY: &str = "di-test";
const HOUR: Duration = Duration::from_hours(1);

/// The local reader of the tests, which knows how many pages a file has.
struct LocalWords {
    pages: Option<usize>,
}

#[async_trait]
impl DocumentReader for LocalWords {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        let text = "read on this machine because the service could not read the document today";
        let word = |text: &str| Word::new(text, Rect { x0: 0.0, y0: 0.0, x1: 9.0, y1: 9.0 });
        let words = text.split(' ').map(word).collect();
        let lines = vec![Line { words, opens_paragraph: false }];
        let page = Page { width: 600.0, height: 800.0, lines, ..Page::default() };
        let kind = FileKind::sniff(&request.file).unwrap();
        Ok(ReadOutput { kind, reading: Reading { pages: vec![page] }, covered_used: false, language: None })
    }

    async fn image(&self, _: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        unreachable!("no test draws a page")
    }

    async fn page_count(&self, _: Arc<[u8]>) -> Option<usize> {
        self.pages
    }
}

fn line(y: f64, text: &str) -> LayoutLine {
    LayoutLine { x: 1.0, y, size: 0.1, text: text.to_owned() }
}

pub fn server() -> DocumentIntelligenceServer {
    let lines = vec![
        line(1.0, "Historia cl\u{ed}nica de la paciente"),
        line(1.5, "Nombre: Luna"),
        line(2.0, "Acude a consulta por otitis y se pauta tratamiento durante siete d\u{ed}as."),
    ];
    let page = LayoutPage { width: 8.5, height: 11.0, unit: "inch", angle: 0.0, lines };
    DocumentIntelligenceServer::start(KEY, analyze_result(&[page], &[("Especie", "Canina", 0.81)]))
}

pub fn options() -> DocumentIntelligenceOptions {
    DocumentIntelligenceOptions {
        wait_in_slot: Duration::ZERO,
        max_wait: SignedDuration::from_hours(1),
        price_per_page: Some(0.5),
        max_cost_per_day: 0.0,
        fallback: false,
        max_attempts: 2,
    }
}

/// The document pipeline with its real steps, and the storage of the files.
pub struct Documents {
    blobs: Arc<dyn BlobStore>,
    /// The pages of every file, if this machine can tell.
    pages: Option<usize>,
    kept_pages: Arc<KeptPages>,
    _folder: TempDir,
}

impl Documents {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::in_storage(Arc::new(DiskBlobs::open(folder.path()).unwrap()), folder)
    }

    /// Documents in this storage, which needs this folder.
    pub fn in_storage(blobs: Arc<dyn BlobStore>, folder: TempDir) -> Self {
        Self { blobs, pages: None, kept_pages: Arc::default(), _folder: folder }
    }

    /// Adds a document with a run that this extractor reads.
    async fn add(&self, fixture: &EngineFixture, extractor: Option<Extractor>) -> RunId {
        self.add_with(fixture, extractor, Schema::DEFAULT).await
    }

    /// Adds a document of a schema for the service.
    async fn add_with_schema(&self, fixture: &EngineFixture, schema: &str) -> RunId {
        self.add_with(fixture, Some(Extractor::DocumentIntelligence), schema).await
    }

    async fn add_with(&self, fixture: &EngineFixture, extractor: Option<Extractor>, schema: &str) -> RunId {
        let file = b"%PDF-1.7 a file";
        let content_hash = quire_application::document::content_hash(&file[..]).unwrap();
        let document = Document { content_hash, schema: schema.to_owned(), ..document(DocumentId::new()) };
        self.blobs.put(&document.storage_path, file.to_vec()).await.unwrap();
        let run = NewRun { extractor, ..document_run(document.id.into()) };
        fixture.store_fixture.add_document(&document, Some(&run), fixture::start()).await;
        run.id
    }

    async fn add_for_service(&self, fixture: &EngineFixture) -> RunId {
        self.add(fixture, Some(Extractor::DocumentIntelligence)).await
    }

    fn pipeline(
        &self,
        fixture: &EngineFixture,
        policy: RetryPolicy,
        service: Option<(&DocumentIntelligenceServer, DocumentIntelligenceOptions)>,
    ) -> Vec<PipelineSetup> {
        let analyser = |server| -> Arc<dyn DocumentAnalyser> { Arc::new(client(server)) };
        self.pipeline_with(fixture, policy, service.map(|(server, options)| (analyser(server), options)))
    }

    /// The pipeline with the step EMBEDDING, too.
    pub fn whole_pipeline(
        &self,
        fixture: &EngineFixture,
        policy: RetryPolicy,
        service: Option<(&DocumentIntelligenceServer, DocumentIntelligenceOptions)>,
    ) -> Vec<PipelineSetup> {
        let mut setups = self.pipeline(fixture, policy, service);
        let embedding = EmbeddingStep {
            history: fixture.store.run_reader.clone(),
            blobs: self.blobs.clone(),
            embedder: Arc::new(LexicalEmbedder),
            clock: fixture.store.clock.clone(),
            kept_pages: self.kept_pages.clone(),
        };
        setups[0].plan.steps.push(StepName::Embedding);
        setups[0].steps.insert(StepName::Embedding, Arc::new(embedding));
        setups
    }

    fn pipeline_with(
        &self,
        fixture: &EngineFixture,
        policy: RetryPolicy,
        service: Option<(Arc<dyn DocumentAnalyser>, DocumentIntelligenceOptions)>,
    ) -> Vec<PipelineSetup> {
        let store = &fixture.store;
        let service = service.map(|(analyser, options)| DocumentIntelligenceReader {
            analyser,
            queue: store.queue.clone(),
            history: store.run_reader.clone(),
            calls: store.model_calls.clone(),
            clock: store.clock.clone(),
            lanes: fixture.lanes.clone(),
            options,
        });
        let extraction = ExtractionStep {
            documents: store.documents.clone(),
            blobs: self.blobs.clone(),
            reader: Arc::new(LocalWords { pages: self.pages }),
            document_intelligence: service,
            governance: store.governance.clone(),
            extractor: Extractor::Local,
            max_bytes: 1 << 20,
            lanes: fixture.lanes.clone(),
        };
        let interpretation = InterpretationStep {
            history: store.run_reader.clone(),
            blobs: self.blobs.clone(),
            governance: store.governance.clone(),
            interpreter: Arc::new(RuleInterpreter { clock: store.clock.clone() }),
            calibrator: ConfidenceCalibrator {
                calibration: store.calibration.clone(),
                policy: Arc::default(),
            },
            clock: store.clock.clone(),
            unreadable: UnreadableSchema::default(),
            kept_pages: Some(self.kept_pages.clone()),
        };
        let steps: [(StepName, Arc<dyn Step>); 2] = [
            (StepName::Extraction, Arc::new(extraction)),
            (StepName::Interpretation, Arc::new(interpretation)),
        ];
        let plan = PipelinePlan { limit: SignedDuration::from_hours(1000), ..fixture::document_plan() };
        vec![PipelineSetup { plan, policy, steps: HashMap::from(steps) }]
    }
}

fn client(server: &DocumentIntelligenceServer) -> DocumentIntelligence {
    let settings = DocumentIntelligenceSettings {
        url: server.url.clone(),
        allow_http: false,
        api_key: KEY.to_owned(),
        model: "prebuilt-layout".to_owned(),
        key_value_pairs: true,
        timeout: Duration::from_secs(10),
        poll_interval: Duration::from_secs(1),
        max_response_bytes: 1 << 20,
    };
    DocumentIntelligence::new(HttpClient::new(&HttpOptions::default()).unwrap(), settings).unwrap()
}

async fn job(fixture: &EngineFixture, run: RunId) -> DocumentJob {
    let subject = fixture.run(run).await.subject;
    fixture.store.run_reader.jobs(subject).await.unwrap().remove(0)
}

/// The codes of a job's error log.
fn logged(job: &DocumentJob) -> Vec<String> {
    let log: Vec<serde_json::Value> = serde_json::from_str(&job.error_log).unwrap();
    log.iter().map(|entry| entry["error_code"].as_str().unwrap().to_owned()).collect()
}

async fn error_code(fixture: &EngineFixture, run: RunId) -> String {
    fixture.run(run).await.state.reason().unwrap().record.error_code.clone()
}

/// Waits until the address of an operation is stored.
async fn wait_for_operation(fixture: &EngineFixture, run: RunId) {
    let is_stored = || async {
        let artifacts = fixture.store.run_reader.artifacts(run).await.unwrap();
        artifacts.iter().any(|artifact| artifact.payload.contains("analyzeResults"))
    };
    fixture.observer.wait_until(is_stored).await;
}

/// Proves R202: text, boxes and pairs of the service become an interpretation, and its cost is recorded.
async fn a_document_is_read_by_the_service_and_its_pairs_and_cost_are_kept(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    let run = documents.add_for_service(&fixture).await;
    let local = documents.add(&fixture, Some(Extractor::Local)).await;
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    fixture.wait_for_state_advancing(local, "COMPLETED").await;
    engine.stop().await;
    assert_eq!(server.submitted(), [b"%PDF-1.7 a file".to_vec()], "the other one is read here");

    let version = fixture.store.reviews.version(run, None).await.unwrap().unwrap();
    let field = |key: &str| version.data.fields.iter().find(|field| field.key == key);
    assert_eq!(field("pet_name").unwrap().value, Value::Text("Luna".to_owned()), "{:?}", version.data.fields);
    assert!(!field("pet_name").unwrap().evidence.as_ref().unwrap().boxes.is_empty());
    let species = field("species").unwrap();
    assert!((species.candidate_confidence - 0.81).abs() < 1e-6, "{species:?}");
    let rows = format!(
        "SELECT count(*) FROM document_fields WHERE run_id = {}",
        fixture.store_fixture.sql.id(run.0)
    );
    let stored = usize::try_from(fixture.store_fixture.sql.number(&rows).await).unwrap();
    assert_eq!(stored, version.data.fields.len());
    let calls = fixture.store.model_calls.of_run(run).await.unwrap();
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].outcome.as_str(), calls[0].cost), ("OK", Some(0.5)));
    let job = job(&fixture, run).await;
    assert_eq!(
        (job.status.as_str(), job.completed_at.is_some(), job.error_log.as_str()),
        ("COMPLETED", true, "[]")
    );
}

/// Proves R202: between two polls the run is queued, holds no slot and loses no attempt.
async fn a_slow_operation_waits_in_the_queue_without_a_slot_and_is_paid_once(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    server.run_for(3, Some(30));
    let run = documents.add_for_service(&fixture).await;
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state(run, "QUEUED").await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    let postponed =
        fixture.event_types(run).await.into_iter().filter(|kind| *kind == EventType::StepPostponed);
    assert_eq!(postponed.count(), 4, "before the first poll and after each of three");
    assert_eq!((server.submitted().len(), server.polls()), (1, 4));
    let job = job(&fixture, run).await;
    assert_eq!((job.attempts, job.error_log.as_str()), (0, "[]"));
}

/// Proves R202: a crash after the address is stored pays nothing twice.
async fn a_worker_that_dies_between_submission_and_poll_is_followed_by_one_that_polls(
    fixture: EngineFixture,
) {
    let (server, documents) = (server(), Documents::new());
    server.run_for(0, Some(60));
    let run = documents.add_for_service(&fixture).await;
    let patient = DocumentIntelligenceOptions { wait_in_slot: HOUR, ..options() };
    let setup = documents.pipeline(&fixture, requeue_policy(), Some((&server, patient)));
    let first = fixture.start_engine(setup).await;
    wait_for_operation(&fixture, run).await;
    drop(first);
    fixture.clock.advance(LEASE_TERM);
    let setup = documents.pipeline(&fixture, requeue_policy(), Some((&server, patient)));
    let second = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    second.stop().await;
    assert_eq!(server.submitted().len(), 1);
    assert_eq!(fixture.store.model_calls.of_run(run).await.unwrap().len(), 1);
}

/// Proves R202 for E61: a 429 that names its time is logged and counts nothing, on both calls.
async fn a_rate_limit_with_a_time_closes_the_lane_and_counts_nothing(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    server.fault_submit(AnalysisFault::Status(429, Some(30)));
    server.fault_poll(AnalysisFault::Status(429, Some(40)));
    let run = documents.add_for_service(&fixture).await;
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    assert_eq!(server.submitted().len(), 1);
    let job = job(&fixture, run).await;
    assert_eq!(logged(&job), ["DOCUMENT_INTELLIGENCE_RATE_LIMITED", "DOCUMENT_INTELLIGENCE_RATE_LIMITED"]);
    assert_eq!(job.attempts, 0);
    assert_eq!(fixture.count_events(EventType::LaneClosed).await, 2);
}

/// Proves R046, R165, R167, R168, R171: each failed claim is counted and logged, and at the limit the job is FAILED.
async fn provider_errors_are_counted_and_logged_and_the_worker_goes_on(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    let faults = [
        AnalysisFault::Status(500, None),
        AnalysisFault::Status(429, None),
        AnalysisFault::Closed,
        AnalysisFault::Garbage,
        AnalysisFault::Status(503, None),
        AnalysisFault::Status(500, None),
    ];
    for fault in faults {
        server.fault_submit(fault);
    }
    let run = documents.add_for_service(&fixture).await;
    assert_eq!(job(&fixture, run).await.status, "PENDING");
    let setup = documents.pipeline(&fixture, requeue_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    let unavailable = "DOCUMENT_INTELLIGENCE_UNAVAILABLE".to_owned();
    for attempts in 1..=3u32 {
        fixture.wait_until_advancing(|| async { job(&fixture, run).await.attempts == attempts }).await;
        let job = job(&fixture, run).await;
        assert_eq!(logged(&job), vec![unavailable.clone(); attempts as usize]);
        if attempts < 3 {
            assert!(["PENDING", "PROCESSING"].contains(&job.status.as_str()), "{}", job.status);
            assert!(job.completed_at.is_none());
        } else {
            assert_eq!((job.status.as_str(), job.completed_at.is_some()), ("FAILED", true));
        }
    }
    let failure = fixture.run(run).await;
    let reason = failure.state.reason().unwrap();
    assert_eq!(
        (reason.failure_type.as_str(), reason.record.error_code.as_str()),
        ("EXTRACTION_FAILED", unavailable.as_str())
    );
    let next = documents.add_for_service(&fixture).await;
    fixture.wait_for_state_advancing(next, "COMPLETED").await;
    engine.stop().await;
    assert_eq!(server.submitted().len(), 1);
}

/// A service whose acceptance arrives, and whose response does not: the worker dies first.
struct DyingWorker {
    service: DocumentIntelligence,
    accepted: Arc<Notify>,
}

#[async_trait]
impl DocumentAnalyser for DyingWorker {
    async fn submit(&self, request: AnalysisRequest) -> Result<AcceptedOperation, AnalysisError> {
        self.service.submit(request).await?;
        self.accepted.notify_one();
        std::future::pending().await
    }

    async fn poll(&self, _: &str, _: Duration) -> Result<OperationState, AnalysisError> {
        unreachable!("nobody knows the operation")
    }
}

/// The outcomes and costs of the operations of a run, in order.
async fn costs(fixture: &EngineFixture, run: RunId) -> Vec<(String, Option<f64>)> {
    let calls = fixture.store.model_calls.of_run(run).await.unwrap();
    let mut costs: Vec<_> = calls.into_iter().map(|call| (call.outcome, call.cost)).collect();
    costs.sort_by(|one, other| one.0.cmp(&other.0));
    costs
}

/// Proves R202: only a crash before the address is stored pays twice. Both count for the budget of the day.
async fn a_crash_before_the_operation_is_stored_pays_once_more_and_is_counted(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents { pages: Some(3), ..Documents::new() });
    let run = documents.add_for_service(&fixture).await;
    let accepted = Arc::new(Notify::new());
    let dying: Arc<dyn DocumentAnalyser> =
        Arc::new(DyingWorker { service: client(&server), accepted: accepted.clone() });
    let first = fixture
        .start_engine(documents.pipeline_with(&fixture, requeue_policy(), Some((dying, options()))))
        .await;
    accepted.notified().await;
    drop(first);
    assert_eq!((server.submitted().len(), costs(&fixture, run).await), (1, vec![]), "it knows of nothing");
    fixture.clock.advance(LEASE_TERM);
    let setup = documents.pipeline(&fixture, requeue_policy(), Some((&server, options())));
    let second = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    assert_eq!(server.submitted().len(), 2);
    let expected = [("OK".to_owned(), Some(0.5)), ("UNKNOWN_OUTCOME".to_owned(), Some(1.5))];
    assert_eq!(costs(&fixture, run).await, expected, "the file has three pages, of which one was read");
    second.stop().await;

    let thrifty = DocumentIntelligenceOptions { max_cost_per_day: 1.6, ..options() };
    let next = documents.add_for_service(&fixture).await;
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, thrifty)));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(next, "FAILED").await;
    engine.stop().await;
    assert_eq!(error_code(&fixture, next).await, "DOCUMENT_INTELLIGENCE_BUDGET_SPENT");
}

async fn a_vanished_operation_is_submitted_again_and_both_are_paid_for(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    server.run_for(0, Some(60));
    let run = documents.add_for_service(&fixture).await;
    let patient = DocumentIntelligenceOptions { wait_in_slot: HOUR, ..options() };
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, patient)));
    let engine = fixture.start_engine(setup).await;
    wait_for_operation(&fixture, run).await;
    server.forget_operations();
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    assert_eq!(server.submitted().len(), 2);
    assert_eq!(job(&fixture, run).await.error_log, "[]");
    let expected = [("OK".to_owned(), Some(0.5)), ("VANISHED".to_owned(), Some(0.5))];
    assert_eq!(costs(&fixture, run).await, expected);
}

/// A service that has forgotten its operation, and whose lane another process closes at that moment.
struct ClosedMeanwhile {
    service: DocumentIntelligence,
    lanes: Arc<LanePermits>,
    clock: Arc<dyn Clock>,
    is_closed: AtomicBool,
}

#[async_trait]
impl DocumentAnalyser for ClosedMeanwhile {
    async fn submit(&self, request: AnalysisRequest) -> Result<AcceptedOperation, AnalysisError> {
        self.service.submit(request).await
    }

    async fn poll(&self, operation: &str, time: Duration) -> Result<OperationState, AnalysisError> {
        let polled = self.service.poll(operation, time).await;
        if !self.is_closed.swap(true, Ordering::SeqCst) {
            let opens_at = self.clock.now() + SignedDuration::from_secs(40);
            self.lanes.close(&LaneName::document_intelligence(), opens_at, "a test").await;
        }
        polled
    }
}

async fn a_vanished_operation_is_polled_once_although_its_lane_is_closed_meanwhile(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    server.run_for(0, Some(60));
    let run = documents.add_for_service(&fixture).await;
    let patient = DocumentIntelligenceOptions { wait_in_slot: HOUR, ..options() };
    let service: Arc<dyn DocumentAnalyser> = Arc::new(ClosedMeanwhile {
        service: client(&server),
        lanes: fixture.lanes.clone(),
        clock: fixture.store.clock.clone(),
        is_closed: AtomicBool::new(false),
    });
    let setup = documents.pipeline_with(&fixture, fail_policy(), Some((service, patient)));
    let engine = fixture.start_engine(setup).await;
    wait_for_operation(&fixture, run).await;
    server.forget_operations();
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    assert!(fixture.events(run).await.iter().any(quire_domain::Event::is_wait), "it found the lane closed");
    assert_eq!((server.submitted().len(), server.polls()), (2, 2), "the lost operation is not polled again");
    let expected = [("OK".to_owned(), Some(0.5)), ("VANISHED".to_owned(), Some(0.5))];
    assert_eq!(costs(&fixture, run).await, expected);
}

async fn an_accepted_file_whose_operation_cannot_be_polled_is_paid_for(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents { pages: Some(3), ..Documents::new() });
    server.fault_submit(AnalysisFault::Elsewhere);
    let run = documents.add_for_service(&fixture).await;
    let setup = documents.pipeline(&fixture, requeue_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    engine.stop().await;
    assert_eq!(server.submitted().len(), 1);
    assert_eq!(costs(&fixture, run).await, [("UNKNOWN_OUTCOME".to_owned(), Some(1.5))]);
}

/// The service reads only the first pages of a file beyond its limits, and does not say so.
async fn pages_that_the_service_left_out_are_named(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents { pages: Some(3), ..Documents::new() });
    let run = documents.add_for_service(&fixture).await;
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    let artifacts = fixture.store.run_reader.artifacts(run).await.unwrap();
    let index = artifacts.iter().find(|artifact| artifact.artifact_type == "PAGES").unwrap();
    let index: serde_json::Value = serde_json::from_str(&index.payload).unwrap();
    let codes: Vec<_> =
        index["pages"].as_array().unwrap().iter().map(|page| &page["unread"]["error_code"]).collect();
    let missing = serde_json::json!("DOCUMENT_INTELLIGENCE_PAGE_MISSING");
    assert_eq!(codes, [&serde_json::Value::Null, &missing, &missing]);
    assert_eq!(costs(&fixture, run).await, [("OK".to_owned(), Some(0.5))], "one page was read");
}

/// Proves R202 with a result of the real shape.
async fn a_photographed_invoice_in_the_shape_of_the_service_gets_its_table_and_pairs(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    server.set_result(photographed_invoice());
    let invoice = SchemaFile::built_in().into_iter().find(|file| file.schema.name == "invoice").unwrap();
    fixture.store.governance.seed_file(invoice, fixture::start()).await.unwrap();
    let run = documents.add_with_schema(&fixture, "invoice").await;
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    let version = fixture.store.reviews.version(run, None).await.unwrap().unwrap();
    let value = |key: &str| {
        let field = version.data.fields.iter().find(|field| field.key == key);
        serde_json::to_value(&field.unwrap_or_else(|| panic!("{key}: {:?}", version.data.fields)).value)
            .unwrap()
    };
    assert_eq!(value("invoice_number"), "2026-0417");
    let items = value("line_items");
    assert_eq!(items.as_array().unwrap().len(), 3, "{items}");
    assert_eq!(items[1]["description"], "Vacuna antirr\u{e1}bica");
}

async fn a_failed_operation_ends_the_run_or_falls_back_to_the_local_reader(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    server.fail_operation("InvalidRequest");
    let failed = documents.add_for_service(&fixture).await;
    let setup = documents.pipeline(&fixture, requeue_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(failed, "FAILED").await;
    engine.stop().await;
    assert_eq!(error_code(&fixture, failed).await, "DOCUMENT_INTELLIGENCE_FAILED");
    assert_eq!(
        fixture.store.model_calls.of_run(failed).await.unwrap()[0].outcome,
        "DOCUMENT_INTELLIGENCE_FAILED"
    );

    server.fail_operation("InvalidRequest");
    let run = documents.add_for_service(&fixture).await;
    let forgiving = DocumentIntelligenceOptions { fallback: true, ..options() };
    let setup = documents.pipeline(&fixture, requeue_policy(), Some((&server, forgiving)));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    engine.stop().await;
    let artifacts = fixture.store.run_reader.artifacts(run).await.unwrap();
    let outcome =
        artifacts.iter().find(|artifact| artifact.artifact_type == "DOCUMENT_INTELLIGENCE").unwrap();
    assert!(outcome.payload.contains("DOCUMENT_INTELLIGENCE_FAILED"), "{}", outcome.payload);
    assert_eq!(server.submitted().len(), 2);
}

async fn a_schema_chooses_the_service_and_without_one_the_run_says_so(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    let schema = Schema { extractor: Some(Extractor::DocumentIntelligence), ..Schema::built_in_default() };
    fixture.store.governance.seed(&schema, fixture::start()).await.unwrap();
    let run = documents.add(&fixture, None).await;
    let local = documents.add(&fixture, Some(Extractor::Local)).await;
    let setup = documents.pipeline(&fixture, fail_policy(), Some((&server, options())));
    let engine = fixture.start_engine(setup).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    fixture.wait_for_state_advancing(local, "COMPLETED").await;
    engine.stop().await;
    assert_eq!(server.submitted().len(), 1, "a request beats its schema");
    let run = documents.add(&fixture, None).await;
    let engine = fixture.start_engine(documents.pipeline(&fixture, fail_policy(), None)).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    engine.stop().await;
    assert_eq!(error_code(&fixture, run).await, "PROVIDER_NOT_CONFIGURED");
}

async fn a_spent_budget_sends_no_file(fixture: EngineFixture) {
    let (server, documents) = (server(), Documents::new());
    let thrifty = DocumentIntelligenceOptions { max_cost_per_day: 0.5, ..options() };
    let setup = || documents.pipeline(&fixture, fail_policy(), Some((&server, thrifty)));
    let first = documents.add_for_service(&fixture).await;
    let engine = fixture.start_engine(setup()).await;
    fixture.wait_for_state_advancing(first, "COMPLETED").await;
    let second = documents.add_for_service(&fixture).await;
    fixture.wait_for_state_advancing(second, "FAILED").await;
    engine.stop().await;
    assert_eq!(error_code(&fixture, second).await, "DOCUMENT_INTELLIGENCE_BUDGET_SPENT");
    assert_eq!(server.submitted().len(), 1);
}

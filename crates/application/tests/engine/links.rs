//! The steps of links, with a reader of pages that tests control.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::SignedDuration;
use quire_application::engine::PipelineSetup;
use quire_application::link::{LinkInput, accept, source_of};
use quire_application::steps::link::{
    LinkExtractionStep, LinkLocks, LinkStepServices, LinkSummarizationStep, SummaryModel,
};
use quire_connectors::lock::{RedisAddress, RedisLockSettings, RedisLocks, SharedLocks};
use quire_domain::link::{ForwardMetadata, ForwardedText, NormalizedUrl, SummaryLanguage};
use quire_domain::{
    Backoff, EventType, FailureType, Pipeline, PipelinePlan, RetryPolicy, Run, RunId, RunState, StepName,
};
use quire_ports::{
    AwakeTime, CallContext, Deadline, LinkCreation, LinkRequest, LockOutcome, LockRequest, RequestLocks,
    Step, StepContext, StepOutput, SystemClock, WebErrorKind, WebFailure, WebPage, WebReader,
};
use quire_testkit::RedisServer;
use tokio::sync::{Semaphore, watch};

use crate::fixture::{EngineFixture, fail_policy, plan_of};

crate::on_each_store! {
    a_page_and_a_forwarded_text_are_summarised_once_without_network_or_key,
    a_second_execution_of_a_request_skips_it_and_leaves_its_status,
    a_missing_request_and_a_summarised_one_are_not_read,
    a_page_that_keeps_failing_is_tried_three_times_and_ends_with_a_structured_error,
    a_lock_that_is_required_and_does_not_work_ends_the_request_with_lock_failed,
    a_step_that_is_cancelled_releases_its_lock,
    a_worker_whose_lock_was_taken_stops_and_stores_nothing,
}

pub(crate) const TEXT: &str = "Umbrellas keep people dry in the rain. A city lends them at every corner, and people bring them \
    back when the sun returns. The city counted 4,000 umbrellas last year. Nine of ten came back within a week. \
    Critics say that the wind breaks too many of them.";

/// A reader of pages that waits for a permit and then answers.
pub(crate) struct TestReader {
    gate: Semaphore,
    calls: AtomicU32,
    failure: Mutex<Option<WebFailure>>,
    text: String,
}

impl TestReader {
    fn new(permits: usize) -> Arc<Self> {
        Self::of_text(TEXT, permits)
    }

    /// A reader that finds this text.
    pub(crate) fn of_text(text: &str, permits: usize) -> Arc<Self> {
        Arc::new(Self {
            gate: Semaphore::new(permits),
            calls: AtomicU32::new(0),
            failure: Mutex::new(None),
            text: text.to_owned(),
        })
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl WebReader for TestReader {
    async fn read(&self, url: &NormalizedUrl, _: &CallContext) -> Result<WebPage, WebFailure> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.gate.acquire().await.unwrap().forget();
        match self.failure.lock().unwrap().clone() {
            Some(failure) => Err(failure),
            None => Ok(WebPage {
                final_url: url.as_str().to_owned(),
                title: Some("Umbrellas".to_owned()),
                language: Some("en".to_owned()),
                text: self.text.clone(),
                media_type: "text/html".to_owned(),
                content_sha256: "0".repeat(64),
                ..WebPage::default()
            }),
        }
    }
}

/// The steps of links on a store.
struct Links {
    reader: Arc<TestReader>,
    steps: HashMap<StepName, Arc<dyn Step>>,
}

impl Links {
    fn new(fixture: &EngineFixture, reader: Arc<TestReader>, locks: SharedLocks) -> Self {
        let steps = link_steps(fixture, reader.clone(), locks, None);
        Self { reader, steps }
    }

    fn pipeline(&self) -> Vec<PipelineSetup> {
        link_pipeline(self.steps.clone())
    }

    /// Executes a step by hand, as a worker would.
    async fn run(&self, run: &Run, step: StepName) -> Result<StepOutput, quire_domain::Failure> {
        let (_cancel, cancelled) = watch::channel(false);
        let awake = Arc::new(AwakeTime::start(Arc::new(SystemClock)));
        let deadline = Deadline::after(awake, std::time::Duration::from_hours(1));
        let context = StepContext { run: run.clone(), step, attempt: 1, deadline, cancelled };
        self.steps[&step].run(context).await
    }
}

/// The two steps of links.
pub(crate) fn link_steps(
    fixture: &EngineFixture,
    reader: Arc<dyn WebReader>,
    locks: SharedLocks,
    model: Option<SummaryModel>,
) -> HashMap<StepName, Arc<dyn Step>> {
    let store = &fixture.store;
    let shared = LinkStepServices {
        links: store.links.clone(),
        locks: LinkLocks {
            locks: Arc::new(locks),
            skip_on_held: true,
            queue: store.queue.clone(),
            clock: store.clock.clone(),
        },
        clock: store.clock.clone(),
    };
    let summarization = LinkSummarizationStep {
        shared: shared.clone(),
        history: store.run_reader.clone(),
        model,
        preferred_language: SummaryLanguage::Auto,
        ranking: Arc::new(Semaphore::new(2)),
    };
    let steps: [(StepName, Arc<dyn Step>); 2] = [
        (StepName::LinkExtraction, Arc::new(LinkExtractionStep { shared, reader })),
        (StepName::LinkSummarization, Arc::new(summarization)),
    ];
    HashMap::from(steps)
}

/// The link pipeline with three attempts at each step.
pub(crate) fn link_pipeline(steps: HashMap<StepName, Arc<dyn Step>>) -> Vec<PipelineSetup> {
    let backoff = Backoff { max_attempts: 3, base_ms: 500, max_ms: 900, jitter_ratio: 0.2 };
    let policy = RetryPolicy { backoff, ..fail_policy() };
    let plan = PipelinePlan { limit: SignedDuration::from_hours(1000), ..plan_of(Pipeline::Link) };
    vec![PipelineSetup { plan, policy, steps }]
}

/// Sends a request, which must be accepted.
pub(crate) async fn request(fixture: &EngineFixture, input: LinkInput) -> RunId {
    let (source, dedupe_hash) = source_of(input).unwrap();
    let request =
        LinkRequest { source, dedupe_hash, key_id: None, language: SummaryLanguage::Auto, retry_of: None };
    match accept(&fixture.store, &request, "tester", None).await.unwrap() {
        LinkCreation::Created(run) => {
            assert_eq!(run.correlation_id, Some(format!("bg-proc-{}", run.id)), "Proves R178");
            run.id
        }
        LinkCreation::Duplicate(earlier) => panic!("{earlier:?}"),
    }
}

async fn page(fixture: &EngineFixture) -> RunId {
    request(fixture, LinkInput::Url("https://example.com/umbrellas".to_owned())).await
}

/// Claims the run as a worker of its own.
async fn claimed(fixture: &EngineFixture) -> Run {
    let now = fixture.store.clock.now();
    let worker = fixture.store_fixture.worker(now).await;
    fixture.store_fixture.claim_one(worker, now).await.run
}

/// Proves R180, R187, R192, R198.
async fn a_page_and_a_forwarded_text_are_summarised_once_without_network_or_key(fixture: EngineFixture) {
    let links = Links::new(&fixture, TestReader::new(9), SharedLocks::local());
    let page = page(&fixture).await;
    let text = ForwardedText::parse(TEXT, ForwardMetadata::default()).unwrap();
    let forward = request(&fixture, LinkInput::Forward(text)).await;
    let engine = fixture.start_engine(links.pipeline()).await;
    for run in [page, forward] {
        fixture.wait_for_state_advancing(run, "COMPLETED").await;
        let summary = fixture.store.links.request(run).await.unwrap().summary.unwrap();
        assert_eq!((summary.content.language.as_str(), summary.version), ("en", 1));
        let payload = &summary.content.payload;
        assert!(payload["summary_250"].as_str().unwrap().chars().count() <= 250, "{payload:?}");
        assert!(payload["summary_1000"].as_str().unwrap().contains("mbrellas"), "{payload:?}");
        assert!((0.0..=1.0).contains(&payload["confidence"].as_f64().unwrap()));
        assert!(payload["topic_tags"].as_array().unwrap().len() <= 10);
    }
    assert_eq!(links.reader.calls(), 1, "a forwarded text is not fetched");
    assert_eq!(fixture.store_fixture.count("summaries").await, 2);
    engine.stop().await;
}

/// Proves R172.
async fn a_second_execution_of_a_request_skips_it_and_leaves_its_status(fixture: EngineFixture) {
    let links = Arc::new(Links::new(&fixture, TestReader::new(0), SharedLocks::local()));
    let id = page(&fixture).await;
    let run = claimed(&fixture).await;
    let first = tokio::spawn({
        let (links, run) = (links.clone(), run.clone());
        async move { links.run(&run, StepName::LinkExtraction).await }
    });
    while links.reader.calls() == 0 {
        tokio::task::yield_now().await;
    }
    let before = fixture.run(id).await;
    let skipped = links.run(&run, StepName::LinkExtraction).await.unwrap_err();
    let record = skipped.record(None, None);
    assert_eq!((record.error_type.as_str(), record.error_code.as_str()), ("postponed", "LOCK_HELD"));
    assert_eq!(fixture.run(id).await, before, "the status is as it was");
    assert_eq!(links.reader.calls(), 1);
    assert_eq!(fixture.count_events(EventType::LockHeld).await, 1);
    links.reader.gate.add_permits(1);
    assert_eq!(first.await.unwrap().unwrap().artifacts.len(), 1);
    links.reader.gate.add_permits(1);
    links.run(&run, StepName::LinkExtraction).await.unwrap();
}

/// Proves R177.
async fn a_missing_request_and_a_summarised_one_are_not_read(fixture: EngineFixture) {
    let links = Links::new(&fixture, TestReader::new(9), SharedLocks::local());
    let id = page(&fixture).await;
    let engine = fixture.start_engine(links.pipeline()).await;
    fixture.wait_for_state_advancing(id, "COMPLETED").await;
    engine.stop().await;
    let run = fixture.run(id).await;
    for step in [StepName::LinkExtraction, StepName::LinkSummarization] {
        assert_eq!(links.run(&run, step).await, Ok(StepOutput::default()));
        let unknown = Run { id: RunId::new(), ..run.clone() };
        assert_eq!(links.run(&unknown, step).await.unwrap_err().error_code, "STEP_INPUT_MISSING");
        // The lock is free again.
        assert_eq!(links.run(&unknown, step).await.unwrap_err().error_code, "STEP_INPUT_MISSING");
    }
    assert_eq!(links.reader.calls(), 1);
}

/// Proves R179, R181, R182, R214.
async fn a_page_that_keeps_failing_is_tried_three_times_and_ends_with_a_structured_error(
    fixture: EngineFixture,
) {
    let links = Links::new(&fixture, TestReader::new(9), SharedLocks::local());
    *links.reader.failure.lock().unwrap() =
        Some(WebFailure::new(WebErrorKind::Unavailable, "the host does not answer; retry later"));
    let id = page(&fixture).await;
    let engine = fixture.start_engine(links.pipeline()).await;
    fixture.wait_for_state_advancing(id, "FAILED").await;
    engine.stop().await;
    assert_eq!(links.reader.calls(), 3);
    let events = fixture.events(id).await;
    let retried = events.iter().filter(|event| event.event_type == EventType::StepRetried);
    let delays: Vec<u64> = retried.filter_map(|event| event.delay_ms).collect();
    assert_eq!(delays.len(), 2, "none after the last attempt");
    assert!((400..=600).contains(&delays[0]) && (720..=900).contains(&delays[1]), "{delays:?}");
    let RunState::Failed { reason, .. } = fixture.run(id).await.state else { panic!("it failed") };
    assert_eq!(reason.failure_type, FailureType::ExtractionFailed);
    let record = reason.record;
    assert_eq!(
        (record.error_type.as_str(), record.error_code.as_str()),
        ("transient", "WEB_PAGE_UNAVAILABLE")
    );
    assert_eq!(
        (record.stage, record.correlation_id),
        (Some(StepName::LinkExtraction), Some(format!("bg-proc-{id}")))
    );
    assert_eq!(record.message, "the host does not answer; retry later");
}

/// Proves R176.
async fn a_lock_that_is_required_and_does_not_work_ends_the_request_with_lock_failed(fixture: EngineFixture) {
    let server = RedisServer::start();
    let redis = RedisLocks::new(settings(&server)).unwrap();
    redis.check().await.unwrap();
    drop(server);
    let links = Links::new(&fixture, TestReader::new(9), SharedLocks::redis(redis, true));
    let id = page(&fixture).await;
    let engine = fixture.start_engine(links.pipeline()).await;
    fixture.wait_for_state_advancing(id, "FAILED").await;
    engine.stop().await;
    assert_eq!(links.reader.calls(), 0);
    let RunState::Failed { reason, .. } = fixture.run(id).await.state else { panic!("it failed") };
    assert_eq!(
        (reason.failure_type, reason.record.error_code.as_str()),
        (FailureType::LockFailed, "LOCK_FAILED")
    );
}

/// Proves R183.
async fn a_step_that_is_cancelled_releases_its_lock(fixture: EngineFixture) {
    let links = Arc::new(Links::new(&fixture, TestReader::new(0), SharedLocks::local()));
    page(&fixture).await;
    let run = claimed(&fixture).await;
    let work = tokio::spawn({
        let (links, run) = (links.clone(), run.clone());
        async move { links.run(&run, StepName::LinkExtraction).await }
    });
    while links.reader.calls() == 0 {
        tokio::task::yield_now().await;
    }
    work.abort();
    assert!(work.await.unwrap_err().is_cancelled());
    links.reader.gate.add_permits(1);
    links.run(&run, StepName::LinkExtraction).await.unwrap();
}

/// Proves R196: a worker that lost its run to another one stops, and what it would write is refused.
async fn a_worker_whose_lock_was_taken_stops_and_stores_nothing(fixture: EngineFixture) {
    let server = RedisServer::start();
    let quick = RedisLockSettings { ttl: std::time::Duration::from_millis(300), ..settings(&server) };
    let slow = Arc::new(Links::new(
        &fixture,
        TestReader::new(0),
        SharedLocks::redis(RedisLocks::new(quick).unwrap(), false),
    ));
    page(&fixture).await;
    let run = claimed(&fixture).await;
    let work = tokio::spawn({
        let (links, run) = (slow.clone(), run.clone());
        async move { links.run(&run, StepName::LinkExtraction).await }
    });
    while slow.reader.calls() == 0 {
        tokio::task::yield_now().await;
    }
    let other = SharedLocks::redis(RedisLocks::new(settings(&server)).unwrap(), false);
    let later = LockRequest { id: run.id, fence: run.fence.next(), correlation_id: String::new() };
    let LockOutcome::Acquired(taken) = other.acquire(&later).await else { panic!("a later fence takes it") };
    assert_eq!(work.await.unwrap().unwrap_err().error_code, "LOCK_HELD");
    taken.release().await;
}

fn settings(server: &RedisServer) -> RedisLockSettings {
    RedisLockSettings {
        address: RedisAddress::parse(&server.url()).unwrap(),
        prefix: "bsr".to_owned(),
        ttl: std::time::Duration::from_mins(5),
        timeout: std::time::Duration::from_secs(2),
        worker: "tester:1".to_owned(),
    }
}

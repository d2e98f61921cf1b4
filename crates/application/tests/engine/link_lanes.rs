//! Links in the lanes of their hosts and of their model, with real requests to servers on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use quire_application::lanes::{ConnectorPermits, LaneLimits, LaneModel, LanePermits};
use quire_application::link::LinkInput;
use quire_connectors::http::HttpOptions;
use quire_connectors::lock::SharedLocks;
use quire_connectors::web::{AllowList, DirectWebReader, Guard, SystemResolver, WebSettings};
use quire_domain::{Event, EventType, LaneName, RunId};
use quire_ports::{
    DocumentReader, FetchedPage, PageArticle, PageImageRequest, PageReader, ReadError, ReadOutput,
    ReadRequest, WebReader,
};
use quire_testkit::{CallGate, ModelServer, WebResponse, WebServer};

use crate::fixture::EngineFixture;
use crate::link_model::{KEY, remote_model, summary_model, summary_reply};
use crate::links::{TEXT, link_pipeline, link_steps, request};

crate::on_each_store! {
    at_most_as_many_provider_calls_of_links_run_at_once_as_are_allowed,
    a_rate_limit_of_a_host_closes_its_lane_and_burns_no_attempt,
    requests_to_one_host_that_have_to_be_spaced_wait_in_the_queue,
}

/// Takes the bytes of a page as its text.
struct BytesAsText;

#[async_trait]
impl PageReader for BytesAsText {
    async fn read_page(&self, content: FetchedPage) -> Result<PageArticle, ReadError> {
        Ok(PageArticle {
            text: String::from_utf8_lossy(&content.bytes).into_owned(),
            ..PageArticle::default()
        })
    }
}

struct NoDocuments;

#[async_trait]
impl DocumentReader for NoDocuments {
    async fn read(&self, _: ReadRequest) -> Result<ReadOutput, ReadError> {
        unreachable!("only pages are served")
    }

    async fn image(&self, _: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        unreachable!("no image is needed")
    }
}

/// The reader of web pages, in the lanes of the fixture.
fn reader(fixture: &EngineFixture, host_interval: Duration) -> Arc<dyn WebReader> {
    let settings = WebSettings {
        allow: AllowList::parse("127.0.0.1").unwrap(),
        ports: vec![80],
        timeout: Duration::from_mins(1),
        max_bytes: 1 << 20,
        max_redirects: 5,
        robots: false,
        host_interval,
    };
    let resolver = Arc::new(SystemResolver);
    let guard = Arc::new(Guard::new(settings.allow.clone(), settings.ports.clone(), resolver));
    let permits = ConnectorPermits(fixture.lanes.clone());
    let (options, permits) = (HttpOptions::default(), Arc::new(permits));
    let (pages, documents) = (Arc::new(BytesAsText), Arc::new(NoDocuments));
    Arc::new(DirectWebReader::new(settings, &options, guard, permits, pages, documents).unwrap())
}

fn host() -> LaneName {
    LaneName::host("127.0.0.1")
}

async fn send(fixture: &EngineFixture, site: &WebServer, count: usize) -> Vec<RunId> {
    let mut runs = Vec::new();
    for number in 0..count {
        runs.push(request(fixture, LinkInput::Url(site.url(&format!("/{number}")))).await);
    }
    runs
}

/// Waits until so many runs wait in the lane.
pub(crate) async fn wait_for_waiting(fixture: &EngineFixture, lane: &LaneName, count: u64) {
    let waiting = || async {
        let lanes = fixture.store.lanes.list().await.unwrap();
        lanes.iter().find(|one| one.lane.name == *lane).is_some_and(|one| one.waiting == count)
    };
    fixture.observer.wait_until(waiting).await;
}

async fn wait_for_calls(gate: &CallGate, count: usize) {
    while gate.running() < count {
        tokio::task::yield_now().await;
    }
}

/// All runs complete, and no attempt was burnt.
async fn assert_completed_without_a_loss(fixture: &EngineFixture, runs: &[RunId]) {
    for run in runs {
        fixture.wait_for_state_advancing(*run, "COMPLETED").await;
        let stored = fixture.run(*run).await;
        assert_eq!((stored.failed_attempts, stored.retry_count), (0, 0));
        let records = fixture.store.run_reader.step_records(*run).await.unwrap();
        assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
    }
}

/// Proves R184, and R213 for the limit of calls. Four slots and six runs: those that wait hold no slot.
async fn at_most_as_many_provider_calls_of_links_run_at_once_as_are_allowed(mut fixture: EngineFixture) {
    let limits = LaneLimits { per_process: 2, per_installation: None, ocr: 2 };
    fixture.lanes = LanePermits::new(&fixture.store, limits);
    let (pages, answers) = (Arc::new(CallGate::default()), Arc::new(CallGate::default()));
    let (held_pages, held_answers) = (pages.clone(), answers.clone());
    let site = WebServer::start(move |_| {
        held_pages.pass();
        WebResponse::html(TEXT)
    });
    let provider = ModelServer::with_key(KEY).answering(move |_, _| {
        held_answers.pass();
        summary_reply("Umbrellas for everybody.")
    });
    let lane = LaneName::model("test").unwrap();
    let model = LaneModel {
        model: remote_model(&fixture, &provider),
        lane: lane.clone(),
        lanes: fixture.lanes.clone(),
    };
    let model = summary_model(&fixture, Arc::new(model), 0);
    let reader = reader(&fixture, Duration::ZERO);
    let steps = link_steps(&fixture, reader, SharedLocks::local(), Some(model));
    let runs = send(&fixture, &site, 6).await;
    let engine = fixture.start_engine(link_pipeline(steps)).await;
    wait_for_waiting(&fixture, &host(), 4).await;
    wait_for_calls(&pages, 2).await;
    pages.open();
    wait_for_waiting(&fixture, &lane, 4).await;
    wait_for_calls(&answers, 2).await;
    answers.open();
    assert_completed_without_a_loss(&fixture, &runs).await;
    engine.stop().await;
    assert_eq!((pages.most(), answers.most()), (2, 2));
    assert_eq!((site.paths().len(), provider.requests().len()), (6, 6));
}

/// Proves R213 for rate limits of hosts.
async fn a_rate_limit_of_a_host_closes_its_lane_and_burns_no_attempt(fixture: EngineFixture) {
    let count = AtomicUsize::new(0);
    let site = WebServer::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => WebResponse::new(429, "text/html", "").with("Retry-After", "600"),
        _ => WebResponse::html(TEXT),
    });
    let reader = reader(&fixture, Duration::ZERO);
    let steps = link_steps(&fixture, reader, SharedLocks::local(), None);
    let runs = send(&fixture, &site, 4).await;
    let engine = fixture.start_engine(link_pipeline(steps)).await;
    wait_for_waiting(&fixture, &host(), 4).await;
    assert_eq!(site.paths().len(), 1, "nobody asks while the lane is closed");
    let now = fixture.store.clock.now();
    let resumed = Event { lane: Some(host()), ..Event::new(EventType::LaneResumed, now) };
    assert!(fixture.store.lanes.resume(&host(), now, &resumed).await.unwrap());
    assert_completed_without_a_loss(&fixture, &runs).await;
    engine.stop().await;
    assert_eq!(site.paths().len(), 5);
    assert_eq!(fixture.count_events(EventType::LaneClosed).await, 1);
}

/// Requests are a minute apart by the real clock, so only the first is sent. The others wait, and their wait is no error.
async fn requests_to_one_host_that_have_to_be_spaced_wait_in_the_queue(fixture: EngineFixture) {
    let site = WebServer::start(|_| WebResponse::html(TEXT));
    let reader = reader(&fixture, Duration::from_mins(1));
    let steps = link_steps(&fixture, reader, SharedLocks::local(), None);
    let runs = send(&fixture, &site, 3).await;
    let engine = fixture.start_engine(link_pipeline(steps)).await;
    // Whichever comes first is read. The others are sent to wait for a time, and not for the lane.
    let is_settled = |run: RunId| {
        let fixture = &fixture;
        async move {
            let is_told =
                |event: &Event| event.event_type == EventType::StepPostponed && event.lane.is_none();
            fixture.state(run).await == "COMPLETED" || fixture.events(run).await.iter().any(is_told)
        }
    };
    let all_settled =
        || async { is_settled(runs[0]).await && is_settled(runs[1]).await && is_settled(runs[2]).await };
    fixture.observer.wait_until(all_settled).await;
    let mut completed = 0;
    for run in &runs {
        completed += usize::from(fixture.state(*run).await == "COMPLETED");
        let events = fixture.events(*run).await;
        assert!(events.iter().all(|event| event.failure.is_none()), "{events:?}");
    }
    engine.stop().await;
    assert_eq!((completed, site.paths().len()), (1, 1));
}

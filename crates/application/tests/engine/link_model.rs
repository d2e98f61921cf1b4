//! Summaries by a model: long texts, and everything that a provider can answer instead of a summary.

use std::sync::Arc;
use std::time::Duration;

use quire_application::lanes::LaneModel;
use quire_application::link::{LinkInput, accept, source_of};
use quire_application::steps::DayBudgetModel;
use quire_application::steps::link::SummaryModel;
use quire_connectors::http::{HttpClient, HttpOptions};
use quire_connectors::lock::SharedLocks;
use quire_connectors::model::{BreakerSettings, CallLog, ModelPrices, ModelSettings, RemoteModel};
use quire_domain::link::SummaryLanguage;
use quire_domain::{Event, EventType, FailureType, LaneName, RunId, RunState, StepName};
use quire_ports::{Breakpoint, LanguageModel, LinkCreation, LinkRequest};
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use crate::fixture::EngineFixture;
use crate::link_lanes::wait_for_waiting;
use crate::links::{TEXT, TestReader, link_pipeline, link_steps, request};

crate::on_each_store! {
    a_model_summarises_a_page_and_its_answer_passes_the_validator,
    a_long_text_is_noted_in_parts_and_summarised_from_the_notes,
    what_is_beyond_the_budget_is_not_sent,
    a_summary_says_what_the_budget_has_left_out,
    the_tokens_of_a_day_stop_links,
    an_invalid_built_in_summary_is_not_made_again,
    notes_that_were_taken_are_not_asked_for_again_after_a_wait,
    notes_are_not_asked_for_again_by_another_worker_or_a_repeated_request,
    an_answer_that_is_no_summary_fails_the_validation_and_is_not_asked_for_again,
    a_model_that_refuses_is_asked_once,
    a_silent_model_is_asked_in_every_attempt,
    a_rate_limit_of_the_model_burns_no_attempt,
}

pub(crate) const KEY: &str = "sk-engine-links";

/// A model at this provider.
pub(crate) fn remote_model(fixture: &EngineFixture, provider: &ModelServer) -> Arc<dyn LanguageModel> {
    let settings = ModelSettings {
        url: provider.url.clone(),
        allow_http: false,
        api_version: None,
        name: "any".to_owned(),
        fallback_models: Vec::new(),
        api_key: Some(KEY.to_owned()),
        headers: String::new(),
        timeout: Duration::from_secs(2),
        idle_timeout: Duration::from_secs(2),
        max_response_bytes: 4 << 20,
        breaker: BreakerSettings { failures: 0, pause: Duration::from_mins(1) },
        prices: ModelPrices::default(),
    };
    let http = HttpClient::new(&HttpOptions::default()).unwrap();
    let log = CallLog::new(fixture.store.model_calls.clone(), fixture.store.clock.clone());
    Arc::new(RemoteModel::new(http, settings, log).unwrap())
}

pub(crate) fn summary_model(
    fixture: &EngineFixture,
    model: Arc<dyn LanguageModel>,
    max_text_tokens: u64,
) -> SummaryModel {
    SummaryModel::new(model, 1000, max_text_tokens, &fixture.store)
}

/// An answer with this summary.
pub(crate) fn summary_reply(summary: &str) -> ModelReply {
    let answer = json!({
        "summary_250": summary, "summary_1000": summary, "tldr": summary, "confidence": 7,
        "topic_tags": ["rain", "#Rain", "city"],
        "entities": {"people": [], "organizations": [], "locations": ["Paris", "paris"]},
    });
    ModelReply::Completion(answer.to_string())
}

fn is_for_notes(body: &Value) -> bool {
    body["response_format"]["json_schema"]["name"] == "notes"
}

fn sent_text(body: &Value) -> &str {
    body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap()
}

/// Summarises a page of this text by this provider, and returns its run in its final state.
async fn summarise(fixture: &EngineFixture, provider: &ModelServer, text: &str, tokens: u64) -> RunId {
    let model = summary_model(fixture, remote_model(fixture, provider), tokens);
    let steps = link_steps(fixture, TestReader::of_text(text, 9), SharedLocks::local(), Some(model));
    let run = request(fixture, LinkInput::Url("https://example.com/umbrellas".to_owned())).await;
    let engine = fixture.start_engine(link_pipeline(steps)).await;
    let ended = || async { matches!(fixture.state(run).await, "COMPLETED" | "FAILED") };
    fixture.wait_until_advancing(ended).await;
    engine.stop().await;
    run
}

async fn payload(fixture: &EngineFixture, run: RunId) -> Value {
    let link = fixture.store.links.request(run).await.unwrap();
    let summary = link.summary.unwrap_or_else(|| panic!("{:?}", link.run.state));
    assert_eq!(summary.content.made_by, "fake-model-2026");
    Value::Object(summary.content.payload)
}

async fn failure(fixture: &EngineFixture, run: RunId) -> (FailureType, String, Option<StepName>) {
    assert!(fixture.store.links.request(run).await.unwrap().summary.is_none());
    let RunState::Failed { reason, .. } = fixture.run(run).await.state else { panic!("it failed") };
    (reason.failure_type, reason.record.error_code, reason.record.stage)
}

/// A text of so many numbered sentences in paragraphs.
fn long_text(sentences: usize) -> String {
    let sentence =
        |number| format!("Sentence {number} of the report says that umbrellas are lent in the city.");
    (0..sentences).map(sentence).collect::<Vec<_>>().join("\n\n")
}

/// Proves R180, R192 for a model.
async fn a_model_summarises_a_page_and_its_answer_passes_the_validator(fixture: EngineFixture) {
    let long = "Umbrellas are lent, and they come back. ".repeat(20);
    let provider = ModelServer::with_key(KEY).answering(move |_, _| summary_reply(&long));
    let run = summarise(&fixture, &provider, TEXT, 0).await;
    let payload = payload(&fixture, run).await;
    let short = payload["summary_250"].as_str().unwrap();
    assert!(short.chars().count() <= 250 && short.ends_with('.'), "{short}");
    assert_eq!(payload["topic_tags"], json!(["#rain", "#city"]));
    assert_eq!(payload["entities"]["locations"], json!(["Paris"]));
    assert!((0.0..=1.0).contains(&payload["confidence"].as_f64().unwrap()), "{payload}");
    assert_eq!(fixture.store.model_calls.of_run(run).await.unwrap().len(), 1);
    assert!(sent_text(&provider.requests()[0].body).contains("Critics say"));
}

async fn a_long_text_is_noted_in_parts_and_summarised_from_the_notes(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).answering(|body, number| {
        if is_for_notes(body) {
            // Longer than notes may be.
            let notes = format!("Notes {number}. {}", "More words about umbrellas. ".repeat(200));
            return ModelReply::Completion(json!({ "notes": notes }).to_string());
        }
        summary_reply("The city lends umbrellas.")
    });
    // Some 1.2 million characters: the notes on its parts are too long for one request, too.
    let run = summarise(&fixture, &provider, &long_text(16_000), 0).await;
    assert_eq!(payload(&fixture, run).await["tldr"], "The city lends umbrellas.");
    let requests = provider.requests();
    let (last, noted) = requests.split_last().unwrap();
    assert!(!is_for_notes(&last.body) && noted.iter().all(|request| is_for_notes(&request.body)));
    assert!(requests.iter().all(|request| sent_text(&request.body).chars().count() <= 40_100));
    let parts = noted.iter().filter(|request| sent_text(&request.body).starts_with("Sentence")).count();
    assert!(parts >= 25, "{parts}");
    let rest = noted.len() - parts;
    assert!((2..=3).contains(&rest), "the notes were noted again: {rest}");
    for number in parts..noted.len() {
        assert!(sent_text(&last.body).contains(&format!("Notes {number}.")), "{number}");
    }
    let artifacts = fixture.store.run_reader.artifacts(run).await.unwrap();
    let answers = artifacts.iter().filter(|artifact| artifact.payload.contains("fake-model-2026"));
    assert_eq!(answers.count(), requests.len(), "every answer is kept");
}

async fn what_is_beyond_the_budget_is_not_sent(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).answering(|body, _| {
        if is_for_notes(body) {
            return ModelReply::Completion(json!({ "notes": "Umbrellas. ".repeat(180) }).to_string());
        }
        summary_reply("The city lends umbrellas.")
    });
    let budget = 40_000;
    let run = summarise(&fixture, &provider, &long_text(16_000), budget).await;
    payload(&fixture, run).await;
    let requests = provider.requests();
    let sent: usize = requests.iter().map(|request| sent_text(&request.body).chars().count()).sum();
    let answered = 2_000 * (requests.len() - 1) + 3 * 1000;
    let allowed = usize::try_from(budget).unwrap() * 3;
    assert!(sent + answered <= allowed, "{sent} {answered}");
    assert!(sent > allowed * 8 / 10, "the budget is used: {sent}");
}

/// A text in Chinese has three bytes and about one token for each sign: the budget holds for it as for every script.
async fn a_summary_says_what_the_budget_has_left_out(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).answering(|body, _| {
        if is_for_notes(body) {
            return ModelReply::Completion(json!({ "notes": "Umbrellas. ".repeat(180) }).to_string());
        }
        summary_reply("The city lends umbrellas.")
    });
    let budget = 40_000;
    let text = "这座城市在每个街角出借雨伞。".repeat(8_000);
    let run = summarise(&fixture, &provider, &text, budget).await;
    let payload = payload(&fixture, run).await;
    let caution = payload["insights"]["caution"].as_str().unwrap();
    assert!(caution.contains("of 112000 characters of the text were summarised"), "{caution}");
    let sent: usize = provider.requests().iter().map(|request| sent_text(&request.body).len()).sum();
    assert!(sent <= usize::try_from(budget).unwrap() * 3, "{sent}");
    let longest = provider.requests().iter().map(|request| sent_text(&request.body).len()).max();
    assert!(longest <= Some(40_000), "{longest:?}");
}

/// The budget of a day counts for every pipeline, and the model is not asked beyond it.
async fn the_tokens_of_a_day_stop_links(fixture: EngineFixture) {
    let ModelReply::Completion(text) = summary_reply("The city lends umbrellas.") else { unreachable!() };
    let provider = ModelServer::with_key(KEY).replying(vec![ModelReply::CompletionCosting(1_000_000, text)]);
    let budgeted = DayBudgetModel {
        model: remote_model(&fixture, &provider),
        calls: fixture.store.model_calls.clone(),
        clock: fixture.store.clock.clone(),
        tokens_per_day: 1_000_000,
    };
    let model = summary_model(&fixture, Arc::new(budgeted), 0);
    let steps = link_steps(&fixture, TestReader::of_text(TEXT, 9), SharedLocks::local(), Some(model));
    let engine = fixture.start_engine(link_pipeline(steps)).await;
    let first = request(&fixture, LinkInput::Url("https://example.com/1".to_owned())).await;
    fixture.wait_for_state(first, "COMPLETED").await;
    let second = request(&fixture, LinkInput::Url("https://example.com/2".to_owned())).await;
    fixture.wait_for_state(second, "FAILED").await;
    engine.stop().await;
    let expected =
        (FailureType::LlmFailed, "MODEL_BUDGET_SPENT".to_owned(), Some(StepName::LinkSummarization));
    assert_eq!(failure(&fixture, second).await, expected);
    assert_eq!(provider.requests().len(), 1);
}

/// The built-in method would propose the same again.
async fn an_invalid_built_in_summary_is_not_made_again(fixture: EngineFixture) {
    let steps = link_steps(&fixture, TestReader::of_text("---", 9), SharedLocks::local(), None);
    let run = request(&fixture, LinkInput::Url("https://example.com/empty".to_owned())).await;
    let engine = fixture.start_engine(link_pipeline(steps)).await;
    fixture.wait_for_state(run, "FAILED").await;
    engine.stop().await;
    assert_eq!(failure(&fixture, run).await.0, FailureType::ValidationFailed);
    let records = fixture.store.run_reader.step_records(run).await.unwrap();
    assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
}

/// The third part finds its lane closed. The two answers before it were paid for.
async fn notes_that_were_taken_are_not_asked_for_again_after_a_wait(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).answering(|body, number| match number {
        2 => ModelReply::Status(429, "Retry-After: 5\r\n"),
        _ if is_for_notes(body) => ModelReply::Completion(json!({ "notes": "Umbrellas." }).to_string()),
        _ => summary_reply("The city lends umbrellas."),
    });
    let run = summarise(&fixture, &provider, &long_text(2_000), 0).await;
    payload(&fixture, run).await;
    let texts: Vec<_> =
        provider.requests().iter().map(|request| sent_text(&request.body).to_owned()).collect();
    assert_eq!(texts.iter().filter(|text| *text == &texts[0]).count(), 1);
    assert_eq!(texts.iter().filter(|text| *text == &texts[2]).count(), 2, "the part that was refused");
}

/// The notes on each part are stored as they come. Another process goes on after them when the first one is gone, and so does
/// a request that repeats one which failed.
async fn notes_are_not_asked_for_again_by_another_worker_or_a_repeated_request(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).answering(|body, number| match number {
        1 => ModelReply::Status(429, "Retry-After: 5\r\n"),
        3 => ModelReply::Refusal("I will not."),
        _ if is_for_notes(body) => ModelReply::Completion(json!({ "notes": "Umbrellas." }).to_string()),
        _ => summary_reply("The city lends umbrellas."),
    });
    let pipeline = || {
        let model = summary_model(&fixture, remote_model(&fixture, &provider), 0);
        let reader = TestReader::of_text(&long_text(2_000), 9);
        link_pipeline(link_steps(&fixture, reader, SharedLocks::local(), Some(model)))
    };
    let address = "https://example.com/umbrellas";
    let run = request(&fixture, LinkInput::Url(address.to_owned())).await;
    let first = fixture.start_engine(pipeline()).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 1).await;
    first.stop().await;
    let second = fixture.start_engine(pipeline()).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    let (source, dedupe_hash) = source_of(LinkInput::Url(address.to_owned())).unwrap();
    let language = SummaryLanguage::Auto;
    let repeated = LinkRequest { source, dedupe_hash, key_id: None, language, retry_of: Some(run) };
    let accepted = accept(&fixture.store, &repeated, "tester", None).await.unwrap();
    let LinkCreation::Created(repeated) = accepted else { panic!("{accepted:?}") };
    fixture.wait_for_state_advancing(repeated.id, "COMPLETED").await;
    second.stop().await;
    payload(&fixture, repeated.id).await;
    let requests = provider.requests();
    let texts: Vec<_> = requests.iter().map(|request| sent_text(&request.body)).collect();
    let times = |text: &str| texts.iter().filter(|sent| **sent == text).count();
    let expected = [1, 2, 2, 2];
    assert_eq!(
        texts[..4].iter().map(|text| times(text)).collect::<Vec<_>>(),
        expected,
        "the refused ones twice"
    );
    assert_eq!(texts[4], texts[3], "the repeated request goes on where the first one failed");
}

/// Proves R182 for the validation: another answer would cost again, and the same model may well answer the same.
async fn an_answer_that_is_no_summary_fails_the_validation_and_is_not_asked_for_again(
    fixture: EngineFixture,
) {
    let empty = json!({ "summary_250": "", "tldr": " " }).to_string();
    for (number, answer) in ["I cannot.", "[]", &empty].into_iter().enumerate() {
        let provider = ModelServer::with_key(KEY).replying(vec![ModelReply::Completion(answer.to_owned())]);
        let model = summary_model(&fixture, remote_model(&fixture, &provider), 0);
        let steps = link_steps(&fixture, TestReader::of_text(TEXT, 9), SharedLocks::local(), Some(model));
        let run = request(&fixture, LinkInput::Url(format!("https://example.com/{number}"))).await;
        let engine = fixture.start_engine(link_pipeline(steps)).await;
        fixture.wait_for_state_advancing(run, "FAILED").await;
        engine.stop().await;
        let expected = (
            FailureType::ValidationFailed,
            "VALIDATION_FAILED".to_owned(),
            Some(StepName::LinkSummarization),
        );
        assert_eq!(failure(&fixture, run).await, expected);
        assert_eq!(provider.requests().len(), 1, "{answer}");
    }
}

/// Proves R182 for the model.
async fn a_model_that_refuses_is_asked_once(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).replying(vec![ModelReply::Refusal("I will not.")]);
    let run = summarise(&fixture, &provider, TEXT, 0).await;
    let expected = (FailureType::LlmFailed, "MODEL_REFUSED".to_owned(), Some(StepName::LinkSummarization));
    assert_eq!(failure(&fixture, run).await, expected);
    assert_eq!(provider.requests().len(), 1);
}

/// Proves R179, R213 for the model of links: the attempts of the step are the only repetition.
async fn a_silent_model_is_asked_in_every_attempt(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).replying(vec![ModelReply::NoResponse]);
    let run = summarise(&fixture, &provider, TEXT, 0).await;
    let expected =
        (FailureType::LlmFailed, "MODEL_UNAVAILABLE".to_owned(), Some(StepName::LinkSummarization));
    assert_eq!(failure(&fixture, run).await, expected);
    let calls = fixture.store.model_calls.of_run(run).await.unwrap();
    assert_eq!(calls.iter().map(|call| call.step_attempt).collect::<Vec<_>>(), [1, 2, 3]);
}

/// Proves R213 for rate limits of the model.
async fn a_rate_limit_of_the_model_burns_no_attempt(fixture: EngineFixture) {
    let provider = ModelServer::with_key(KEY).replying(vec![
        ModelReply::Status(429, "Retry-After: 600\r\n"),
        summary_reply("The city lends umbrellas."),
    ]);
    let lane = LaneName::model("test").unwrap();
    let model = LaneModel {
        model: remote_model(&fixture, &provider),
        lane: lane.clone(),
        lanes: fixture.lanes.clone(),
    };
    let model = summary_model(&fixture, Arc::new(model), 0);
    let steps = link_steps(&fixture, TestReader::of_text(TEXT, 9), SharedLocks::local(), Some(model));
    let run = request(&fixture, LinkInput::Url("https://example.com/umbrellas".to_owned())).await;
    let engine = fixture.start_engine(link_pipeline(steps)).await;
    wait_for_waiting(&fixture, &lane, 1).await;
    let now = fixture.store.clock.now();
    let resumed = Event { lane: Some(lane.clone()), ..Event::new(EventType::LaneResumed, now) };
    assert!(fixture.store.lanes.resume(&lane, now, &resumed).await.unwrap());
    fixture.wait_for_state(run, "COMPLETED").await;
    engine.stop().await;
    payload(&fixture, run).await;
    let records = fixture.store.run_reader.step_records(run).await.unwrap();
    assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
}

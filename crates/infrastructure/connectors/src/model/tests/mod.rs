//! Tests of the model client. The test server checks every request against the published API description.

mod calls;
mod endpoints;
mod features;
mod network;
mod other_models;
mod recordings;
mod streams;

use std::time::Duration;

use quire_domain::proposal::ModelParameters;
use quire_ports::{
    AwakeTime, CallContext, ChatMessage, ChatRole, Clock, Deadline, LanguageModel as _, ModelError,
    ModelErrorKind, ModelRequest, ModelResponse, SystemClock,
};
use quire_testkit::model_server::{MODEL, TOKENS};
use quire_testkit::{CapturedLog, FakeClock, ModelReply, ModelServer, RecordedCalls};

use super::*;
use crate::http::HttpOptions;

const KEY: &str = "sk-not-to-be-seen";

fn client() -> HttpClient {
    HttpClient::new(&HttpOptions::default()).unwrap()
}

/// Settings without a circuit breaker.
fn settings(url: &str) -> ModelSettings {
    ModelSettings {
        url: url.to_owned(),
        allow_http: false,
        api_version: None,
        name: "any".to_owned(),
        fallback_models: Vec::new(),
        api_key: Some(KEY.to_owned()),
        headers: String::new(),
        timeout: Duration::from_mins(1),
        idle_timeout: Duration::from_mins(1),
        max_response_bytes: 4 << 20,
        breaker: BreakerSettings { failures: 0, pause: Duration::from_mins(1) },
        prices: ModelPrices::default(),
    }
}

/// The prices of the model of these settings.
fn prices(prices: (f64, f64)) -> ModelPrices {
    ModelPrices::from([("any".to_owned(), prices)])
}

fn model(settings: ModelSettings) -> RemoteModel {
    RemoteModel::new(client(), settings, call_log(Arc::default())).unwrap()
}

/// The end of that time, by that clock.
fn deadline(time: Duration, clock: Arc<dyn Clock>) -> Deadline {
    Deadline::after(Arc::new(AwakeTime::start(clock)), time)
}

fn call_log(calls: Arc<RecordedCalls>) -> CallLog {
    CallLog::new(calls, Arc::new(SystemClock))
}

fn request() -> ModelRequest {
    let message = |role, text: &str| ChatMessage { role, text: text.to_owned() };
    ModelRequest {
        context: CallContext::default(),
        model: None,
        messages: vec![
            message(ChatRole::System, "a"),
            message(ChatRole::User, "año \"x\""),
            message(ChatRole::Assistant, "b"),
        ],
        schema_name: "form".to_owned(),
        response_schema: r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
            .to_owned(),
        max_tokens: 99,
        temperature: 0.25,
        parameters: ModelParameters::default(),
        deadline: None,
    }
}

fn completion(text: &str) -> ModelReply {
    ModelReply::Completion(text.to_owned())
}

/// Asks a server with this one reply.
async fn ask(reply: ModelReply) -> Result<ModelResponse, ModelError> {
    // Only these replies should time out.
    let times_out =
        matches!(reply, ModelReply::NoResponse | ModelReply::SlowBody | ModelReply::SilentStream(_));
    let server = ModelServer::start(KEY, vec![reply]);
    let timeout = if times_out { Duration::from_millis(300) } else { Duration::from_mins(1) };
    let answer = model(ModelSettings { timeout, ..settings(&server.url) }).ask(&request()).await;
    server.requests();
    answer
}

#[tokio::test]
async fn a_response_has_its_model_tokens_cost_and_latency() {
    let server = ModelServer::start(KEY, vec![completion("{}")]);
    let priced = ModelSettings { prices: prices((2.0, 10.0)), ..settings(&server.url) };
    let answer = model(priced).ask(&request()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.model.as_str(), answer.is_whole), ("{}", MODEL, true));
    assert_eq!((answer.tokens_in, answer.tokens_out), TOKENS);
    assert_eq!(answer.cost, Some(0.0019));
    assert!(answer.latency > Duration::ZERO);
    let asked = &server.requests()[0].body;
    assert_eq!((&asked["temperature"], &asked["max_tokens"]), (&0.25.into(), &99.into()));
    assert_eq!(asked["messages"][1]["content"], "año \"x\"");
    assert!(!ask(ModelReply::TruncatedCompletion("{}".to_owned())).await.unwrap().is_whole);
    let uncounted = ask(ModelReply::CompletionWithoutUsage("{\"a\":1}".to_owned())).await.unwrap();
    assert!(uncounted.tokens_in > 50 && uncounted.tokens_out == 2, "estimated: {uncounted:?}");
}

#[tokio::test]
async fn each_failure_has_its_kind() {
    use ModelErrorKind::{AnswerInvalid, RateLimited, Refused, Unavailable};
    for (reply, kind) in [
        (ModelReply::Status(429, "Retry-After: 1\r\n"), RateLimited),
        (ModelReply::Status(429, ""), Unavailable),
        (ModelReply::Status(429, "Retry-After: 3601\r\n"), Unavailable),
        (ModelReply::Status(500, ""), Unavailable),
        (ModelReply::Status(408, ""), Unavailable),
        (ModelReply::Status(401, ""), Refused),
        (ModelReply::Status(402, ""), Refused),
        (ModelReply::Status(404, ""), Refused),
        (ModelReply::Status(422, ""), Refused),
        (ModelReply::Refused("context length exceeded"), Refused),
        (ModelReply::Refusal("I cannot help with that"), Refused),
        (ModelReply::Filtered, Refused),
        (ModelReply::Body("<html>"), AnswerInvalid),
        (ModelReply::Body("{\"choices\":[]}"), AnswerInvalid),
        (ModelReply::Body("{\"error\":{\"code\":502,\"message\":\"upstream\"}}"), Unavailable),
        (ModelReply::Garbage, Unavailable),
        (ModelReply::EndlessBody, AnswerInvalid),
        (ModelReply::SlowBody, Unavailable),
        (ModelReply::NoResponse, Unavailable),
        (ModelReply::SilentStream("{".to_owned()), Unavailable),
        (ModelReply::CutStream("{".to_owned()), Unavailable),
        (ModelReply::FailedStream(502, "{".to_owned()), Unavailable),
        (ModelReply::FailedStream(403, "{".to_owned()), Refused),
    ] {
        let error = ask(reply.clone()).await.unwrap_err();
        assert_eq!(error.kind, kind, "{reply:?}: {error}");
        assert_eq!(error.retry_after.is_some(), kind == RateLimited, "{reply:?}");
        assert!(!error.message.contains(KEY) && !error.message.contains("127.0.0.1"), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_so_that_the_key_goes_to_no_other_host() {
    let elsewhere = ModelServer::start(KEY, vec![completion("{}")]);
    let location: &'static str = format!("Location: {}/chat/completions\r\n", elsewhere.url).leak();
    let error = ask(ModelReply::Status(307, location)).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Refused);
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn an_unreachable_endpoint_is_unavailable() {
    let error = model(settings("http://127.0.0.1:1/v1")).ask(&request()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
}

//! Tests of the model client. The test server checks every request against the published API description.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use quire_ports::{
    AwakeTime, ChatMessage, ChatRole, Clock, Deadline, LanguageModel as _, ModelError, ModelErrorKind,
    ModelRequest, ModelResponse, SystemClock,
};
use quire_testkit::model_server::{MODEL, TOKENS};
use quire_testkit::{FakeClock, ModelReply, ModelServer};

use super::*;

const KEY: &str = "sk-not-to-be-seen";

fn model(server: &ModelServer, timeout: Duration, attempts: u32) -> RemoteModel {
    let (url, api_key) = (server.url.clone(), Some(KEY.to_owned()));
    let settings =
        ModelSettings { url, allow_http: false, name: "any".to_owned(), api_key, timeout, attempts };
    RemoteModel::new(HttpClient::new(), settings).unwrap()
}

fn request() -> ModelRequest {
    let message = |role, text: &str| ChatMessage { role, text: text.to_owned() };
    ModelRequest {
        messages: vec![
            message(ChatRole::System, "a"),
            message(ChatRole::User, "año \"x\""),
            message(ChatRole::Assistant, "b"),
        ],
        schema_name: "form".to_owned(),
        response_schema: r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
            .to_owned(),
        max_tokens: 99,
        deadline: None,
    }
}

/// The end of that time, by that clock.
fn deadline(time: Duration, clock: Arc<dyn Clock>) -> Deadline {
    Deadline::after(Arc::new(AwakeTime::start(clock)), time)
}

async fn ask(reply: ModelReply) -> Result<ModelResponse, ModelError> {
    // Only these two replies should time out.
    let times_out = matches!(reply, ModelReply::NoResponse | ModelReply::SlowBody);
    let server = ModelServer::start(KEY, vec![reply]);
    let timeout = if times_out { Duration::from_millis(300) } else { Duration::from_mins(1) };
    let answer = model(&server, timeout, 1).ask(&request()).await;
    server.requests();
    answer
}

#[tokio::test]
async fn a_response_has_its_model_and_token_counts() {
    let server = ModelServer::start(KEY, vec![ModelReply::Completion("{}".to_owned())]);
    let answer = model(&server, Duration::from_secs(20), 1).ask(&request()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.model.as_str(), answer.is_whole), ("{}", MODEL, true));
    assert_eq!((answer.tokens_in, answer.tokens_out), TOKENS);
    let asked = &server.requests()[0].body;
    assert_eq!((&asked["temperature"], &asked["max_tokens"]), (&0.into(), &99.into()));
    assert_eq!(asked["messages"][1]["content"], "año \"x\"");
    assert!(!ask(ModelReply::TruncatedCompletion("{}".to_owned())).await.unwrap().is_whole);
}

#[tokio::test]
async fn each_failure_has_its_kind() {
    use ModelErrorKind::{AnswerInvalid, RateLimited, Refused, Unavailable};
    for (reply, kind) in [
        (ModelReply::Status(429, "Retry-After: 1\r\n"), RateLimited),
        (ModelReply::Status(500, ""), Unavailable),
        (ModelReply::Status(408, ""), Unavailable),
        (ModelReply::Status(401, ""), Refused),
        (ModelReply::Status(404, ""), Refused),
        (ModelReply::Status(422, ""), Refused),
        (ModelReply::Body("<html>"), AnswerInvalid),
        (ModelReply::Body("{\"choices\":[]}"), AnswerInvalid),
        (ModelReply::EndlessBody, AnswerInvalid),
        (ModelReply::SlowBody, Unavailable),
        (ModelReply::NoResponse, Unavailable),
    ] {
        let error = ask(reply.clone()).await.unwrap_err();
        assert_eq!(error.kind, kind, "{reply:?}: {error}");
        assert!(!error.message.contains(KEY) && !error.message.contains("127.0.0.1"), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_so_that_the_key_goes_to_no_other_host() {
    let elsewhere = ModelServer::start(KEY, vec![ModelReply::Completion("{}".to_owned())]);
    let location: &'static str = format!("Location: {}/chat/completions\r\n", elsewhere.url).leak();
    let error = ask(ModelReply::Status(307, location)).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Refused);
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn a_busy_model_is_retried_after_its_wait_but_never_after_the_deadline() {
    let busy = ModelReply::Status(429, "Retry-After: 1\r\n");
    let server = ModelServer::start(KEY, vec![busy.clone(), ModelReply::Completion("{}".to_owned())]);
    model(&server, Duration::from_secs(20), 2).ask(&request()).await.unwrap();
    let asked = server.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].at - asked[0].at >= Duration::from_millis(990), "the server asked for a second");

    let server = ModelServer::start(KEY, vec![busy]);
    let soon = Some(deadline(Duration::from_millis(2_900), Arc::new(SystemClock)));
    let error =
        model(&server, Duration::from_secs(20), 9).ask(&ModelRequest { deadline: soon, ..request() }).await;
    assert_eq!(error.unwrap_err().kind, ModelErrorKind::RateLimited);
    assert_eq!(server.requests().len(), 1, "the deadline left no time for another request");
    let past = Some(deadline(Duration::ZERO, Arc::new(SystemClock)));
    let error =
        model(&server, Duration::from_secs(20), 9).ask(&ModelRequest { deadline: past, ..request() }).await;
    assert_eq!((error.unwrap_err().kind, server.requests().len()), (ModelErrorKind::Unavailable, 1));
}

/// The deadline of a run is set by the clock of the database, which may be another machine's.
#[tokio::test]
async fn the_clock_of_another_machine_leaves_the_model_its_time() {
    let long_ago = FakeClock::at(Timestamp::UNIX_EPOCH);
    let far_ahead = FakeClock::at("2100-01-01T00:00:00Z".parse().unwrap());
    for clock in [long_ago, far_ahead] {
        let server = ModelServer::start(KEY, vec![ModelReply::Completion("{}".to_owned())]);
        let deadline = Some(deadline(Duration::from_mins(2), Arc::new(clock)));
        model(&server, Duration::from_secs(20), 1)
            .ask(&ModelRequest { deadline, ..request() })
            .await
            .unwrap();
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn an_unreachable_endpoint_is_unavailable() {
    let url = "http://127.0.0.1:1/v1".to_owned();
    let settings = ModelSettings {
        url,
        allow_http: false,
        name: "any".to_owned(),
        api_key: None,
        timeout: Duration::from_secs(9),
        attempts: 1,
    };
    let error = RemoteModel::new(HttpClient::new(), settings).unwrap().ask(&request()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
}

#[test]
fn the_url_must_be_http_and_the_key_printable_ascii() {
    let address = |url: &str, key: &str| {
        let (url, api_key) = (url.to_owned(), Some(key.to_owned()));
        let settings = ModelSettings {
            url,
            allow_http: false,
            name: String::new(),
            api_key,
            timeout: Duration::ZERO,
            attempts: 1,
        };
        RemoteModel::new(HttpClient::new(), settings).map(|model| model.address.to_string())
    };
    for good in ["http://localhost:11434/v1", "http://localhost:11434/v1/"] {
        assert_eq!(address(good, "k"), Ok("http://localhost:11434/v1/chat/completions".to_owned()));
    }
    assert!(address("https://example.org", "k").is_ok());
    for bad in ["", "localhost", "ftp://x/v1", "http://", "http://x/v1?a=b", "file:///etc"] {
        assert_eq!(address(bad, "k"), Err(ModelSettingsError::Url), "{bad}");
    }
    for bad in ["a\nb", "a b", "clé"] {
        assert_eq!(address("https://x", bad), Err(ModelSettingsError::ApiKey), "{bad}");
    }
}

/// Documents contain personal data, which must not travel in the clear.
#[test]
fn plain_http_beyond_this_machine_is_refused_unless_it_is_allowed() {
    let check = |url: &str, allow_http: bool| {
        let (url, name, timeout) = (url.to_owned(), String::new(), Duration::ZERO);
        let settings = ModelSettings { url, allow_http, name, api_key: None, timeout, attempts: 1 };
        RemoteModel::new(HttpClient::new(), settings).err()
    };
    for url in
        ["http://models.example/v1", "http://10.0.0.7:8000/v1", "http://localhost.example/v1", "HTTP://x"]
    {
        assert_eq!(check(url, false), Some(ModelSettingsError::PlainHttp), "{url}");
        assert_eq!(check(url, true), None, "{url}");
    }
    for url in
        ["https://models.example/v1", "http://localhost:11434/v1", "http://127.8.0.1", "http://[::1]:80/v1"]
    {
        assert_eq!(check(url, false), None, "{url}");
    }
}

/// A server without TLS behind an https URL gets no unencrypted request.
#[tokio::test]
async fn an_https_url_is_used_with_tls_only() {
    let server = ModelServer::start(KEY, vec![ModelReply::Completion("{}".to_owned())]);
    let (url, api_key) = (server.url.replace("http://", "https://"), Some(KEY.to_owned()));
    let settings = ModelSettings {
        url,
        allow_http: false,
        name: "any".to_owned(),
        api_key,
        timeout: Duration::from_secs(5),
        attempts: 1,
    };
    let error = RemoteModel::new(HttpClient::new(), settings).unwrap().ask(&request()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    assert!(server.requests().is_empty());
}

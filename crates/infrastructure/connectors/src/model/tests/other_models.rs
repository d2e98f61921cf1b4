//! Models that fail: each is asked once, then another one, and one that keeps failing is left alone.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};

use super::*;

/// The models that were asked, in order.
fn asked(server: &ModelServer) -> Vec<String> {
    server.requests().iter().map(|request| request.body["model"].as_str().unwrap().to_owned()).collect()
}

/// Proves R213: the attempts of a step are the only retries, so a model is asked once in each of them.
#[tokio::test]
async fn a_model_is_asked_once_and_another_one_only_after_an_error_that_may_pass() {
    let asked_models = async |reply: ModelReply| {
        let timeout = match reply {
            ModelReply::NoResponse => Duration::from_millis(200),
            _ => Duration::from_mins(1),
        };
        let server = ModelServer::start(KEY, vec![reply]);
        let fallback_models = vec!["other".to_owned()];
        let settings = ModelSettings { fallback_models, timeout, ..settings(&server.url) };
        model(settings).ask(&request()).await.unwrap_err();
        asked(&server)
    };
    for reply in [
        ModelReply::Status(500, ""),
        ModelReply::Status(429, ""),
        ModelReply::Status(429, "Retry-After: 86400\r\n"),
        ModelReply::CutStream("{".to_owned()),
        ModelReply::NoResponse,
        ModelReply::Garbage,
    ] {
        assert_eq!(asked_models(reply.clone()).await, ["any", "other"], "{reply:?}");
    }
    for reply in [
        ModelReply::Status(429, "Retry-After: 1\r\n"),
        ModelReply::Status(401, ""),
        ModelReply::Status(400, ""),
        ModelReply::Refusal("no"),
        ModelReply::Filtered,
        ModelReply::Body("<html>"),
    ] {
        assert_eq!(asked_models(reply.clone()).await, ["any"], "{reply:?}");
    }
}

/// The rate limit of R213 goes up to the run with its time, at once.
#[tokio::test]
async fn a_rate_limit_is_returned_with_its_time_and_nobody_sleeps() {
    let server = ModelServer::start(KEY, vec![ModelReply::Status(429, "Retry-After: 600\r\n")]);
    let limited = ModelSettings { fallback_models: vec!["other".to_owned()], ..settings(&server.url) };
    let error = model(limited).ask(&request()).await.unwrap_err();
    assert_eq!((error.kind, error.retry_after), (ModelErrorKind::RateLimited, Some(Duration::from_mins(10))));
    let now = Timestamp::UNIX_EPOCH;
    let until = now.checked_add(SignedDuration::from_mins(10)).unwrap();
    assert_eq!(error.failure_kind(now), quire_domain::FailureKind::RateLimited { until });
    assert_eq!(asked(&server), ["any"]);
}

/// Proves E61: the rate limit of a fallback closes the lane too, for its own time, whatever the first model did.
#[tokio::test]
async fn a_rate_limit_of_a_fallback_is_returned_with_its_time() {
    for first in [ModelReply::Status(500, ""), ModelReply::Status(404, ""), ModelReply::Garbage] {
        let server = ModelServer::with_key(KEY).answering(move |body, _| match body["model"].as_str() {
            Some("any") => first.clone(),
            _ => ModelReply::Status(429, "Retry-After: 600\r\n"),
        });
        let limited = ModelSettings {
            fallback_models: vec!["other".to_owned()],
            breaker: BreakerSettings { failures: 1, pause: Duration::from_secs(30) },
            ..settings(&server.url)
        };
        let model = model(limited);
        // The second time, the first model may be left alone for less than the rate limit lasts.
        for _ in 0..2 {
            let error = model.ask(&request()).await.unwrap_err();
            let expected = (ModelErrorKind::RateLimited, Some(Duration::from_mins(10)));
            assert_eq!((error.kind, error.retry_after), expected);
        }
    }
}

#[tokio::test]
async fn no_request_goes_beyond_the_deadline() {
    let server = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    let model = model(settings(&server.url));
    let soon = Some(deadline(Duration::from_millis(2_300), Arc::new(SystemClock)));
    let error = model.ask(&ModelRequest { deadline: soon, ..request() }).await.unwrap_err();
    assert_eq!((error.kind, server.requests().len()), (ModelErrorKind::Unavailable, 1), "it was cut short");
    let past = Some(deadline(Duration::ZERO, Arc::new(SystemClock)));
    let error = model.ask(&ModelRequest { deadline: past, ..request() }).await.unwrap_err();
    assert_eq!((error.kind, server.requests().len()), (ModelErrorKind::Unavailable, 1), "it was not sent");
}

/// The deadline of a run is set by the clock of the database, which may be another machine's.
#[tokio::test]
async fn the_clock_of_another_machine_leaves_the_model_its_time() {
    let long_ago = FakeClock::at(Timestamp::UNIX_EPOCH);
    let far_ahead = FakeClock::at("2100-01-01T00:00:00Z".parse().unwrap());
    for clock in [long_ago, far_ahead] {
        let server = ModelServer::start(KEY, vec![completion("{}")]);
        let deadline = Some(deadline(Duration::from_mins(2), Arc::new(clock)));
        model(settings(&server.url)).ask(&ModelRequest { deadline, ..request() }).await.unwrap();
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn other_models_are_asked_if_the_first_fails_or_does_not_exist() {
    let server = ModelServer::with_key(KEY).answering(|body, _| match body["model"].as_str().unwrap() {
        "broken" => ModelReply::Status(503, ""),
        "unknown" => ModelReply::Status(404, ""),
        _ => completion("{}"),
    });
    let chained = ModelSettings {
        name: "broken".to_owned(),
        fallback_models: ["unknown", "good", "never"].map(str::to_owned).to_vec(),
        prices: ModelPrices::from(
            [("broken", (9.0, 9.0)), ("good", (2.0, 3.0))].map(|(name, prices)| (name.to_owned(), prices)),
        ),
        ..settings(&server.url)
    };
    let model = model(chained);
    let answer = model.ask(&request()).await.unwrap();
    assert_eq!(asked(&server), ["broken", "unknown", "good"]);
    #[allow(clippy::cast_precision_loss)] // Few tokens.
    let expected = (2.0 * answer.tokens_in as f64 + 3.0 * answer.tokens_out as f64) / 1e6;
    assert_eq!(answer.cost, Some(expected), "the prices are those of the model that answered");

    let chosen = ModelRequest { model: Some("chosen".to_owned()), ..request() };
    assert_eq!(model.ask(&chosen).await.unwrap().cost, None, "it has no price");
    assert_eq!(asked(&server).last().unwrap(), "chosen", "the request names the model");
}

#[tokio::test]
async fn a_model_that_keeps_failing_is_left_alone_until_it_may_be_tried_again() {
    let broken = Arc::new(Mutex::new(true));
    let is_broken = broken.clone();
    let server = ModelServer::with_key(KEY).answering(move |body, _| {
        let fails = body["model"] == "any" && *is_broken.lock().unwrap();
        if fails { ModelReply::Status(500, "") } else { completion("{}") }
    });
    let breaker = BreakerSettings { failures: 2, pause: Duration::from_secs(2) };
    let lonely = model(ModelSettings { breaker, ..settings(&server.url) });
    for count in 1..=2 {
        let error = lonely.ask(&request()).await.unwrap_err();
        assert_eq!((error.retry_after, asked(&server).len()), (None, count));
    }
    let error = lonely.ask(&request()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    let wait = error.retry_after.unwrap();
    assert!(wait <= Duration::from_secs(2) && wait > Duration::ZERO, "{wait:?}");
    assert_eq!(asked(&server).len(), 2, "it was not asked");
    *broken.lock().unwrap() = false;
    tokio::time::sleep(wait).await;
    lonely.ask(&request()).await.unwrap();
    lonely.ask(&request()).await.unwrap();

    *broken.lock().unwrap() = true;
    let fallback_models = vec!["other".to_owned()];
    let pair = model(ModelSettings { fallback_models, breaker, ..settings(&server.url) });
    let before = asked(&server).len();
    for _ in 0..3 {
        pair.ask(&request()).await.unwrap();
    }
    assert_eq!(asked(&server)[before..], ["any", "other", "any", "other", "other"]);
}

/// Proves R178: the log lines of a call name its run and its correlation id.
#[tokio::test]
async fn the_log_names_run_and_correlation_of_a_call() {
    let server = ModelServer::with_key(KEY).answering(|body, _| match body["model"].as_str() {
        Some("any") => ModelReply::Status(500, ""),
        _ if body["stream"] == true => ModelReply::Refused("Streaming is not supported"),
        _ => completion("{}"),
    });
    let fallback_models = vec!["other".to_owned()];
    let model = model(ModelSettings { fallback_models, ..settings(&server.url) });
    let run = quire_domain::RunId::new();
    let correlation_id = Some("corr-7".to_owned());
    let context = CallContext { run_id: Some(run), correlation_id, ..CallContext::default() };
    let log = CapturedLog::start();
    model.ask(&ModelRequest { context, ..request() }).await.unwrap();
    for message in ["model failed", "does not support a feature"] {
        let line = log.lines().into_iter().find(|line| line.contains(message)).unwrap();
        assert!(line.contains(&format!("run_id={run}")) && line.contains("correlation_id=corr-7"), "{line}");
    }
}

//! Repeated requests, other models and the circuit breaker.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use quire_domain::{RunId, StepName, SubjectId};

use super::*;

/// The models that were asked, in order.
fn asked(server: &ModelServer) -> Vec<String> {
    server.requests().iter().map(|request| request.body["model"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn only_errors_that_may_pass_are_retried() {
    let count = async |reply: ModelReply| {
        let server = ModelServer::start(KEY, vec![reply]);
        let retried = ModelSettings {
            retry: attempts(3),
            idle_timeout: Duration::from_millis(200),
            ..settings(&server.url)
        };
        model(retried).ask(&request()).await.unwrap_err();
        server.requests().len()
    };
    for reply in [
        ModelReply::Status(500, ""),
        ModelReply::Status(429, ""),
        ModelReply::Status(429, "Retry-After: 86400\r\n"),
        ModelReply::CutStream("{".to_owned()),
        ModelReply::NoResponse,
        ModelReply::Garbage,
    ] {
        assert_eq!(count(reply.clone()).await, 3, "{reply:?}");
    }
    for reply in [
        ModelReply::Status(429, "Retry-After: 1\r\n"),
        ModelReply::Status(401, ""),
        ModelReply::Status(400, ""),
        ModelReply::Refusal("no"),
        ModelReply::Filtered,
        ModelReply::Body("<html>"),
    ] {
        assert_eq!(count(reply.clone()).await, 1, "{reply:?}");
    }
}

/// The rate limit of R213 goes up to the run with its time, at once.
#[tokio::test]
async fn a_rate_limit_is_returned_with_its_time_and_nobody_sleeps() {
    let server = ModelServer::start(KEY, vec![ModelReply::Status(429, "Retry-After: 600\r\n")]);
    let limited = ModelSettings {
        retry: attempts(3),
        fallback_models: vec!["other".to_owned()],
        ..settings(&server.url)
    };
    let error = model(limited).ask(&request()).await.unwrap_err();
    assert_eq!((error.kind, error.retry_after), (ModelErrorKind::RateLimited, Some(Duration::from_mins(10))));
    let now = Timestamp::UNIX_EPOCH;
    let until = now.checked_add(SignedDuration::from_mins(10)).unwrap();
    assert_eq!(error.failure_kind(now), quire_domain::FailureKind::RateLimited { until });
    assert_eq!(asked(&server), ["any"]);
}

#[tokio::test]
async fn no_request_goes_beyond_the_deadline() {
    let server = ModelServer::start(KEY, vec![ModelReply::Status(500, "")]);
    let slow = Backoff { attempts: 9, base_ms: 5_000, max_ms: 5_000, jitter_ratio: 0.0 };
    let model = model(ModelSettings { retry: slow, ..settings(&server.url) });
    let soon = Some(deadline(Duration::from_millis(4_900), Arc::new(SystemClock)));
    let error = model.ask(&ModelRequest { deadline: soon, ..request() }).await.unwrap_err();
    assert_eq!((error.kind, server.requests().len()), (ModelErrorKind::Unavailable, 1));
    let past = Some(deadline(Duration::ZERO, Arc::new(SystemClock)));
    let error = model.ask(&ModelRequest { deadline: past, ..request() }).await.unwrap_err();
    assert_eq!((error.kind, server.requests().len()), (ModelErrorKind::Unavailable, 1));
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
        retry: attempts(2),
        prices: Some((1.0, 1.0)),
        ..settings(&server.url)
    };
    let model = model(chained);
    let answer = model.ask(&request()).await.unwrap();
    assert_eq!(asked(&server), ["broken", "broken", "unknown", "good"]);
    assert_eq!(answer.cost, None, "the prices are those of another model");

    let chosen = ModelRequest { model: Some("chosen".to_owned()), ..request() };
    model.ask(&chosen).await.unwrap();
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
    let lonely = model(ModelSettings { breaker, retry: attempts(9), ..settings(&server.url) });
    let error = lonely.ask(&request()).await.unwrap_err();
    assert_eq!(
        (error.retry_after, asked(&server).len()),
        (None, 2),
        "the breaker opens before the attempts end"
    );
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
    let pair = model(ModelSettings { breaker, fallback_models, retry: attempts(2), ..settings(&server.url) });
    let before = asked(&server).len();
    pair.ask(&request()).await.unwrap();
    pair.ask(&request()).await.unwrap();
    assert_eq!(asked(&server)[before..], ["any", "any", "other", "other"]);
}

/// Proves R210: the log line of a retry names the work, the attempt, the delay and the error, but no key and no text.
#[tokio::test]
async fn the_log_line_of_a_retry_names_the_work_the_delay_and_the_error() {
    let server = ModelServer::start(KEY, vec![ModelReply::Status(500, ""), completion("{}")]);
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber =
        tracing_subscriber::fmt().json().flatten_event(true).with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let context = CallContext {
        run_id: Some(RunId::new()),
        subject: Some(SubjectId(RunId::new().0)),
        step: Some(StepName::Interpretation),
        step_attempt: 1,
        correlation_id: Some("corr-7".to_owned()),
        credential: None,
    };
    let retry = Backoff { attempts: 2, base_ms: 20, max_ms: 20, jitter_ratio: 0.0 };
    let asked = ModelRequest { context: context.clone(), ..request() };
    model(ModelSettings { retry, ..settings(&server.url) }).ask(&asked).await.unwrap();
    drop(guard);
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let line = log.lines().find(|line| line.contains("will retry")).unwrap();
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["correlation_id"], "corr-7");
    assert_eq!(line["request_id"], context.subject.unwrap().to_string());
    assert_eq!(line["run_id"], context.run_id.unwrap().to_string());
    assert_eq!((&line["stage"], &line["attempt"]), (&"INTERPRETATION".into(), &1.into()));
    assert_eq!((&line["delay_ms"], &line["error"]), (&20.into(), &"MODEL_UNAVAILABLE".into()));
    assert!(!log.contains(KEY) && !log.contains("año"), "{log}");
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

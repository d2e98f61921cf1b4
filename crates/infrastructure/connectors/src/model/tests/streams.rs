//! Streamed answers: silence is told from slowness.

use super::*;

fn slow(pause: u64) -> ModelReply {
    ModelReply::SlowStream(Duration::from_millis(pause), "{\"word\":\"a rather long answer\"}".to_owned())
}

async fn ask_within(
    reply: ModelReply,
    timeout: u64,
    idle: u64,
) -> (Result<ModelResponse, ModelError>, usize) {
    let server = ModelServer::start(KEY, vec![reply]);
    let limited = ModelSettings {
        timeout: Duration::from_millis(timeout),
        idle_timeout: Duration::from_millis(idle),
        ..settings(&server.url)
    };
    let answer = model(limited).ask(&request()).await;
    (answer, server.requests().len())
}

/// The answer takes several times the limit on silence, but is never silent that long.
#[tokio::test]
async fn a_slow_answer_arrives_whole() {
    let (answer, asked) = ask_within(slow(300), 60_000, 2_000).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), asked), ("{\"word\":\"a rather long answer\"}", 1));
    assert_eq!((answer.tokens_in, answer.tokens_out), TOKENS);
    assert!(answer.latency > Duration::from_secs(2), "{:?}", answer.latency);
}

#[tokio::test]
async fn a_silent_answer_ends_at_the_limit_on_silence() {
    for reply in [ModelReply::SilentStream("{".to_owned()), ModelReply::NoResponse] {
        let (answer, asked) = ask_within(reply, 60_000, 200).await;
        let error = answer.unwrap_err();
        assert!(error.message.contains("sent nothing for too long"), "{error}");
        assert_eq!((error.kind, asked), (ModelErrorKind::Unavailable, 1));
    }
}

#[tokio::test]
async fn an_answer_that_is_too_slow_ends_at_the_time_limit() {
    let (answer, asked) = ask_within(slow(200), 500, 400).await;
    let error = answer.unwrap_err();
    assert!(error.message.contains("still answering"), "{error}");
    assert_eq!((error.kind, asked), (ModelErrorKind::Unavailable, 1));
}

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
async fn a_stream_that_falls_silent_ends_at_the_limit_on_silence() {
    let (answer, asked) = ask_within(ModelReply::SilentStream("{".to_owned()), 60_000, 200).await;
    let error = answer.unwrap_err();
    assert!(error.message.contains("sent nothing for too long"), "{error}");
    assert_eq!((error.kind, asked), (ModelErrorKind::Unavailable, 1));
}

/// A model that reads a long prompt is silent for longer than a stream may be, with and without streaming.
#[tokio::test]
async fn a_model_may_take_its_whole_time_until_its_first_word() {
    for streams in [true, false] {
        let server = ModelServer::with_key(KEY).answering(move |body, _| {
            if !streams && body["stream"] == true {
                return ModelReply::Refused("Streaming is not supported");
            }
            // The server answers each connection in a thread of its own.
            std::thread::sleep(Duration::from_millis(600));
            completion("{}")
        });
        let limited = ModelSettings {
            timeout: Duration::from_mins(1),
            idle_timeout: Duration::from_millis(100),
            ..settings(&server.url)
        };
        let answer = model(limited).ask(&request()).await.unwrap();
        assert_eq!(answer.text, "{}");
        assert!(answer.latency > Duration::from_millis(500), "{:?}", answer.latency);
    }
}

#[tokio::test]
async fn a_model_that_never_answers_ends_at_the_time_limit() {
    let (answer, asked) = ask_within(ModelReply::NoResponse, 300, 100).await;
    let error = answer.unwrap_err();
    assert!(error.message.contains("the request timed out"), "{error}");
    assert_eq!((error.kind, asked), (ModelErrorKind::Unavailable, 1));
}

#[tokio::test]
async fn an_answer_that_is_too_slow_ends_at_the_time_limit() {
    let (answer, asked) = ask_within(slow(200), 500, 400).await;
    let error = answer.unwrap_err();
    assert!(error.message.contains("still answering"), "{error}");
    assert_eq!((error.kind, asked), (ModelErrorKind::Unavailable, 1));
}

//! The replies of the fake provider, good and bad, whole or streamed.

use std::io::Result;
use std::time::Duration;

use serde_json::{Value, json};

use super::http::{Connection, begin_chunks, send, send_chunk};

/// Tokens that every answer reports: of the prompt and of the completion.
pub const TOKENS: (u64, u64) = (700, 50);
/// The model name that every answer reports.
pub const MODEL: &str = "fake-model-2026";
/// The characters of a streamed answer that are sent at once.
const PIECE: usize = 7;

/// A planned reply. A completion is streamed if the request asks for it.
#[derive(Clone, Debug)]
pub enum ModelReply {
    /// These vectors, one for each text of the request.
    Embeddings(Vec<Vec<f32>>),
    /// A completion with this text.
    Completion(String),
    /// A completion with this text that reports this many prompt tokens.
    CompletionCosting(u64, String),
    /// A completion with this text that reports no tokens.
    CompletionWithoutUsage(String),
    /// A completion with this text that was cut off at the token limit.
    TruncatedCompletion(String),
    /// A refusal of the model to answer, with this text.
    Refusal(&'static str),
    /// An answer that the provider's filter held back.
    Filtered,
    /// A streamed completion with this text and this pause before each piece.
    SlowStream(Duration, String),
    /// A streamed completion that falls silent after its first piece.
    SilentStream(String),
    /// A streamed completion whose connection closes after its first piece.
    CutStream(String),
    /// A streamed completion that ends with an error of this code after its first piece.
    FailedStream(u16, String),
    /// This status with these additional header lines, and an error body.
    Status(u16, &'static str),
    /// Status 400 with this message.
    Refused(&'static str),
    /// This body instead of a completion.
    Body(&'static str),
    /// Bytes that are no HTTP.
    Garbage,
    /// The server accepts the request and never answers.
    NoResponse,
    /// A body that arrives byte by byte and never ends.
    SlowBody,
    /// A body without end, as fast as the client reads.
    EndlessBody,
}

/// The parts of an answer.
struct Answer<'a> {
    text: &'a str,
    refusal: Option<&'a str>,
    finish: &'static str,
    usage: Option<(u64, u64)>,
}

impl ModelReply {
    /// The tokens that the provider bills for the reply, once it is sent.
    pub(super) fn tokens(&self) -> Option<(u64, u64)> {
        match self {
            Self::Completion(_)
            | Self::CompletionWithoutUsage(_)
            | Self::TruncatedCompletion(_)
            | Self::Refusal(_)
            | Self::Filtered
            | Self::SlowStream(..) => Some(TOKENS),
            Self::CompletionCosting(tokens, _) => Some((*tokens, TOKENS.1)),
            Self::Embeddings(_) => Some((TOKENS.0, 0)),
            _ => None,
        }
    }

    pub(super) fn send(&self, stream: &mut dyn Connection, request: &Value) -> Result<()> {
        let answer = |text, finish| Answer { text, refusal: None, finish, usage: Some(TOKENS) };
        match self {
            Self::Embeddings(vectors) => send(stream, 200, "", &embeddings(vectors).to_string()),
            Self::Completion(text) => answer(text, "stop").send(stream, request),
            Self::CompletionCosting(tokens, text) => {
                Answer { usage: Some((*tokens, TOKENS.1)), ..answer(text, "stop") }.send(stream, request)
            }
            Self::CompletionWithoutUsage(text) => {
                Answer { usage: None, ..answer(text, "stop") }.send(stream, request)
            }
            Self::TruncatedCompletion(text) => answer(text, "length").send(stream, request),
            Self::Refusal(text) => Answer { refusal: Some(text), ..answer("", "stop") }.send(stream, request),
            Self::Filtered => answer("", "content_filter").send(stream, request),
            Self::SlowStream(pause, text) => answer(text, "stop").stream(stream, request, *pause),
            Self::SilentStream(text) => {
                begin_stream(stream, text)?;
                wait_for_hang_up(stream)
            }
            Self::CutStream(text) => begin_stream(stream, text),
            Self::FailedStream(code, text) => {
                begin_stream(stream, text)?;
                let error = json!({ "error": { "code": code, "message": "the model failed" } });
                send_event(stream, &error.to_string())?;
                send_chunk(stream, b"")
            }
            Self::Status(status, head) => send(stream, *status, head, "{\"error\":{\"message\":\"no\"}}"),
            Self::Refused(message) => {
                let error = json!({ "error": { "message": message, "type": "invalid_request_error" } });
                send(stream, 400, "", &error.to_string())
            }
            Self::Body(body) => send(stream, 200, "", body),
            Self::Garbage => stream.write_all(b"\x00\xff\xfe not HTTP at all\r\n\r\n\x7f"),
            Self::NoResponse => wait_for_hang_up(stream),
            Self::SlowBody => {
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
                )?;
                loop {
                    stream.write_all(b" ")?;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            Self::EndlessBody => {
                begin_chunks(stream, "application/json")?;
                let spaces = vec![b' '; 0x10000];
                loop {
                    send_chunk(stream, &spaces)?;
                }
            }
        }
    }
}

impl Answer<'_> {
    fn send(&self, stream: &mut dyn Connection, request: &Value) -> Result<()> {
        if request["stream"] == true {
            self.stream(stream, request, Duration::ZERO)
        } else {
            let message = json!({ "role": "assistant", "content": self.text, "refusal": self.refusal });
            let choice =
                json!({ "index": 0, "finish_reason": self.finish, "logprobs": null, "message": message });
            send(stream, 200, "", &completion("chat.completion", &json!([choice]), self.usage).to_string())
        }
    }

    /// Sends the answer as events, after this pause each.
    fn stream(&self, stream: &mut dyn Connection, request: &Value, pause: Duration) -> Result<()> {
        begin_chunks(stream, "text/event-stream; charset=utf-8")?;
        let delta = |delta: &Value, finish: Option<&str>| {
            let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
            completion("chat.completion.chunk", &json!([choice]), None)
        };
        let mut events = vec![delta(&json!({ "role": "assistant", "content": "" }), None)];
        let characters: Vec<char> = self.text.chars().collect();
        let pieces = characters.chunks(PIECE).map(|piece| piece.iter().collect::<String>());
        events.extend(pieces.map(|piece| delta(&json!({ "content": piece }), None)));
        events.extend(self.refusal.map(|refusal| delta(&json!({ "refusal": refusal }), None)));
        events.push(delta(&json!({}), Some(self.finish)));
        if request["stream_options"]["include_usage"] == true {
            events.push(completion("chat.completion.chunk", &json!([]), self.usage));
        }
        for event in events {
            std::thread::sleep(pause);
            send_event(stream, &event.to_string())?;
        }
        send_event(stream, "[DONE]")?;
        // The client has the whole answer and may hang up now.
        let _ = send_chunk(stream, b"");
        Ok(())
    }
}

fn embeddings(vectors: &[Vec<f32>]) -> Value {
    let item = |(index, vector): (usize, &Vec<f32>)| json!({ "object": "embedding", "index": index, "embedding": vector });
    let data: Vec<Value> = vectors.iter().enumerate().map(item).collect();
    let usage = json!({ "prompt_tokens": TOKENS.0, "total_tokens": TOKENS.0 });
    json!({ "object": "list", "model": MODEL, "data": data, "usage": usage })
}

fn completion(object: &str, choices: &Value, usage: Option<(u64, u64)>) -> Value {
    let usage = usage.map(|(tokens_in, tokens_out)| {
        json!({
            "prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out,
        })
    });
    json!({
        "id": "chatcmpl-1", "object": object, "created": 1, "model": MODEL, "choices": choices, "usage": usage,
    })
}

/// Sends the head of a stream and its first piece.
fn begin_stream(stream: &mut dyn Connection, text: &str) -> Result<()> {
    begin_chunks(stream, "text/event-stream")?;
    let choice = json!({ "index": 0, "delta": { "content": text }, "finish_reason": null });
    let piece = json!({ "object": "chat.completion.chunk", "model": MODEL, "choices": [choice] });
    send_event(stream, &piece.to_string())
}

fn send_event(stream: &mut dyn Connection, data: &str) -> Result<()> {
    send_chunk(stream, format!("data: {data}\n\n").as_bytes())
}

/// Sends nothing until the client hangs up.
fn wait_for_hang_up(stream: &mut dyn Connection) -> Result<()> {
    stream.read_to_end(&mut Vec::new()).map(drop)
}

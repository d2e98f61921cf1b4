//! Vectors from a server that is played here.

use std::sync::{Arc, Mutex};

use quire_ports::{CallContext, SystemClock};
use quire_testkit::RecordedCalls;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::http::HttpOptions;
use crate::model::{BreakerSettings, ModelPrices};

/// A server that answers each request as `answer` says. Returns its address and the bodies that it got.
async fn server(answer: fn(&Value) -> (u16, Value)) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let seen = bodies.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut text = Vec::new();
            let body = loop {
                let mut part = [0; 4096];
                let read = stream.read(&mut part).await.unwrap();
                text.extend_from_slice(&part[..read]);
                let whole = String::from_utf8_lossy(&text).into_owned();
                if let Some((head, body)) = whole.split_once("\r\n\r\n") {
                    assert!(head.starts_with("POST /v1/embeddings "), "{head}");
                    if let Ok(body) = serde_json::from_str::<Value>(body) {
                        break body;
                    }
                }
                assert!(read > 0, "the request ended early");
            };
            let (status, answer) = answer(&body);
            seen.lock().unwrap().push(body);
            let answer = answer.to_string();
            let response = format!(
                "HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
                answer.len()
            );
            stream.write_all(response.as_bytes()).await.unwrap();
        }
    });
    (address, bodies)
}

fn settings(url: String) -> ModelSettings {
    ModelSettings {
        url,
        allow_http: false,
        api_version: None,
        name: "small-embedder".to_owned(),
        fallback_models: Vec::new(),
        api_key: Some("sk-x".to_owned()),
        headers: String::new(),
        timeout: Duration::from_mins(1),
        idle_timeout: Duration::from_mins(1),
        max_response_bytes: 4 << 20,
        breaker: BreakerSettings { failures: 0, pause: Duration::from_mins(1) },
        prices: ModelPrices::default(),
    }
}

fn embedder(url: String, dimension: usize) -> (RemoteEmbedder, Arc<RecordedCalls>) {
    let calls: Arc<RecordedCalls> = Arc::default();
    let log = CallLog::new(calls.clone(), Arc::new(SystemClock));
    let http = HttpClient::new(&HttpOptions::default()).unwrap();
    (RemoteEmbedder::new(http, settings(url), dimension, log).unwrap(), calls)
}

fn request(texts: &[&str]) -> EmbedRequest {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    EmbedRequest { context: CallContext::default(), texts, deadline: None }
}

fn vectors(count: usize, dimension: usize) -> Value {
    // The last first: the index gives the order.
    let item = |index: usize| json!({ "index": index, "embedding": vec![index + 1; dimension] });
    json!({ "data": (0..count).rev().map(item).collect::<Vec<_>>(), "usage": { "prompt_tokens": 7 } })
}

fn count_of(body: &Value) -> usize {
    body["input"].as_array().unwrap().len()
}

/// Proves R203: a batch of texts is one request, and its vectors come back in order and of length 1.
#[tokio::test]
async fn a_batch_is_one_request_and_its_vectors_are_in_order() {
    let (url, bodies) = server(|body| (200, vectors(count_of(body), 4))).await;
    let (embedder, calls) = embedder(url, 4);
    let found = embedder.embed(request(&["uno", "dos", "tres"])).await.unwrap();
    assert_eq!(found, vec![vec![0.5f32; 4]; 3]);
    assert_eq!(embedder.model(), "small-embedder@4");
    let bodies = bodies.lock().unwrap();
    assert_eq!(bodies.len(), 1);
    assert_eq!((&bodies[0]["dimensions"], &bodies[0]["model"]), (&json!(4), &json!("small-embedder")));
    let calls = calls.all();
    assert_eq!((calls.len(), calls[0].tokens_in, calls[0].outcome.as_str()), (1, 7, "OK"));
}

/// Proves R203 for the dimension: a vector of another one is refused, as configured or as first seen.
#[tokio::test]
async fn a_vector_of_another_dimension_is_refused() {
    let (url, _) = server(|body| (200, vectors(count_of(body), 3))).await;
    let (fixed, calls) = embedder(url.clone(), 4);
    let refused = fixed.embed(request(&["uno"])).await.unwrap_err();
    assert_eq!(refused.kind, ModelErrorKind::AnswerInvalid);
    assert!(refused.message.contains("3 numbers where 4 were expected"), "{}", refused.message);
    assert_eq!(calls.all()[0].outcome, "MODEL_ANSWER_INVALID");
    let (url, _) = server(|body| (200, vectors(1, 2 + count_of(body)))).await;
    let (free, _) = embedder(url, 0);
    assert_eq!(free.embed(request(&["uno"])).await.unwrap()[0].len(), 3);
    assert!(free.embed(request(&["uno", "dos"])).await.is_err(), "one vector for two texts");
}

#[tokio::test]
async fn errors_of_the_endpoint_are_told_apart() {
    let (url, _) = server(|_| (500, json!({}))).await;
    assert_eq!(
        embedder(url, 0).0.embed(request(&["uno"])).await.unwrap_err().kind,
        ModelErrorKind::Unavailable
    );
    let (url, _) = server(|_| (401, json!({}))).await;
    assert_eq!(embedder(url, 0).0.embed(request(&["uno"])).await.unwrap_err().kind, ModelErrorKind::Refused);
    let (url, _) = server(|_| (200, json!({ "data": "x" }))).await;
    assert_eq!(
        embedder(url, 0).0.embed(request(&["uno"])).await.unwrap_err().kind,
        ModelErrorKind::AnswerInvalid
    );
    assert_eq!(embedder("http://127.0.0.1:9/v1".to_owned(), 0).0.embed(request(&[])).await, Ok(Vec::new()));
}

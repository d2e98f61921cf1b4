//! The event stream `GET /events`.

pub mod event_stream;
mod restart;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use quire_domain::{Event, EventId, EventType};
use quire_ports::EventFilter;
use quire_testkit::documents::clinical_record;
use quire_understanding::SchemaFile;
use serde_json::json;

use self::event_stream::{EventStream, Message};
use crate::http::text;
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::upload;

on_both_stores! {
    events_of_a_document_are_sent_as_they_happen,
    events_of_another_process_are_sent_within_200_ms,
    /// Proves R076 for ids of events and in filters.
    an_invalid_position_is_refused_by_name,
}

/// Id and type of every event of the history that a stream must send.
async fn expected(env: &TestEnv, after: &str) -> Vec<(String, String)> {
    let after = EventId(after.parse().unwrap());
    let events = env.store.run_reader.events(after, EventFilter::default(), 10_000).await.unwrap();
    let news = events.iter().filter(|recorded| recorded.event.event_type.is_streamed());
    news.map(|recorded| (recorded.id.0.to_string(), recorded.event.event_type.as_str().to_owned())).collect()
}

fn ids_and_types(messages: &[Message]) -> Vec<(String, String)> {
    messages.iter().map(|message| (message.id.clone(), message.event.clone())).collect()
}

async fn events_of_a_document_are_sent_as_they_happen(env: &TestEnv) {
    let server = env.cli.serve();
    let (mut stream, ready) = EventStream::after(&server, None);
    assert!(stream.head.contains("content-type: text/event-stream"), "{}", stream.head);
    assert_eq!((ready.retry.as_str(), ready.json()["id"].to_string()), ("1000", ready.id.clone()));
    let (_, _, first) = upload(&server, "/documents/upload", "record.pdf", &clinical_record(1));
    let (_, _, other) = upload(&server, "/documents/upload", "bad.pdf", b"%PDF-1.7\nnot really");
    let is_run_end = |message: &Message| message.event == "RUN_COMPLETED" || message.event == "RUN_FAILED";
    let mut messages = stream.until(is_run_end);
    messages.extend(stream.until(is_run_end));
    assert_eq!(ids_and_types(&messages), expected(env, &ready.id).await);

    let of_first: Vec<_> =
        messages.iter().filter(|message| message.json()["document_id"] == json!(first)).collect();
    let kinds: Vec<_> = of_first.iter().map(|message| message.event.as_str()).collect();
    assert_eq!(kinds[..4], ["DOCUMENT_UPLOADED", "RUN_CREATED", "RUN_STARTED", "STEP_STARTED"]);
    let completed = of_first.last().unwrap().json();
    assert_eq!((&completed["status"], &completed["pipeline"]), (&json!("COMPLETED"), &json!("document")));
    let failed: Vec<_> = messages.iter().filter(|message| message.event == "STEP_FAILED").collect();
    let failed = failed[0].json();
    assert_eq!(
        (&failed["document_id"], &failed["step_name"], &failed["status"], &failed["attempt"]),
        (&json!(other), &json!("EXTRACTION"), &json!("FAILED"), &json!(1))
    );
    assert_eq!(failed["error_code"], "PDF_INVALID");
    for field in ["message", "failure", "details", "actor", "text"] {
        assert_eq!(failed.get(field), None, "{field}");
    }

    let address = format!("/events?document_id={first}&last_event_id={}", ready.id);
    let mut filtered = EventStream::connect(&server, &address, "");
    assert_eq!(filtered.next().unwrap().id, ready.id);
    let again = filtered.until(is_run_end);
    assert_eq!(ids_and_types(&again), ids_and_types(&of_first.into_iter().cloned().collect::<Vec<_>>()));
}

/// The test writes the events; it is another process than the server.
async fn events_of_another_process_are_sent_within_200_ms(env: &TestEnv) {
    let server = env.cli.serve();
    let (mut stream, _) = EventStream::after(&server, None);
    let mut delays = Vec::new();
    for _ in 0..15 {
        let event = Event::new(EventType::LockHeld, Timestamp::now());
        env.store.queue.record(std::slice::from_ref(&event)).await.unwrap();
        let committed = Instant::now();
        assert_eq!(stream.next().unwrap().event, "LOCK_HELD");
        delays.push(committed.elapsed());
    }
    delays.sort();
    // A busy machine may delay some of them, but not most.
    assert!(delays[delays.len() / 2] < Duration::from_millis(200), "{delays:?}");
}

async fn an_invalid_position_is_refused_by_name(env: &TestEnv) {
    let server = env.cli.serve();
    for id in ["seven", "-1", "+1", "1.5", "99999999999999999999"] {
        let refused = server.send("GET /events", &format!("Last-Event-ID: {id}\r\n"), "").map(text);
        assert_eq!(refused.status, 400, "{id}: {}", refused.body);
        assert!(refused.body.contains("Last-Event-ID: must be"), "{}", refused.body);
    }
    for query in ["document_id=7", "run_id=7", "last_event_id=x"] {
        let refused = server.get(&format!("/events?{query}"));
        assert_eq!(refused.status, 400, "{query}: {}", refused.body);
    }
    // As after the database was replaced by another one.
    let refused = server.get("/events?last_event_id=1000000");
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("may have been replaced"), "{}", refused.body);
    assert!(refused.body.contains(&format!("\"newest\":{}", built_in_schemas())), "{}", refused.body);
}

#[tokio::test]
async fn the_number_of_streams_is_limited() {
    let env = TestEnv::on_sqlite(&[("QUIRE_SERVER_MAX_EVENT_STREAMS", "1")]);
    let server = env.cli.serve();
    let (stream, _) = EventStream::after(&server, None);
    let refused = server.get("/events");
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.head.contains("retry-after: 5"), "{}", refused.head);
    assert!(refused.body.contains("SERVICE_UNAVAILABLE"), "{}", refused.body);
    drop(stream);
    // The server notices it when it checks the connection.
    while !EventStream::connect(&server, "/events", "").head.contains(" 200 ok") {}
}

/// How many schemas come with the program. Storing each is an event.
fn built_in_schemas() -> usize {
    SchemaFile::built_in().len()
}

/// Takes as long as the interval of keep-alives.
#[tokio::test(flavor = "multi_thread")]
async fn keep_alives_advance_the_position_past_filtered_events() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let unknown = "0192f0c1-5b7a-7c3e-8f00-0123456789ab";
    let mut stream = EventStream::connect(&server, &format!("/events?document_id={unknown}"), "");
    let schemas = built_in_schemas();
    assert_eq!(stream.next().unwrap().id, schemas.to_string(), "the built-in schemas are the first events");
    env.store.queue.record(&[Event::new(EventType::LockHeld, Timestamp::now())]).await.unwrap();
    assert_eq!(stream.next_keep_alive(), (schemas + 1).to_string());
}

#[tokio::test]
async fn open_streams_do_not_delay_a_shutdown() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut status_line = [0; 15];
    stream.read_exact(&mut status_line).unwrap();
    assert_eq!(&status_line, b"HTTP/1.1 200 OK");
    let reader = std::thread::spawn(move || {
        let mut rest = String::new();
        stream.read_to_string(&mut rest).map(|_| rest)
    });
    assert_eq!(server.stop().status.code(), Some(0));
    let rest = reader.join().unwrap().unwrap();
    assert!(rest.ends_with("\r\n0\r\n\r\n"), "the stream was not ended properly: {rest:?}");
}

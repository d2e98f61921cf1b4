//! An event stream across kills of the server.

use jiff::Timestamp;
use quire_domain::{Event, EventType};
use quire_testkit::documents::clinical_record;

use super::event_stream::{EventStream, Message};
use super::{expected, ids_and_types};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::upload;

on_both_stores!(a_client_that_reconnects_misses_no_event);

/// Uploads before each kill.
const BATCH: usize = 4;
const KILLS: usize = 3;

/// A client that continues after its last id gets each event once and in order, also those that the killed server had stored
/// but not sent, and those that were stored while no server ran.
async fn a_client_that_reconnects_misses_no_event(env: &TestEnv) {
    let mut received: Vec<Message> = Vec::new();
    let mut position: Option<String> = None;
    let mut start = None;
    for round in 0..KILLS {
        let server = env.cli.serve();
        let (mut stream, ready) = EventStream::after(&server, position.as_deref());
        assert!(position.is_none_or(|position| position == ready.id), "it continues after the last id");
        start.get_or_insert(ready.id.clone());
        position = Some(ready.id);
        for _ in 0..BATCH {
            upload(&server, "/documents/upload", "record.pdf", &clinical_record(1));
        }
        // Each round a little further into the events of the uploads.
        for _ in 0..BATCH * (round + 1) {
            received.push(stream.next().expect("the stream was closed"));
        }
        server.signal("-KILL");
        // Messages that were sent before the kill still arrive.
        while let Some(message) = stream.next() {
            received.push(message);
        }
        position = received.last().map(|last| last.id.clone()).or(position);
        drop(server);
        let event = Event::new(EventType::LockHeld, Timestamp::now());
        env.store.queue.record(std::slice::from_ref(&event)).await.unwrap();
    }
    let server = env.cli.serve();
    let (mut stream, _) = EventStream::after(&server, position.as_deref());
    env.store.queue.record(&[Event::new(EventType::MarkReviewed, Timestamp::now())]).await.unwrap();
    received.extend(stream.until(|message| message.event == "MARK_REVIEWED"));
    let mut expected = expected(env, &start.unwrap()).await;
    expected.retain(|(id, _)| id.parse::<u64>().unwrap() <= received.last().unwrap().id.parse().unwrap());
    assert_eq!(ids_and_types(&received), expected);
    assert!(expected.iter().filter(|(_, kind)| kind == "LOCK_HELD").count() == KILLS);
}

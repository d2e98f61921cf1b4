//! A server that is killed while somebody listens, and the one after it.

use jiff::Timestamp;
use quire_domain::{Event, EventType};
use quire_testkit::documents::clinical_record;

use super::listener::{Listener, Message};
use super::{told, truth};
use crate::scene::{Scene, on_both_stores};
use crate::uploading::upload;

on_both_stores!(a_listener_misses_nothing_across_a_kill);

/// Uploads after which a server is killed.
const BATCH: usize = 4;
const KILLS: usize = 3;

/// Whoever goes on from the last id it saw gets each event once and in order, also those that the killed server had
/// written and not told, and those that were written while there was none.
async fn a_listener_misses_nothing_across_a_kill(scene: &Scene) {
    let mut heard: Vec<Message> = Vec::new();
    let mut place: Option<String> = None;
    let mut start = None;
    for round in 0..KILLS {
        let server = scene.quire.serve();
        let (mut listener, ready) = Listener::after(&server, place.as_deref());
        assert!(place.is_none_or(|place| place == ready.id), "it goes on from where it was");
        start.get_or_insert(ready.id.clone());
        place = Some(ready.id);
        for _ in 0..BATCH {
            upload(&server, "/documents/upload", "record.pdf", &clinical_record(1));
        }
        // Each time a little further into what the uploads set going.
        for _ in 0..BATCH * (round + 1) {
            heard.push(listener.next().expect("the server goes on"));
        }
        server.signal("-KILL");
        // What had been sent by then still arrives.
        while let Some(message) = listener.next() {
            heard.push(message);
        }
        place = heard.last().map(|last| last.id.clone()).or(place);
        drop(server);
        let event = Event::new(EventType::LockHeld, Timestamp::now());
        scene.store.queue.record(std::slice::from_ref(&event)).await.unwrap();
    }
    let server = scene.quire.serve();
    let (mut listener, _) = Listener::after(&server, place.as_deref());
    scene.store.queue.record(&[Event::new(EventType::MarkReviewed, Timestamp::now())]).await.unwrap();
    heard.extend(listener.until(|message| message.event == "MARK_REVIEWED"));
    let mut truth = truth(scene, &start.unwrap()).await;
    truth.retain(|(id, _)| id.parse::<u64>().unwrap() <= heard.last().unwrap().id.parse().unwrap());
    assert_eq!(told(&heard), truth);
    assert!(truth.iter().filter(|(_, kind)| kind == "LOCK_HELD").count() == KILLS);
}

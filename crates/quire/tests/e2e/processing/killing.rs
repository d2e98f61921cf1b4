//! Killed at any moment, told to stop, and going on.

use std::collections::BTreeMap;

use quire_domain::{EventId, EventType, RunId};
use quire_ports::EventFilter;

use super::{Working, by_file, happened, quire, state, with_records};

const DOCUMENTS: usize = 14;

/// How many whole lines there are by now.
fn lines(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}

/// Killed after so many results, again and again: nothing that was written is written again, nothing is missing, and no
/// run ended twice.
#[tokio::test]
async fn after_every_kill_it_goes_on_where_it_was() {
    let quire = quire();
    let names = with_records(&quire, DOCUMENTS);
    let arguments = ["process", "in", "--out", "r.jsonl", "--jobs", "2"];
    let place = quire.path("r.jsonl");
    let mut written = Vec::new();
    for count in [1, 4, 8, 11] {
        let mut working = Working::start(&quire, &arguments);
        while lines(&std::fs::read(&place).unwrap_or_default()) < count {
            assert!(working.child.try_wait().unwrap().is_none(), "it ended before it was killed");
            std::thread::yield_now();
        }
        working.signal("-KILL");
        working.child.wait().unwrap();
        let now = std::fs::read(&place).unwrap();
        assert!(now.starts_with(&written), "what was there is still there");
        written = now;
        // As a kill in the middle of a write would leave it.
        std::fs::write(&place, [&written[..], b"{\"file\":\"in/0"].concat()).unwrap();
    }
    quire.says(&arguments);
    let text = std::fs::read(&place).unwrap();
    assert!(text.starts_with(&written), "what was done is not done again");
    let results = by_file(std::str::from_utf8(&text).unwrap());
    assert!(results.keys().eq(&names), "{:?}", results.keys());
    assert!(results.values().all(|result| result["status"] == "COMPLETED"));

    let events = state(&quire.path(".quire")).history;
    let events = events.events(EventId(0), EventFilter::default(), 100_000).await.unwrap();
    let mut ends: BTreeMap<RunId, usize> = BTreeMap::new();
    for recorded in &events {
        if recorded.event.event_type == EventType::RunCompleted {
            *ends.entry(recorded.event.run.unwrap()).or_default() += 1;
        }
    }
    assert_eq!(ends.len(), DOCUMENTS, "no document was processed twice");
    assert!(ends.values().all(|count| *count == 1));
}

/// As files, of which each is whole or not there.
#[test]
fn after_a_kill_every_file_that_is_there_is_whole() {
    let quire = quire();
    let names = with_records(&quire, 8);
    let arguments = ["process", "in", "--out", "out"];
    let exists = |name: &String| quire.path(&format!("out/{name}.json")).exists();
    for count in [1, 3, 5] {
        let mut working = Working::start(&quire, &arguments);
        while names.iter().filter(|name| exists(name)).count() < count {
            assert!(working.child.try_wait().unwrap().is_none(), "it ended before it was killed");
            std::thread::yield_now();
        }
        working.signal("-KILL");
        working.child.wait().unwrap();
        for name in names.iter().filter(|name| exists(name)) {
            let text = std::fs::read_to_string(quire.path(&format!("out/{name}.json"))).unwrap();
            let result: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(result["file"], **name);
        }
    }
    quire.says(&arguments);
    assert!(names.iter().all(exists));
}

#[tokio::test]
async fn told_to_stop_it_says_how_to_go_on() {
    let quire = quire();
    with_records(&quire, DOCUMENTS);
    let mut working = Working::start(&quire, &["process", "in", "--jobs", "1"]);
    let seen = working.lines(2);
    working.signal("-INT");
    let (code, told) = working.end();
    assert_eq!(code, Some(130), "{told}");
    assert!(told.contains("Run the same command again to continue"), "{told}");
    let said = quire.run(&["process", "in"]);
    let results = by_file(&said.out);
    assert_eq!((said.status.code(), results.len()), (Some(0), DOCUMENTS));
    for (name, before) in by_file(&seen) {
        assert_eq!(results[&name], before, "what was understood then");
    }
    assert_eq!(happened(quire.path(".quire"), EventType::RunCompleted).await, DOCUMENTS);
}

#[test]
fn two_at_once_on_one_state_are_refused() {
    let quire = quire();
    with_records(&quire, 1);
    quire.says(&["process", "in"]);
    let held = quire_sqlite::FileLock::acquire(&quire.path(".quire/quire.db")).unwrap();
    let refused = quire.refuses(&["process", "in"]);
    assert!(refused.contains("another Quire") && refused.contains("--state"), "{refused}");
    assert!(quire.says(&["process", "in", "--state", "other"]).contains("COMPLETED"));
    drop(held);
    quire.says(&["process", "in"]);
}

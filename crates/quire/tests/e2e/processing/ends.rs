//! Results that nobody takes: a full disk, something in the way, a reader that has seen enough.

use std::fs::OpenOptions;
use std::process::Stdio;

use quire_domain::EventType;

use super::{Working, by_file, happened, quire, with_records};
use crate::program::said;

#[tokio::test]
async fn a_full_disk_is_told_and_nothing_is_lost() {
    let quire = quire();
    let names = with_records(&quire, 5);
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    let told = quire.command(&["process", "in"]).stdout(Stdio::from(full())).output().unwrap();
    let message = String::from_utf8(told.stderr).unwrap();
    assert_eq!(told.status.code(), Some(1), "{message}");
    for part in ["cannot write results to standard output", "No space left", "kept in .quire", "to continue"]
    {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    let told = quire.run(&["process", "in", "--out", "/dev/full", "--format", "jsonl"]);
    assert!(told.status.code() == Some(1) && told.err.contains("/dev/full"), "{}", told.err);
    let results = by_file(&quire.says(&["process", "in"]));
    assert!(results.keys().eq(&names));
    assert_eq!(happened(quire.path(".quire"), EventType::RunCompleted).await, 5, "each once");
}

#[tokio::test]
async fn what_is_in_the_way_is_told_and_left_alone() {
    let quire = quire();
    let names = with_records(&quire, 3);
    std::fs::create_dir(quire.path("out")).unwrap();
    quire.write("out/in", "a file where a folder is wanted");
    let told = quire.run(&["process", "in", "--out", "out"]);
    assert_eq!(told.status.code(), Some(1));
    assert!(told.err.contains("cannot write results to out"), "{}", told.err);
    std::fs::remove_file(quire.path("out/in")).unwrap();
    std::fs::create_dir(quire.path("out/in")).unwrap();
    quire.write("out/in/01.pdf.json", "{\"somebody\": \"else\"}");
    let told = quire.run(&["process", "in", "--out", "out"]);
    assert!(
        told.status.code() == Some(1) && told.err.contains("01.pdf.json exists and is not a result"),
        "{}",
        told.err
    );
    std::fs::remove_file(quire.path("out/in/01.pdf.json")).unwrap();
    quire.says(&["process", "in", "--out", "out"]);
    assert!(names.iter().all(|name| quire.path(&format!("out/{name}.json")).exists()));
    assert_eq!(happened(quire.path("out/.quire"), EventType::RunCompleted).await, 3);

    quire.write("mine.jsonl", "{\"mine\": 1}\n");
    let told = quire.run(&["process", "in", "--out", "mine.jsonl"]);
    assert!(told.status.code() == Some(1) && told.err.contains("choose another file"), "{}", told.err);
    assert_eq!(std::fs::read_to_string(quire.path("mine.jsonl")).unwrap(), "{\"mine\": 1}\n");
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let quire = quire();
    with_records(&quire, 12);
    let mut working = Working::start(&quire, &["process", "in", "--jobs", "1"]);
    working.lines(1);
    working.out = None;
    assert_eq!(working.end(), (Some(0), String::new()));
    let again = said(&mut quire.command(&["process", "in"]));
    assert_eq!(by_file(&again.out).len(), 12);
}

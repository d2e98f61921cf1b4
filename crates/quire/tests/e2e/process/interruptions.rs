//! Kills, signals and two commands on one state folder.

use std::collections::BTreeMap;

use quire_domain::{EventId, EventType, RunId};
use quire_ports::EventFilter;

use super::{RunningCommand, by_file, count_events, open_state, small_cli, write_records};

const DOCUMENTS: usize = 14;

/// The number of complete lines.
fn count_lines(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}

/// Kills the command repeatedly: no result is written twice or missing, and no run ends twice.
#[tokio::test]
async fn after_a_kill_the_command_continues_where_it_stopped() {
    let cli = small_cli();
    let names = write_records(&cli, DOCUMENTS);
    let arguments = ["process", "in", "--out", "r.jsonl", "--jobs", "2"];
    let output_file = cli.path("r.jsonl");
    let mut written = Vec::new();
    for count in [1, 4, 8, 11] {
        let mut command = RunningCommand::start(&cli, &arguments);
        while count_lines(&std::fs::read(&output_file).unwrap_or_default()) < count {
            assert!(command.child.try_wait().unwrap().is_none(), "the command ended before it was killed");
            std::thread::yield_now();
        }
        command.signal("-KILL");
        command.child.wait().unwrap();
        let now = std::fs::read(&output_file).unwrap();
        assert!(now.starts_with(&written), "earlier results stay");
        written = now;
        // As after a kill in the middle of a write.
        std::fs::write(&output_file, [&written[..], b"{\"file\":\"in/0"].concat()).unwrap();
    }
    cli.run_ok(&arguments);
    let text = std::fs::read(&output_file).unwrap();
    assert!(text.starts_with(&written), "results are not written again");
    let results = by_file(std::str::from_utf8(&text).unwrap());
    assert!(results.keys().eq(&names), "{:?}", results.keys());
    assert!(results.values().all(|result| result["status"] == "COMPLETED"));

    let events = open_state(&cli.path(".quire")).run_reader;
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

#[test]
fn after_a_kill_every_result_file_is_complete() {
    let cli = small_cli();
    let names = write_records(&cli, 8);
    let arguments = ["process", "in", "--out", "out"];
    let exists = |name: &String| cli.path(&format!("out/{name}.json")).exists();
    for count in [1, 3, 5] {
        let mut command = RunningCommand::start(&cli, &arguments);
        while names.iter().filter(|name| exists(name)).count() < count {
            assert!(command.child.try_wait().unwrap().is_none(), "the command ended before it was killed");
            std::thread::yield_now();
        }
        command.signal("-KILL");
        command.child.wait().unwrap();
        for name in names.iter().filter(|name| exists(name)) {
            let text = std::fs::read_to_string(cli.path(&format!("out/{name}.json"))).unwrap();
            let result: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(result["file"], **name);
        }
    }
    cli.run_ok(&arguments);
    assert!(names.iter().all(exists));
}

#[tokio::test]
async fn after_a_signal_the_command_says_how_to_continue() {
    let cli = small_cli();
    write_records(&cli, DOCUMENTS);
    let mut command = RunningCommand::start(&cli, &["process", "in", "--jobs", "1"]);
    let first_lines = command.read_lines(2);
    command.signal("-INT");
    let (code, stderr) = command.wait();
    assert_eq!(code, Some(130), "{stderr}");
    assert!(stderr.contains("Run the same command again to continue"), "{stderr}");
    let output = cli.run(&["process", "in"]);
    let results = by_file(&output.stdout);
    assert_eq!((output.status.code(), results.len()), (Some(0), DOCUMENTS));
    for (name, before) in by_file(&first_lines) {
        assert_eq!(results[&name], before, "the same result");
    }
    assert_eq!(count_events(cli.path(".quire"), EventType::RunCompleted).await, DOCUMENTS);
}

#[test]
fn a_second_command_on_the_same_state_is_refused() {
    let cli = small_cli();
    write_records(&cli, 1);
    cli.run_ok(&["process", "in"]);
    let lock = quire_sqlite::FileLock::acquire(&cli.path(".quire/quire.db")).unwrap();
    let refused = cli.run_err(&["process", "in"]);
    assert!(refused.contains("another Quire") && refused.contains("--state"), "{refused}");
    assert!(cli.run_ok(&["process", "in", "--state", "other"]).contains("COMPLETED"));
    drop(lock);
    cli.run_ok(&["process", "in"]);
}

//! Output that cannot be written: full disk, existing files, closed pipe.

use std::fs::OpenOptions;
use std::process::Stdio;

use quire_domain::EventType;

use super::{RunningCommand, by_file, count_events, small_cli, write_records};
use crate::program::output_of;

#[tokio::test]
async fn a_full_disk_is_reported_and_no_result_is_lost() {
    let cli = small_cli();
    let names = write_records(&cli, 5);
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = cli.command(&["process", "in"]).stdout(Stdio::from(full())).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["cannot write results to standard output", "No space left", "kept in .quire", "to continue"]
    {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    let output = cli.run(&["process", "in", "--out", "/dev/full", "--format", "jsonl"]);
    assert!(output.status.code() == Some(1) && output.stderr.contains("/dev/full"), "{}", output.stderr);
    let results = by_file(&cli.run_ok(&["process", "in"]));
    assert!(results.keys().eq(&names));
    assert_eq!(count_events(cli.path(".quire"), EventType::RunCompleted).await, 5, "each once");
}

#[tokio::test]
async fn existing_files_that_are_not_results_are_not_overwritten() {
    let cli = small_cli();
    let names = write_records(&cli, 3);
    std::fs::create_dir(cli.path("out")).unwrap();
    cli.write("out/in", "a file where a folder is wanted");
    let output = cli.run(&["process", "in", "--out", "out"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("cannot write results to out"), "{}", output.stderr);
    std::fs::remove_file(cli.path("out/in")).unwrap();
    std::fs::create_dir(cli.path("out/in")).unwrap();
    cli.write("out/in/01.pdf.json", "{\"somebody\": \"else\"}");
    let output = cli.run(&["process", "in", "--out", "out"]);
    assert!(
        output.status.code() == Some(1) && output.stderr.contains("01.pdf.json exists and is not a result"),
        "{}",
        output.stderr
    );
    std::fs::remove_file(cli.path("out/in/01.pdf.json")).unwrap();
    cli.run_ok(&["process", "in", "--out", "out"]);
    assert!(names.iter().all(|name| cli.path(&format!("out/{name}.json")).exists()));
    assert_eq!(count_events(cli.path("out/.quire"), EventType::RunCompleted).await, 3);

    cli.write("mine.jsonl", "{\"mine\": 1}\n");
    let output = cli.run(&["process", "in", "--out", "mine.jsonl"]);
    assert!(
        output.status.code() == Some(1) && output.stderr.contains("choose another file"),
        "{}",
        output.stderr
    );
    assert_eq!(std::fs::read_to_string(cli.path("mine.jsonl")).unwrap(), "{\"mine\": 1}\n");
}

#[test]
fn a_closed_pipe_ends_the_command_without_an_error() {
    let cli = small_cli();
    write_records(&cli, 12);
    let mut command = RunningCommand::start(&cli, &["process", "in", "--jobs", "1"]);
    command.read_lines(1);
    command.stdout = None;
    assert_eq!(command.wait(), (Some(0), String::new()));
    let again = output_of(&mut cli.command(&["process", "in"]));
    assert_eq!(by_file(&again.stdout).len(), 12);
}

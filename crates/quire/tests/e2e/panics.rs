//! A panic leaves its place and nothing of the document. Each case runs in its own process: this test binary, started again.

use std::process::Command;

use quire::config::{LogFormat, LogLevel, LogSection};
use quire::telemetry;
use quire_reading::sandbox::child;

/// The environment variable with the case that the process runs.
const CASE: &str = "QUIRE_TEST_PANIC";
/// What a panic message quotes.
const QUOTED: &str = "Propietaria: Nombre Apellido";

/// The process that the other test starts. Without a case it does nothing.
#[test]
fn a_panicking_process() {
    let Ok(case) = std::env::var(CASE) else { return };
    let mut log = None;
    match case.as_str() {
        "parser" => child::print_only_the_place_of_panics(),
        "command" => telemetry::log_only_the_place_of_panics(),
        "server" => {
            telemetry::log_only_the_place_of_panics();
            log = Some(telemetry::start(LogSection { level: LogLevel::Info, format: LogFormat::Json }));
        }
        other => unreachable!("unknown case: {other}"),
    }
    let text = QUOTED.to_owned();
    assert!(std::thread::spawn(move || panic!("not a date: {text}")).join().is_err());
    drop(log);
}

#[test]
fn a_panic_leaves_its_place_and_never_its_message() {
    for case in ["parser", "command", "server"] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "panics::a_panicking_process", "--nocapture"])
            .env(CASE, case)
            .output()
            .unwrap();
        assert!(output.status.success(), "{case}: {output:?}");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        assert!(printed.contains("tests/e2e/panics.rs:"), "{case}: {printed}");
        assert!(!printed.contains(QUOTED) && !printed.contains("not a date"), "{case}: {printed}");
    }
}

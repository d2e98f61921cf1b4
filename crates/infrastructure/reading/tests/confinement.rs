//! Tests what a confined process can still do. Each case runs in its own process: this test binary, started again.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use quire_reading::sandbox::confine::{
    Enforcement, allow_only_computing, deny_network_and_processes, limit_cpu_time, limit_memory,
    restrict_files,
};

/// The environment variable with the case that the process runs.
const CASE: &str = "QUIRE_TEST_CONFINED";
/// The exit code of a case whose attempt was denied with an error.
const DENIED: i32 = 42;
const SIGSYS: i32 = 31;
const SIGABRT: i32 = 6;
const SIGXCPU: i32 = 24;

/// Runs a case in its own process.
fn run_case(case: &str) -> Output {
    let this = std::env::current_exe().unwrap();
    Command::new(this)
        .args(["--exact", "a_confined_process", "--nocapture"])
        .env(CASE, case)
        .output()
        .unwrap()
}

fn exit_of(case: &str) -> (Option<i32>, Option<i32>) {
    let status = run_case(case).status;
    (status.signal(), status.code())
}

/// The process that the other tests start. Without a case it does nothing.
#[test]
fn a_confined_process() {
    let Ok(case) = std::env::var(CASE) else { return };
    let exit_denied = |error: std::io::Error| {
        assert!(matches!(error.kind(), ErrorKind::PermissionDenied), "{error}");
        std::process::exit(DENIED);
    };
    let (manifest, listener) =
        (concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), TcpListener::bind("127.0.0.1:0"));
    let address = listener.as_ref().unwrap().local_addr().unwrap();
    match case.as_str() {
        "landlock, a file" => {
            assert_eq!(restrict_files(&[]), Enforcement::Active);
            File::open(manifest).map_or_else(exit_denied, |_| ());
        }
        "landlock, a file below an allowed folder" => {
            assert_eq!(restrict_files(&[Path::new(env!("CARGO_MANIFEST_DIR"))]), Enforcement::Active);
            let mut text = String::new();
            File::open(manifest).unwrap().read_to_string(&mut text).unwrap();
            assert!(!text.is_empty());
        }
        "landlock, a new file" => {
            assert_eq!(restrict_files(&[Path::new(env!("CARGO_MANIFEST_DIR"))]), Enforcement::Active);
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("confined");
            File::create(path).map_or_else(exit_denied, |_| ());
        }
        "landlock, the network" => {
            assert_eq!(restrict_files(&[]), Enforcement::Active);
            TcpStream::connect(address).map_or_else(exit_denied, |_| ());
        }
        "seccomp, a file" => {
            assert_eq!(allow_only_computing(), Enforcement::Active);
            let _ = File::open(manifest);
        }
        "seccomp, the network" => {
            assert_eq!(allow_only_computing(), Enforcement::Active);
            let _ = TcpStream::connect(address);
        }
        "seccomp, another program" => {
            assert_eq!(allow_only_computing(), Enforcement::Active);
            let _ = Command::new("/bin/true").status();
        }
        "seccomp, the limits of another process" => {
            let parent = rustix::process::getppid();
            assert_eq!(allow_only_computing(), Enforcement::Active);
            let none = rustix::process::Rlimit { current: Some(3), maximum: Some(3) };
            let _ = rustix::process::prlimit(parent, rustix::process::Resource::Nofile, none);
        }
        "the limits of another process" => {
            assert_eq!(deny_network_and_processes(), Enforcement::Active);
            let none = rustix::process::Rlimit { current: Some(3), maximum: Some(3) };
            let parent = rustix::process::getppid();
            let outcome = rustix::process::prlimit(parent, rustix::process::Resource::Nofile, none);
            outcome.map_err(Into::into).map_or_else(exit_denied, |_| ());
        }
        "a signal to another process" => {
            assert_eq!(deny_network_and_processes(), Enforcement::Active);
            let parent = rustix::process::getppid().unwrap();
            let outcome = rustix::process::kill_process(parent, rustix::process::Signal::TERM);
            outcome.map_err(Into::into).map_or_else(exit_denied, |()| ());
        }
        "seccomp, computing" => {
            assert_eq!(allow_only_computing(), Enforcement::Active);
            let sum: usize = (0..1000).map(|size| vec![1u8; size * 100].len()).sum();
            std::process::exit(i32::from(sum != 49_950_000));
        }
        "the network denied" => {
            assert_eq!(deny_network_and_processes(), Enforcement::Active);
            assert!(Command::new("/bin/true").status().unwrap().success(), "other calls still work");
            TcpStream::connect(address).map_or_else(exit_denied, |_| ());
        }
        "memory" => {
            limit_memory(512 << 20).unwrap();
            let mut allocations = Vec::new();
            loop {
                allocations.push(vec![1u8; 1 << 20]);
            }
        }
        "time" => {
            limit_cpu_time(0).unwrap();
            let mut number = 0u64;
            loop {
                number = std::hint::black_box(number.wrapping_add(1));
            }
        }
        other => panic!("unknown case: {other}"),
    }
}

#[test]
fn landlock_denies_files_and_the_network() {
    assert_eq!(exit_of("landlock, a file"), (None, Some(DENIED)));
    assert_eq!(exit_of("landlock, a new file"), (None, Some(DENIED)));
    assert_eq!(exit_of("landlock, the network"), (None, Some(DENIED)));
    assert_eq!(exit_of("landlock, a file below an allowed folder"), (None, Some(0)));
}

#[test]
fn seccomp_kills_a_process_that_does_more_than_compute() {
    for case in [
        "seccomp, a file",
        "seccomp, the network",
        "seccomp, another program",
        "seccomp, the limits of another process",
    ] {
        assert_eq!(exit_of(case), (Some(SIGSYS), None), "{case}");
    }
    assert_eq!(exit_of("seccomp, computing"), (None, Some(0)));
}

#[test]
fn a_program_without_network_gets_an_error_and_other_calls_work() {
    for case in ["the network denied", "the limits of another process", "a signal to another process"] {
        assert_eq!(exit_of(case), (None, Some(DENIED)), "{case}");
    }
}

#[test]
fn a_process_beyond_its_memory_limit_aborts_with_a_message() {
    let output = run_case("memory");
    assert_eq!(output.status.signal(), Some(SIGABRT));
    assert!(String::from_utf8_lossy(&output.stderr).contains("memory allocation of"));
}

#[test]
fn a_process_beyond_its_cpu_time_limit_is_killed() {
    assert_eq!(exit_of("time"), (Some(SIGXCPU), None));
}

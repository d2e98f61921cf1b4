//! What a confined process can still do. Each case runs in a process of its own: this test, executed once more.

#![cfg(target_os = "linux")]
// A panic is the verdict.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use quire_reading::sandbox::confine::{
    allow_only_computing, deny_network_and_processes, limit_cpu_time, limit_memory, restrict_files,
};

/// Which case the process shall try, if it is one of ours.
const CASE: &str = "QUIRE_TEST_CONFINED";
/// How it ends when what it tried was answered with an error.
const REFUSED: i32 = 42;
const SIGSYS: i32 = 31;
const SIGABRT: i32 = 6;
const SIGXCPU: i32 = 24;

/// Runs the case of that name in a process of its own.
fn confined(case: &str) -> Output {
    let this = std::env::current_exe().unwrap();
    Command::new(this)
        .args(["--exact", "a_confined_process", "--nocapture"])
        .env(CASE, case)
        .output()
        .unwrap()
}

fn ended_by(case: &str) -> (Option<i32>, Option<i32>) {
    let status = confined(case).status;
    (status.signal(), status.code())
}

/// The other side of every test here: does nothing unless it was asked to.
#[test]
fn a_confined_process() {
    let Ok(case) = std::env::var(CASE) else { return };
    let refused = |error: std::io::Error| {
        assert!(matches!(error.kind(), ErrorKind::PermissionDenied), "{error}");
        std::process::exit(REFUSED);
    };
    let (manifest, listener) =
        (concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), TcpListener::bind("127.0.0.1:0"));
    let address = listener.as_ref().unwrap().local_addr().unwrap();
    match case.as_str() {
        "landlock, a file" => {
            assert!(restrict_files(&[]));
            File::open(manifest).map_or_else(refused, |_| ());
        }
        "landlock, a file that is excepted" => {
            assert!(restrict_files(&[Path::new(env!("CARGO_MANIFEST_DIR"))]));
            let mut text = String::new();
            File::open(manifest).unwrap().read_to_string(&mut text).unwrap();
            assert!(!text.is_empty());
        }
        "landlock, a new file" => {
            assert!(restrict_files(&[Path::new(env!("CARGO_MANIFEST_DIR"))]));
            let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("confined");
            File::create(place).map_or_else(refused, |_| ());
        }
        "landlock, the network" => {
            assert!(restrict_files(&[]));
            TcpStream::connect(address).map_or_else(refused, |_| ());
        }
        "seccomp, a file" => {
            assert!(allow_only_computing());
            let _ = File::open(manifest);
        }
        "seccomp, the network" => {
            assert!(allow_only_computing());
            let _ = TcpStream::connect(address);
        }
        "seccomp, another program" => {
            assert!(allow_only_computing());
            let _ = Command::new("/bin/true").status();
        }
        "seccomp, the limits of another process" => {
            let parent = rustix::process::getppid();
            assert!(allow_only_computing());
            let none = rustix::process::Rlimit { current: Some(3), maximum: Some(3) };
            let _ = rustix::process::prlimit(parent, rustix::process::Resource::Nofile, none);
        }
        "the limits of another process" => {
            assert!(deny_network_and_processes());
            let none = rustix::process::Rlimit { current: Some(3), maximum: Some(3) };
            let parent = rustix::process::getppid();
            let asked = rustix::process::prlimit(parent, rustix::process::Resource::Nofile, none);
            asked.map_err(Into::into).map_or_else(refused, |_| ());
        }
        "a signal to another process" => {
            assert!(deny_network_and_processes());
            let parent = rustix::process::getppid().unwrap();
            let asked = rustix::process::kill_process(parent, rustix::process::Signal::TERM);
            asked.map_err(Into::into).map_or_else(refused, |()| ());
        }
        "seccomp, computing" => {
            assert!(allow_only_computing());
            let sum: usize = (0..1000).map(|size| vec![1u8; size * 100].len()).sum();
            std::process::exit(i32::from(sum != 49_950_000));
        }
        "the network denied" => {
            assert!(deny_network_and_processes());
            assert!(Command::new("/bin/true").status().unwrap().success(), "the rest works");
            TcpStream::connect(address).map_or_else(refused, |_| ());
        }
        "memory" => {
            limit_memory(512 << 20).unwrap();
            let mut hoard = Vec::new();
            loop {
                hoard.push(vec![1u8; 1 << 20]);
            }
        }
        "time" => {
            limit_cpu_time(0).unwrap();
            let mut number = 0u64;
            loop {
                number = std::hint::black_box(number.wrapping_add(1));
            }
        }
        other => panic!("no such case: {other}"),
    }
}

#[test]
fn landlock_keeps_a_process_from_files_and_the_network() {
    assert_eq!(ended_by("landlock, a file"), (None, Some(REFUSED)));
    assert_eq!(ended_by("landlock, a new file"), (None, Some(REFUSED)));
    assert_eq!(ended_by("landlock, the network"), (None, Some(REFUSED)));
    assert_eq!(ended_by("landlock, a file that is excepted"), (None, Some(0)));
}

#[test]
fn seccomp_ends_a_process_that_does_anything_but_compute() {
    for case in [
        "seccomp, a file",
        "seccomp, the network",
        "seccomp, another program",
        "seccomp, the limits of another process",
    ] {
        assert_eq!(ended_by(case), (Some(SIGSYS), None), "{case}");
    }
    assert_eq!(ended_by("seccomp, computing"), (None, Some(0)));
}

#[test]
fn a_program_that_is_denied_the_network_and_other_processes_is_told_so_and_can_do_the_rest() {
    for case in ["the network denied", "the limits of another process", "a signal to another process"] {
        assert_eq!(ended_by(case), (None, Some(REFUSED)), "{case}");
    }
}

#[test]
fn a_process_that_takes_too_much_memory_aborts_and_says_why() {
    let output = confined("memory");
    assert_eq!(output.status.signal(), Some(SIGABRT));
    assert!(String::from_utf8_lossy(&output.stderr).contains("memory allocation of"));
}

#[test]
fn a_process_that_takes_too_much_time_is_ended() {
    assert_eq!(ended_by("time"), (Some(SIGXCPU), None));
}

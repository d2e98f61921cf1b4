//! Documents that try to hurt the server. Each is read or refused with its own code, within the limits, and the server
//! goes on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quire_testkit::documents::{clinical_record, hostile};

use super::failure;
use crate::program::Server;
use crate::scene::Scene;

/// What the server may hold at most, in megabytes, whatever is sent to it: the largest file twice, and its own.
const MOST_MEMORY: u64 = 300;

/// The most memory that the server itself ever held, in megabytes.
fn peak_memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

/// Says that it is over when it goes, also if that is because the test has failed.
struct Finished<'d>(&'d AtomicBool);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Proves R022: health is answered within a second while documents of all kinds are being read.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_documents_cost_a_parser_each_at_most_and_the_server_answers_throughout() {
    let scene =
        Scene::on_sqlite(&[("QUIRE_READING_TIME_LIMIT", "10s"), ("QUIRE_READING_OCR_ENABLED", "false")]);
    let server = scene.quire.serve();
    let cases = hostile();
    let mut runs = Vec::new();
    for case in &cases {
        runs.push(scene.add(Some(&case.file), None).await);
    }
    let done = AtomicBool::new(false);
    let slowest = std::thread::scope(|scope| {
        let until_here = Finished(&done);
        let asking = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while !done.load(Ordering::Relaxed) {
                let asked = Instant::now();
                assert_eq!(server.get("/health").status, 200);
                slowest = slowest.max(asked.elapsed());
                std::thread::sleep(Duration::from_millis(10));
            }
            slowest
        });
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                for (case, run) in cases.iter().zip(&runs) {
                    let run = scene.run_ended(*run).await;
                    match failure(&run) {
                        Some((_, code)) => {
                            assert!(case.codes.contains(&code.as_str()), "{}: {code}", case.name);
                        }
                        None => assert!(!case.must_fail, "{} was read", case.name),
                    }
                }
            });
        });
        drop(until_here);
        asking.join().unwrap()
    });
    assert!(slowest < Duration::from_secs(1), "health took {slowest:?}");
    let good = scene.add(Some(&clinical_record(2)), None).await;
    assert_eq!(failure(&scene.run_ended(good).await), None, "the server still reads");
    let peak = peak_memory(&server);
    assert!(peak < MOST_MEMORY, "the server held {peak} MB");
    assert!(server.stop().status.success());
}

//! Hostile documents. Each is read or refused with its code within the limits, and the server keeps running.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quire_testkit::documents::{clinical_record, hostile};

use super::failure;
use crate::test_env::TestEnv;

/// Maximum memory of the server in MB: twice the largest file, and its own.
const MAX_MEMORY_MB: u64 = 300;

/// Sets the flag when dropped, also if the test fails.
struct DoneOnDrop<'d>(&'d AtomicBool);

impl Drop for DoneOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Proves R022: health checks take less than a second while documents are read.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_documents_cost_at_most_a_parser_and_health_stays_fast() {
    let env =
        TestEnv::on_sqlite(&[("QUIRE_READING_TIME_LIMIT", "10s"), ("QUIRE_READING_OCR_ENABLED", "false")]);
    let server = env.cli.serve();
    let cases = hostile();
    let mut runs = Vec::new();
    for case in &cases {
        runs.push(env.add_document(Some(&case.file), None).await);
    }
    let done = AtomicBool::new(false);
    let slowest = std::thread::scope(|scope| {
        let guard = DoneOnDrop(&done);
        let polling = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while !done.load(Ordering::Relaxed) {
                let started = Instant::now();
                assert_eq!(server.get("/health").status, 200);
                slowest = slowest.max(started.elapsed());
                std::thread::sleep(Duration::from_millis(10));
            }
            slowest
        });
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                for (case, run) in cases.iter().zip(&runs) {
                    let run = env.wait_for_run(*run).await;
                    match failure(&run) {
                        Some((_, code)) => {
                            assert!(case.codes.contains(&code.as_str()), "{}: {code}", case.name);
                        }
                        None => assert!(!case.must_fail, "{} was read", case.name),
                    }
                }
            });
        });
        drop(guard);
        polling.join().unwrap()
    });
    assert!(slowest < Duration::from_secs(1), "health took {slowest:?}");
    let good = env.add_document(Some(&clinical_record(2)), None).await;
    assert_eq!(failure(&env.wait_for_run(good).await), None, "the server still reads");
    let peak = server.peak_memory_mb();
    assert!(peak < MAX_MEMORY_MB, "the server used {peak} MB");
    assert!(server.stop().status.success());
}

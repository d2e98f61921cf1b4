//! A parser ends with its run or its server.

use super::{long_document, process_stat};
use crate::program::TestServer;
use crate::test_env::{TestEnv, wait_until};

/// The running parsers of a server, with the CPU time that each has used.
fn parsers_of(server: u32) -> Vec<(u32, u64)> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let stats = ids.filter_map(|id| Some((id, process_stat(id)?)));
    stats.filter(|(_, stat)| stat.parent == server).map(|(id, stat)| (id, stat.ticks)).collect()
}

fn has_ended(id: u32) -> bool {
    process_stat(id).is_none()
}

/// The parser that uses CPU time.
async fn busy_parser(server: &TestServer) -> u32 {
    let before = parsers_of(server.id());
    let used = |id: u32| before.iter().find(|(known, _)| *known == id).map_or(0, |(_, ticks)| *ticks);
    let mut busy = None;
    wait_until(async || {
        busy =
            parsers_of(server.id()).into_iter().find(|(id, ticks)| *ticks > used(*id) + 5).map(|(id, _)| id);
        busy.is_some()
    })
    .await;
    busy.unwrap()
}

#[tokio::test]
async fn a_run_that_times_out_ends_its_parser() {
    let env = TestEnv::on_sqlite(&[("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT", "2s")]);
    let server = env.cli.serve();
    let run = env.add_document(Some(&long_document()), None).await;
    let parser = busy_parser(&server).await;
    assert_eq!(env.wait_for_run(run).await.state.as_str(), "TIMED_OUT");
    wait_until(async || has_ended(parser)).await;
    assert!(server.stop().status.success());
}

#[tokio::test]
async fn a_server_that_stops_ends_its_parsers() {
    let env = TestEnv::on_sqlite(&[("QUIRE_ENGINE_SHUTDOWN_WAIT", "0s")]);
    let server = env.cli.serve();
    env.add_document(Some(&long_document()), None).await;
    let parser = busy_parser(&server).await;
    assert!(server.stop().status.success());
    wait_until(async || has_ended(parser)).await;
}

#[tokio::test]
async fn a_killed_server_ends_its_parsers() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    env.add_document(Some(&long_document()), None).await;
    let parser = busy_parser(&server).await;
    let all: Vec<u32> = parsers_of(server.id()).into_iter().map(|(id, _)| id).collect();
    server.signal("-KILL");
    server.wait();
    wait_until(async || has_ended(parser) && all.iter().all(|id| has_ended(*id))).await;
}

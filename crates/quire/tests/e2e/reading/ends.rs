//! Parsers end with whoever wanted their work: a run whose time is up, a server that stops, a server that is killed.

use quire_testkit::documents::{Pdf, text_page};

use crate::program::Server;
use crate::scene::{Scene, wait_until};

/// Work for much longer than the test takes.
pub fn long() -> Vec<u8> {
    let page = text_page(&["El paciente come bien y duerme toda la noche."; 60]);
    Pdf::of_pages(&vec![page; 4_900]).file()
}

/// The parsers that process has started, and the processor time each has used.
fn parsers_of(server: u32) -> Vec<(u32, u64)> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let (state, parent) = (fields[0], fields[1].parse::<u32>().ok()?);
        (parent == server && state != "Z").then(|| (id, fields[11].parse().unwrap()))
    })
    .collect()
}

fn is_gone(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    stat.map_or(true, |stat| {
        stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
    })
}

/// The parser that is at work: the one that uses the processor.
async fn busy_parser(server: &Server) -> u32 {
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
async fn a_run_whose_time_is_up_ends_its_parser() {
    let scene = Scene::on_sqlite(&[("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT", "2s")]);
    let server = scene.quire.serve();
    let run = scene.add(Some(&long()), None).await;
    let parser = busy_parser(&server).await;
    assert_eq!(scene.run_ended(run).await.state.as_str(), "TIMED_OUT");
    wait_until(async || is_gone(parser)).await;
    assert!(server.stop().status.success());
}

#[tokio::test]
async fn a_server_that_stops_ends_its_parsers() {
    let scene = Scene::on_sqlite(&[("QUIRE_ENGINE_SHUTDOWN_WAIT", "0s")]);
    let server = scene.quire.serve();
    scene.add(Some(&long()), None).await;
    let parser = busy_parser(&server).await;
    assert!(server.stop().status.success());
    wait_until(async || is_gone(parser)).await;
}

#[tokio::test]
async fn a_server_that_is_killed_takes_its_parsers_with_it() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    scene.add(Some(&long()), None).await;
    let parser = busy_parser(&server).await;
    let idle: Vec<u32> = parsers_of(server.id()).into_iter().map(|(id, _)| id).collect();
    server.signal("-KILL");
    server.wait();
    wait_until(async || is_gone(parser) && idle.iter().all(|id| is_gone(*id))).await;
}

//! Whether a server still says that it lives while four runs compute: big PDFs in the parsers, and then steps that
//! compute on the engine's threads without a pause.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};

use super::Options;
use super::client::{self, Connection};
use super::server::{Home, Work};
use crate::database::Kind;
use crate::read::made;
use crate::report::{Line, Table, percentile};

const SLOTS: usize = 4;
/// Enough to keep the slots busy for longer than is measured.
const DOCUMENTS: usize = 80;
/// Some seven hundred pages.
const FILE_SIZE: usize = 3_000_000;
const WATCHED: Duration = Duration::from_secs(30);
const EVERY: Duration = Duration::from_millis(5);

/// The table for one database.
pub async fn measure(kind: Kind, _: &Options) -> Table {
    let slots = SLOTS.to_string();
    let server = Home::new(kind).await.serve(Work::Heavy, &[("QUIRE_ENGINE_SLOTS", &slots)]);
    let idle = watch(server.address, WATCHED / 3).await;
    let (mut request, number) = client::upload(&made::prose_of(FILE_SIZE));
    let mut connection = Connection::to(server.address).await;
    for document in 0..DOCUMENTS {
        request[number.clone()].copy_from_slice(format!("{document:020}").as_bytes());
        connection.ask(&request, "an upload").await;
    }
    let (mut busy, mut running) = (Vec::new(), Vec::new());
    let watched = Instant::now();
    while watched.elapsed() < WATCHED {
        busy.extend(watch(server.address, Duration::from_secs(1)).await);
        running.push(count_running(&mut connection).await);
    }
    let fewest = running.iter().copied().min().unwrap_or_default();
    let lines = vec![
        Line::at_most("GET /health/live, p99", percentile(busy.clone(), 0.99), 20.0, " ms"),
        Line {
            what: "runs executing, each second".to_owned(),
            figure: format!("{fewest} or more"),
            wanted: SLOTS.to_string(),
            met: fewest == SLOTS,
        },
    ];
    let note = format!(
        "{} requests, p50 {:.2} ms, at most {:.2} ms; with nothing to do p50 {:.2} ms, p99 {:.2} ms",
        busy.len(),
        percentile(busy.clone(), 0.5),
        percentile(busy, 1.0),
        percentile(idle.clone(), 0.5),
        percentile(idle, 0.99)
    );
    Table { lines, notes: vec![note] }
}

/// Asks again and again; how long each answer took, in milliseconds.
async fn watch(address: SocketAddr, time: Duration) -> Vec<f64> {
    let mut connection = Connection::to(address).await;
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (start, mut taken) = (Instant::now(), Vec::new());
    while start.elapsed() < time {
        ticks.tick().await;
        let begun = Instant::now();
        connection.get("/health/live").await;
        taken.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    taken
}

async fn count_running(connection: &mut Connection) -> usize {
    let list = connection.get("/documents?status=PROCESSING&limit=200").await;
    let list: Value = serde_json::from_slice(list).unwrap();
    let items = list["items"].as_array().unwrap();
    items.iter().filter(|item| item["latest_run_state"] == "RUNNING").count()
}

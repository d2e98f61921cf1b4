//! Measures the latency of `GET /health/live` while four runs compute: first large PDFs in the parsers, then steps that
//! compute on the threads of the engine without a pause.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};

use super::ApiBenchOptions;
use super::client::{self, Connection};
use super::server::{ServerData, StepBehavior};
use crate::database::DatabaseKind;
use crate::read::generated;
use crate::report::{Measurement, Table, percentile};

const SLOTS: usize = 4;
/// Enough documents to keep the slots busy for the whole measurement.
const DOCUMENTS: usize = 80;
/// About seven hundred pages.
const FILE_SIZE: usize = 3_000_000;
const MEASURED_TIME: Duration = Duration::from_secs(30);
const REQUEST_INTERVAL: Duration = Duration::from_millis(5);

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, _: &ApiBenchOptions) -> Table {
    let slots = SLOTS.to_string();
    let server = ServerData::new(kind).await.serve(StepBehavior::Heavy, &[("QUIRE_ENGINE_SLOTS", &slots)]);
    let idle = time_health_requests(server.address, MEASURED_TIME / 3).await;
    let (mut request, number) = client::upload_request(&generated::prose_of(FILE_SIZE));
    let mut connection = Connection::to(server.address).await;
    for document in 0..DOCUMENTS {
        request[number.clone()].copy_from_slice(format!("{document:020}").as_bytes());
        connection.send(&request, "an upload").await;
    }
    let (mut busy, mut running) = (Vec::new(), Vec::new());
    let start = Instant::now();
    while start.elapsed() < MEASURED_TIME {
        busy.extend(time_health_requests(server.address, Duration::from_secs(1)).await);
        running.push(count_running(&mut connection).await);
    }
    let fewest = running.iter().copied().min().unwrap_or_default();
    let lines = vec![
        Measurement::at_most("GET /health/live, p99", percentile(busy.clone(), 0.99), 20.0, " ms"),
        Measurement {
            name: "runs executing, minimum of all seconds".to_owned(),
            value: format!("{fewest} or more"),
            target: SLOTS.to_string(),
            met: fewest == SLOTS,
        },
    ];
    let note = format!(
        "{} requests, p50 {:.2} ms, maximum {:.2} ms; idle server p50 {:.2} ms, p99 {:.2} ms",
        busy.len(),
        percentile(busy.clone(), 0.5),
        percentile(busy, 1.0),
        percentile(idle.clone(), 0.5),
        percentile(idle, 0.99)
    );
    Table { measurements: lines, notes: vec![note] }
}

/// Sends health requests at an interval. Returns the time of each, in milliseconds.
async fn time_health_requests(address: SocketAddr, time: Duration) -> Vec<f64> {
    let mut connection = Connection::to(address).await;
    let mut ticks = interval(REQUEST_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (start, mut times) = (Instant::now(), Vec::new());
    while start.elapsed() < time {
        ticks.tick().await;
        let sent = Instant::now();
        connection.get("/health/live").await;
        times.push(sent.elapsed().as_secs_f64() * 1000.0);
    }
    times
}

async fn count_running(connection: &mut Connection) -> usize {
    let list = connection.get("/documents?status=PROCESSING&limit=200").await;
    let list: Value = serde_json::from_slice(list).unwrap();
    let items = list["items"].as_array().unwrap();
    items.iter().filter(|item| item["latest_run_state"] == "RUNNING").count()
}

//! Measures uploads of a 100 KB PDF by 32 concurrent clients, relative to the baseline handler.

use std::net::SocketAddr;
use std::time::Instant;

use super::ApiBenchOptions;
use super::client::{self, Connection};
use super::server::{ServerData, StepBehavior};
use crate::database::DatabaseKind;
use crate::read::generated;
use crate::report::{Measurement, Table, median, percentile};

const CLIENTS: usize = 32;
const FILE_SIZE: usize = 100_000;

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, options: &ApiBenchOptions) -> Table {
    let file = generated::prose_of(FILE_SIZE);
    let baseline = ServerData::new(kind).await.serve_baseline();
    let quire = ServerData::new(kind).await.serve(StepBehavior::None, &[]);
    // Warm up both processes.
    for address in [baseline.address, quire.address] {
        load(address, &file, options.uploads / 4).await;
    }
    let (mut ratios, mut spreads, mut baseline_spreads) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rates, mut baseline_rates) = (Vec::new(), Vec::new());
    let (mut times, mut baseline_times) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        let (baseline_rate, baseline_ms) = load(baseline.address, &file, options.uploads).await;
        let (rate, ms) = load(quire.address, &file, options.uploads).await;
        eprintln!("round {}: baseline {baseline_rate:.0}/s, Quire {rate:.0}/s", round + 1);
        ratios.push(rate / baseline_rate);
        spreads.push(spread(&ms));
        baseline_spreads.push(spread(&baseline_ms));
        rates.push(rate);
        baseline_rates.push(baseline_rate);
        times.extend(ms);
        baseline_times.extend(baseline_ms);
    }
    let describe = |of: Vec<f64>| {
        format!(
            "p50 {:.1} ms, p99 {:.1} ms, maximum {:.1} ms",
            percentile(of.clone(), 0.5),
            percentile(of.clone(), 0.99),
            percentile(of, 1.0)
        )
    };
    Table {
        measurements: vec![
            Measurement::at_least("throughput, relative to the baseline", median(ratios), 0.7, "×"),
            Measurement::at_most(
                format!("p99 relative to p50, {CLIENTS} connections"),
                median(spreads),
                4.0,
                "×",
            ),
        ],
        notes: vec![
            format!("baseline {:.0} uploads/s, Quire {:.0} uploads/s", median(baseline_rates), median(rates)),
            format!("Quire {}", describe(times)),
            format!(
                "baseline {}, p99 relative to p50 {:.2}×",
                describe(baseline_times),
                median(baseline_spreads)
            ),
        ],
    }
}

fn spread(milliseconds: &[f64]) -> f64 {
    percentile(milliseconds.to_vec(), 0.99) / percentile(milliseconds.to_vec(), 0.5)
}

/// Returns uploads per second, and the time of each upload in milliseconds. All connections are open before the clock
/// starts.
async fn load(address: SocketAddr, file: &[u8], uploads: usize) -> (f64, Vec<f64>) {
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut connection = Connection::to(address).await;
        connection.get("/health/live").await;
        clients.push((connection, client::upload_request(file)));
    }
    let start = Instant::now();
    let tasks: Vec<_> = clients
        .into_iter()
        .map(|(mut connection, (mut request, number))| {
            tokio::spawn(async move {
                let mut times = Vec::with_capacity(uploads / CLIENTS);
                for _ in 0..uploads / CLIENTS {
                    let unique = format!("{:020}", rand::random::<u64>());
                    request[number.clone()].copy_from_slice(unique.as_bytes());
                    let sent = Instant::now();
                    connection.send(&request, "an upload").await;
                    times.push(sent.elapsed().as_secs_f64() * 1000.0);
                }
                times
            })
        })
        .collect();
    let mut times = Vec::with_capacity(uploads);
    for client in tasks {
        times.extend(client.await.unwrap());
    }
    (times.len() as f64 / start.elapsed().as_secs_f64(), times)
}

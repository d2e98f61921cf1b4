//! Uploads of a PDF of 100 KB by 32 clients at once, against the bare handler, in turns.

use std::net::SocketAddr;
use std::time::Instant;

use super::Options;
use super::client::{self, Connection};
use super::server::{Home, Work};
use crate::database::Kind;
use crate::read::made;
use crate::report::{Line, Table, median, percentile};

const CLIENTS: usize = 32;
const FILE_SIZE: usize = 100_000;

/// The table for one database.
pub async fn measure(kind: Kind, options: &Options) -> Table {
    let file = made::prose_of(FILE_SIZE);
    let bare = Home::new(kind).await.serve_bare();
    let quire = Home::new(kind).await.serve(Work::None, &[]);
    // The first ones find cold processes.
    for address in [bare.address, quire.address] {
        load(address, &file, options.uploads / 4).await;
    }
    let (mut ratios, mut spreads, mut bare_spreads) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rates, mut bare_rates) = (Vec::new(), Vec::new());
    let (mut taken, mut bare_taken) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        let (bare_rate, bare_ms) = load(bare.address, &file, options.uploads).await;
        let (rate, ms) = load(quire.address, &file, options.uploads).await;
        eprintln!("round {}: bare {bare_rate:.0}/s, Quire {rate:.0}/s", round + 1);
        ratios.push(rate / bare_rate);
        spreads.push(spread(&ms));
        bare_spreads.push(spread(&bare_ms));
        rates.push(rate);
        bare_rates.push(bare_rate);
        taken.extend(ms);
        bare_taken.extend(bare_ms);
    }
    let times = |of: Vec<f64>| {
        format!(
            "p50 {:.1} ms, p99 {:.1} ms, at most {:.1} ms",
            percentile(of.clone(), 0.5),
            percentile(of.clone(), 0.99),
            percentile(of, 1.0)
        )
    };
    Table {
        lines: vec![
            Line::at_least("throughput, to the bare handler", median(ratios), 0.7, "×"),
            Line::at_most(format!("p99 to p50, {CLIENTS} connections"), median(spreads), 4.0, "×"),
        ],
        notes: vec![
            format!("bare {:.0} uploads/s, Quire {:.0} uploads/s", median(bare_rates), median(rates)),
            format!("Quire {}", times(taken)),
            format!("bare {}, p99 to p50 {:.2}×", times(bare_taken), median(bare_spreads)),
        ],
    }
}

fn spread(milliseconds: &[f64]) -> f64 {
    percentile(milliseconds.to_vec(), 0.99) / percentile(milliseconds.to_vec(), 0.5)
}

/// Uploads per second, and how long each took, in milliseconds. Connections are there before the clock runs.
async fn load(address: SocketAddr, file: &[u8], uploads: usize) -> (f64, Vec<f64>) {
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut connection = Connection::to(address).await;
        connection.get("/health/live").await;
        clients.push((connection, client::upload(file)));
    }
    let start = Instant::now();
    let working: Vec<_> = clients
        .into_iter()
        .map(|(mut connection, (mut request, number))| {
            tokio::spawn(async move {
                let mut taken = Vec::with_capacity(uploads / CLIENTS);
                for _ in 0..uploads / CLIENTS {
                    let unique = format!("{:020}", rand::random::<u64>());
                    request[number.clone()].copy_from_slice(unique.as_bytes());
                    let begun = Instant::now();
                    connection.ask(&request, "an upload").await;
                    taken.push(begun.elapsed().as_secs_f64() * 1000.0);
                }
                taken
            })
        })
        .collect();
    let mut taken = Vec::with_capacity(uploads);
    for client in working {
        taken.extend(client.await.unwrap());
    }
    (taken.len() as f64 / start.elapsed().as_secs_f64(), taken)
}

//! Measures lists and details of documents in a database with a million documents, relative to one with a thousand.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use uuid::Uuid;

use super::client::Connection;
use super::server::{Server, ServerData, StepBehavior};
use super::{ApiBenchOptions, seeding};
use crate::database::DatabaseKind;
use crate::report::{Measurement, Table, percentile};

const SMALL_DATABASE: usize = 1_000;
/// The number of documents whose details are requested.
const SAMPLED_DOCUMENTS: usize = 1_000;
/// Requests to one server before the other takes its turn.
const REQUESTS_PER_TURN: usize = 120;
const CLIENTS: [usize; 2] = [1, 8];

const LISTS: [(&str, &str); 6] = [
    ("the 50 newest", "/documents"),
    ("COMPLETED, nearly all", "/documents?status=COMPLETED"),
    ("TIMED_OUT, one in fifty", "/documents?status=TIMED_OUT"),
    ("PROCESSING, sixty", "/documents?status=PROCESSING"),
    ("FAILED, the most that are counted exactly", "/documents?status=FAILED"),
    ("REVIEWED, one in ten", "/documents?review_status=REVIEWED"),
];

/// A server with documents, and the ids of some of them.
struct FilledServer {
    server: Server,
    ids: Vec<Uuid>,
}

impl FilledServer {
    async fn of(kind: DatabaseKind, documents: usize) -> Self {
        let data = ServerData::new(kind).await;
        let start = Instant::now();
        let ids = seeding::insert_documents(kind, &data, documents, SAMPLED_DOCUMENTS).await;
        eprintln!("{documents} documents inserted in {:.0} s", start.elapsed().as_secs_f64());
        Self { server: data.serve(StepBehavior::None, &[]), ids }
    }

    fn details(&self) -> Arc<[String]> {
        self.ids.iter().map(|id| format!("/documents/{id}")).collect()
    }
}

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, options: &ApiBenchOptions) -> Table {
    let (small, large) =
        (FilledServer::of(kind, SMALL_DATABASE).await, FilledServer::of(kind, options.documents).await);
    let mut table = Table::default();
    for clients in CLIENTS {
        for (name, path) in LISTS {
            let paths: Arc<[String]> = Arc::new([path.to_owned()]);
            table.add(name, [(&small, paths.clone()), (&large, paths)], clients, options).await;
        }
        let paths = [(&small, small.details()), (&large, large.details())];
        table.add("a document", paths, clients, options).await;
    }
    table
}

impl Table {
    async fn add(
        &mut self,
        name: &str,
        requests: [(&FilledServer, Arc<[String]>); 2],
        clients: usize,
        options: &ApiBenchOptions,
    ) {
        let mut all = [Vec::new(), Vec::new()];
        for (server, paths) in &requests {
            // Warm up caches and query plans.
            time_requests(server.server.address, paths.clone(), clients, options.requests / 10).await;
        }
        // Short turns, so that other load on the machine affects both servers.
        for _ in 0..options.requests.div_ceil(REQUESTS_PER_TURN) {
            for ((server, paths), times) in requests.iter().zip(&mut all) {
                times.extend(
                    time_requests(server.server.address, paths.clone(), clients, REQUESTS_PER_TURN).await,
                );
            }
        }
        let p99 = all.each_ref().map(|times| percentile(times.clone(), 0.99));
        let [small, large] =
            all.map(|times| format!("{:.2}/{:.2}", percentile(times.clone(), 0.5), percentile(times, 0.99)));
        eprintln!("{name}, {clients} clients: {small} ms, {large} ms");
        let connections = if clients == 1 { "1 connection" } else { "8 connections" };
        self.measurements.push(Measurement::at_most(
            format!(
                "{name}, {connections}: p99 relative to a thousand documents (p50/p99 {small} → {large} ms)"
            ),
            p99[1] / p99[0],
            1.5,
            "×",
        ));
    }
}

/// Sends requests from several clients. Returns the time of each, in milliseconds. Each client starts at another path.
async fn time_requests(
    address: SocketAddr,
    paths: Arc<[String]>,
    clients: usize,
    requests: usize,
) -> Vec<f64> {
    let tasks: Vec<_> = (0..clients)
        .map(|client| {
            let paths = paths.clone();
            tokio::spawn(async move {
                let mut connection = Connection::to(address).await;
                connection.get("/health/live").await;
                let mut times = Vec::with_capacity(requests / clients);
                let first = rand::random_range(0..paths.len()) + client;
                for path in paths.iter().cycle().skip(first % paths.len()).take(requests / clients) {
                    let sent = Instant::now();
                    connection.get(path).await;
                    times.push(sent.elapsed().as_secs_f64() * 1000.0);
                }
                times
            })
        })
        .collect();
    let mut times = Vec::with_capacity(requests);
    for client in tasks {
        times.extend(client.await.unwrap());
    }
    times
}

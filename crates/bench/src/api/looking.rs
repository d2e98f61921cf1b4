//! The list and the detail of documents where there are a million of them, against the same where there are a thousand,
//! in turns.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use uuid::Uuid;

use super::client::Connection;
use super::server::{Home, Server, Work};
use super::{Options, fill};
use crate::database::Kind;
use crate::report::{Line, Table, percentile};

const SMALL: usize = 1_000;
/// Documents whose detail is asked for.
const SAMPLE: usize = 1_000;
/// Questions to one side before it is the other's turn.
const TURN: usize = 120;
const CLIENTS: [usize; 2] = [1, 8];

const LISTS: [(&str, &str); 6] = [
    ("the 50 newest", "/documents"),
    ("COMPLETED, nearly all", "/documents?status=COMPLETED"),
    ("TIMED_OUT, one in fifty", "/documents?status=TIMED_OUT"),
    ("PROCESSING, sixty of them", "/documents?status=PROCESSING"),
    ("FAILED, as many as are still counted", "/documents?status=FAILED"),
    ("REVIEWED, one in ten", "/documents?review_status=REVIEWED"),
];

/// A server and what is asked of it.
struct Place {
    server: Server,
    ids: Vec<Uuid>,
}

impl Place {
    async fn of(kind: Kind, documents: usize) -> Self {
        let home = Home::new(kind).await;
        let begun = Instant::now();
        let ids = fill::fill(kind, &home, documents, SAMPLE).await;
        eprintln!("{documents} documents made in {:.0} s", begun.elapsed().as_secs_f64());
        Self { server: home.serve(Work::None, &[]), ids }
    }

    fn details(&self) -> Arc<[String]> {
        self.ids.iter().map(|id| format!("/documents/{id}")).collect()
    }
}

/// The table for one database.
pub async fn measure(kind: Kind, options: &Options) -> Table {
    let (small, large) = (Place::of(kind, SMALL).await, Place::of(kind, options.documents).await);
    let mut table = Table::default();
    for clients in CLIENTS {
        for (what, path) in LISTS {
            let paths: Arc<[String]> = Arc::new([path.to_owned()]);
            table.add(what, [(&small, paths.clone()), (&large, paths)], clients, options).await;
        }
        let paths = [(&small, small.details()), (&large, large.details())];
        table.add("a document", paths, clients, options).await;
    }
    table
}

impl Table {
    async fn add(
        &mut self,
        what: &str,
        asked: [(&Place, Arc<[String]>); 2],
        clients: usize,
        options: &Options,
    ) {
        let mut all = [Vec::new(), Vec::new()];
        for (place, paths) in &asked {
            // The first ones find cold caches, and plans that are not made yet.
            ask(place.server.address, paths.clone(), clients, options.looks / 10).await;
        }
        // In short turns, so that what else the machine does at a time is felt by both sides.
        for _ in 0..options.looks.div_ceil(TURN) {
            for ((place, paths), taken) in asked.iter().zip(&mut all) {
                taken.extend(ask(place.server.address, paths.clone(), clients, TURN).await);
            }
        }
        let p99 = all.each_ref().map(|taken| percentile(taken.clone(), 0.99));
        let [small, large] =
            all.map(|taken| format!("{:.2}/{:.2}", percentile(taken.clone(), 0.5), percentile(taken, 0.99)));
        eprintln!("{what}, {clients} clients: {small} ms, {large} ms");
        let connections = if clients == 1 { "1 connection" } else { "8 connections" };
        self.lines.push(Line::at_most(
            format!("{what}, {connections}: p99 to that of a thousand (p50/p99 {small} → {large} ms)"),
            p99[1] / p99[0],
            1.5,
            "×",
        ));
    }
}

/// How long each answer took, in milliseconds. Every client goes through the paths from another one on.
async fn ask(address: SocketAddr, paths: Arc<[String]>, clients: usize, times: usize) -> Vec<f64> {
    let asking: Vec<_> = (0..clients)
        .map(|client| {
            let paths = paths.clone();
            tokio::spawn(async move {
                let mut connection = Connection::to(address).await;
                connection.get("/health/live").await;
                let mut taken = Vec::with_capacity(times / clients);
                let first = rand::random_range(0..paths.len()) + client;
                for path in paths.iter().cycle().skip(first % paths.len()).take(times / clients) {
                    let begun = Instant::now();
                    connection.get(path).await;
                    taken.push(begun.elapsed().as_secs_f64() * 1000.0);
                }
                taken
            })
        })
        .collect();
    let mut taken = Vec::with_capacity(times);
    for client in asking {
        taken.extend(client.await.unwrap());
    }
    taken
}

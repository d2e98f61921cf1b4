//! Sixteen callers at once, each asking for one run after the other, against sixteen connections that insert the
//! same rows.

use std::time::Instant;

use super::{Options, bare};
use crate::database::{self, Grouping, Kind};
use crate::feed;
use crate::report::{Line, Table, median};

const ASKERS: usize = 16;

/// The table for one database.
pub async fn measure(kind: Kind, options: &Options) -> Table {
    let each = options.runs / ASKERS / 4;
    let mut ratios = Vec::new();
    for pair in 0..options.pairs {
        let database = database::fresh(kind, Grouping::Usual).await;
        let bare = bare::insert_each(kind, &database, ASKERS, each).await;

        let database = database::fresh(kind, Grouping::Usual).await;
        let start = Instant::now();
        let asking: Vec<_> = (0..ASKERS)
            .map(|_| {
                let store = database.store.clone();
                tokio::spawn(async move {
                    for _ in 0..each {
                        let new = feed::any_run(u128::MAX >> 16);
                        store.queue.enqueue(&new, store.clock.now()).await.unwrap();
                    }
                })
            })
            .collect();
        for asker in asking {
            asker.await.unwrap();
        }
        let quire = (ASKERS * each) as f64 / start.elapsed().as_secs_f64();
        eprintln!("pair {}: bare {bare:.0}/s, Quire {quire:.0}/s", pair + 1);
        ratios.push(quire / bare);
    }
    Table {
        lines: vec![Line::at_least(
            format!("{ASKERS} enqueuers to {ASKERS} bare connections"),
            median(ratios),
            0.8,
            "×",
        )],
        notes: Vec::new(),
    }
}

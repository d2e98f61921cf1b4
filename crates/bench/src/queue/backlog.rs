//! Whether a long queue costs: the same number of runs drained from a short backlog and from a long one, and with a
//! subject at the head that has a hundred thousand runs waiting.

use super::drain::engine_rate;
use super::{Options, bare};
use crate::database::{self, Grouping, Kind};
use crate::report::{Line, Table, median};

const SHORT: usize = 10_000;
const LONG: usize = 1_000_000;
const CROWD: usize = 100_000;

/// The table for one database.
pub async fn measure(kind: Kind, options: &Options) -> Table {
    let few = options.runs.min(SHORT) / 2;
    // The long backlog is made once: what is drained from it in all the pairs is a small part of it.
    let long = database::fresh(kind, Grouping::Usual).await;
    bare::fill(kind, &long, LONG).await;
    let crowded = database::fresh(kind, Grouping::Usual).await;
    bare::fill_one_subject(kind, &crowded, CROWD).await;
    let (mut to_long, mut to_crowd) = (Vec::new(), Vec::new());
    for pair in 0..options.pairs {
        let short = database::fresh(kind, Grouping::Usual).await;
        bare::fill(kind, &short, SHORT).await;
        let base = engine_rate(&short.store, few).await;
        let with_backlog = engine_rate(&long.store, few).await;
        bare::fill(kind, &crowded, few).await;
        let with_crowd = engine_rate(&crowded.store, few).await;
        eprintln!(
            "pair {}: 10k {base:.0}/s, 1M {with_backlog:.0}/s, 100k on one subject {with_crowd:.0}/s",
            pair + 1
        );
        to_long.push(base / with_backlog);
        to_crowd.push(base / with_crowd);
    }
    Table {
        lines: vec![
            Line::at_most("slower with 1M queued than with 10k", median(to_long), 1.3, "×"),
            Line::at_most("slower with 100k of one subject at the head", median(to_crowd), 1.3, "×"),
        ],
        notes: Vec::new(),
    }
}

//! What the server knows about the words of all chunks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quire_ports::{PortResult, TextQuery};
use quire_understanding::search::Term;
use sqlx::Row;

use crate::database::{Database, Tx};
use crate::error::translate;
use crate::sql;

/// How long statistics are kept. The server makes new ones when a tenth of the chunks has changed.
const KEPT: Duration = Duration::from_mins(1);
/// Those of fewer chunks change with each document, and are not kept.
const MIN_KEPT_CHUNKS: f64 = 1_000.0;

/// The statistics that were read last, and when.
pub(crate) type KeptStatistics = Arc<Mutex<Option<(Instant, Arc<Statistics>)>>>;

/// How many chunks there are about, and which share of them has each of the words that the server knows as frequent ones.
pub(crate) struct Statistics {
    pub(super) chunks: f64,
    shares: HashMap<String, f64>,
}

impl Statistics {
    pub(super) async fn read(database: &Database, transaction: &mut Tx) -> PortResult<Arc<Self>> {
        let kept = || database.statistics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, statistics)) = &*kept()
            && at.elapsed() < KEPT
        {
            return Ok(statistics.clone());
        }
        let row = sqlx::query(sql!("search/statistics")).fetch_one(&mut **transaction).await;
        let row = row.map_err(translate)?;
        let words: Option<Vec<String>> = row.try_get("words").map_err(translate)?;
        let shares: Option<Vec<f32>> = row.try_get("shares").map_err(translate)?;
        let shares = words.into_iter().flatten().zip(shares.into_iter().flatten().map(f64::from));
        let chunks: f64 = row.try_get("chunks").map_err(translate)?;
        let statistics = Arc::new(Self { chunks, shares: shares.collect() });
        if chunks >= MIN_KEPT_CHUNKS {
            *kept() = Some((Instant::now(), statistics.clone()));
        }
        Ok(statistics)
    }

    /// About how many chunks have each term, if these are more than a limit. The others are worth counting.
    pub(super) fn frequent(&self, text: &TextQuery, limit: f64) -> Vec<Option<f64>> {
        let share = |one: &Term| match one {
            Term::Word(word) => self.shares.get(word).copied().unwrap_or_default(),
            Term::Prefix(beginning) => {
                let words = self.shares.iter().filter(|(word, _)| word.starts_with(beginning));
                words.map(|(_, share)| share).sum::<f64>().min(1.0)
            }
            Term::Phrase { .. } => 0.0,
        };
        let having = |term: &Vec<Term>| self.chunks * term.iter().map(share).fold(0.0, f64::max);
        text.terms.iter().map(|term| Some(having(term)).filter(|having| *having > limit)).collect()
    }
}

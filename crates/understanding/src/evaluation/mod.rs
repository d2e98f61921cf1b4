//! Compares the fields of documents with their right values: precision, recall and F1 of each key, and what the confidence is
//! worth.
//!
//! [`Truth`] has the right values of one document, [`judge`] compares them with its fields, and [`Evaluation`] adds the
//! judgements of all documents up.

mod calibration;
mod judge;
mod judge_tables;
mod truth;

use std::collections::BTreeMap;

use serde::Serialize;

pub use self::calibration::{CalibrationBin, ConfidenceQuality};
pub use self::judge::{Judgement, Outcome, judge};
pub use self::truth::{OptionalItem, TrueKey, TrueVisit, Truth};

/// How often the values of a key are right.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KeyScore {
    /// The key. Those of visits begin with `visit/`.
    pub key: String,
    /// Values that are right.
    pub right: usize,
    /// Values that are wrong: another value, or one where there is none.
    pub wrong: usize,
    /// Right values that were not found.
    pub missed: usize,
    /// The share of the found values that are right; none if nothing was found.
    pub precision: Option<f64>,
    /// The share of the right values that were found; none if there are none.
    pub recall: Option<f64>,
    /// The harmonic mean of both.
    pub f1: Option<f64>,
}

/// The result over all documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// The number of documents.
    pub documents: usize,
    /// All keys together.
    pub overall: KeyScore,
    /// Each key, in alphabetical order.
    pub keys: Vec<KeyScore>,
    /// The share of right values whose evidence is on the right page; none if no truth names pages.
    pub evidence_page_right: Option<f64>,
    /// What the confidence says about the values.
    pub confidence: ConfidenceQuality,
}

impl Evaluation {
    /// Adds up the judgements of these documents.
    pub fn of(documents: usize, judgements: &[Judgement]) -> Self {
        let mut keys: BTreeMap<&str, KeyScore> = BTreeMap::new();
        let mut overall = KeyScore { key: "all".to_owned(), ..KeyScore::default() };
        for judgement in judgements {
            let score = keys.entry(&judgement.key).or_default();
            score.count(judgement.outcome);
            overall.count(judgement.outcome);
        }
        let pages: Vec<bool> = judgements.iter().filter_map(|judgement| judgement.is_page_right).collect();
        let judged = judgements.iter().filter_map(|judgement| {
            Some((
                judgement.confidence?,
                match judgement.outcome {
                    Outcome::Right => true,
                    Outcome::Wrong => false,
                    Outcome::Missed | Outcome::Tolerated => return None,
                },
            ))
        });
        let named = keys.into_iter().map(|(key, score)| KeyScore { key: key.to_owned(), ..score }.finish());
        Self {
            documents,
            overall: overall.finish(),
            keys: named.collect(),
            evidence_page_right: share(pages.iter().filter(|right| **right).count(), pages.len()),
            confidence: ConfidenceQuality::of(judged.collect()),
        }
    }
}

impl KeyScore {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Wrong => self.wrong += 1,
            Outcome::Missed => self.missed += 1,
            Outcome::Tolerated => {}
        }
    }

    fn finish(mut self) -> Self {
        self.precision = share(self.right, self.right + self.wrong);
        self.recall = share(self.right, self.right + self.missed);
        self.f1 = share(2 * self.right, 2 * self.right + self.wrong + self.missed);
        self
    }
}

#[allow(clippy::cast_precision_loss)] // Far fewer values than that.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests;

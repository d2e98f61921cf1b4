//! Databases with many documents, each with one run, as they are after long use.

mod postgres;
mod sqlite;

use uuid::Uuid;

use super::server::Home;
use crate::database::Kind;

/// Documents that wait, however many there are in all. Every list that is asked for has a whole part to show.
const FEW: usize = 60;
/// The most that a total counts exactly, or nearly; the dearest to count.
const FAILED: usize = 9_900;
/// Of how many documents one was given up after its time.
const TIMED_OUT_ONE_IN: usize = 50;
/// Of how many documents one was checked by a person.
const REVIEWED_ONE_IN: usize = 10;

/// What is kept of a failure.
const FAILURE: &str = r#"{"error_type":"permanent","error_code":"EXTRACTION_FAILED","message":"The file cannot be read; open it in a viewer and save it again.","stage":"EXTRACTION","correlation_id":"0123456789abcdef"}"#;

/// How many documents stand how, spread evenly over all of them; all others are COMPLETED.
#[derive(Clone, Copy)]
struct Shares {
    all: usize,
    queued: usize,
    failed: usize,
    timed_out: usize,
}

impl Shares {
    fn of(all: usize) -> Self {
        let failed = FAILED.min(all / 100).max(FEW);
        Self { all, queued: FEW, failed, timed_out: (all / TIMED_OUT_ONE_IN).max(FEW) }
    }

    /// Each kind with how many there are of it, and by how many places it is moved, so that no two fall together.
    fn moved(self) -> [(&'static str, usize, usize); 3] {
        [("QUEUED", self.queued, 0), ("FAILED", self.failed, 5), ("TIMED_OUT", self.timed_out, 10)]
    }

    /// The state of the run of that document.
    fn state(self, place: usize) -> &'static str {
        let falls = |(_, many, moved): &(_, usize, usize)| {
            ((place + moved) * many) / self.all != ((place + moved + 1) * many) / self.all
        };
        self.moved().iter().find(|kind| falls(kind)).map_or("COMPLETED", |(state, ..)| state)
    }
}

/// Adds that many documents. Answers the ids of some of them, from everywhere.
pub async fn fill(kind: Kind, home: &Home, documents: usize, sample: usize) -> Vec<Uuid> {
    let shares = Shares::of(documents);
    match kind {
        Kind::Sqlite => sqlite::fill(&home.database.path, shares, sample),
        Kind::Postgres => postgres::fill(&home.database.schema, shares, sample).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_fills_a_part_of_the_list() {
        for all in [1_000, 100_000] {
            let shares = Shares::of(all);
            for (state, many, _) in shares.moved() {
                let found = (0..all).filter(|place| shares.state(*place) == state).count();
                assert!(found > 50 && found <= many, "{found} of {all} are {state}");
            }
        }
    }
}

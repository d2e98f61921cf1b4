//! Inserts many documents with one run each, as in a database after long use.

mod postgres;
mod sqlite;

use uuid::Uuid;

use super::server::ServerData;
use crate::database::DatabaseKind;

/// The least number of documents per state, so that each list has a full page. Also the number of queued ones.
const MIN_PER_STATE: usize = 60;
/// The most failed documents: just below the limit of exact totals, where counting is most expensive.
const MAX_FAILED: usize = 9_900;
/// One in this many documents timed out.
const TIMED_OUT_ONE_IN: usize = 50;
/// One in this many documents is reviewed.
const REVIEWED_ONE_IN: usize = 10;

/// The stored error of a failed run.
const FAILURE: &str = r#"{"error_type":"permanent","error_code":"EXTRACTION_FAILED","message":"The file cannot be read; open it in a viewer and save it again.","stage":"EXTRACTION","correlation_id":"0123456789abcdef"}"#;

/// The number of documents per state. They are spread evenly; all other documents are COMPLETED.
#[derive(Clone, Copy)]
struct StateCounts {
    all: usize,
    queued: usize,
    failed: usize,
    timed_out: usize,
}

impl StateCounts {
    fn of(all: usize) -> Self {
        let failed = MAX_FAILED.min(all / 100).max(MIN_PER_STATE);
        Self { all, queued: MIN_PER_STATE, failed, timed_out: (all / TIMED_OUT_ONE_IN).max(MIN_PER_STATE) }
    }

    /// Each state with its count and an offset, so that two states never fall on the same document.
    fn with_offsets(self) -> [(&'static str, usize, usize); 3] {
        [("QUEUED", self.queued, 0), ("FAILED", self.failed, 5), ("TIMED_OUT", self.timed_out, 10)]
    }

    /// The state of the run of the document with this index.
    fn state(self, index: usize) -> &'static str {
        let applies = |(_, count, offset): &(_, usize, usize)| {
            ((index + offset) * count) / self.all != ((index + offset + 1) * count) / self.all
        };
        self.with_offsets().iter().find(|state| applies(state)).map_or("COMPLETED", |(state, ..)| state)
    }
}

/// Inserts documents. Returns the ids of a sample of them.
pub async fn insert_documents(
    kind: DatabaseKind,
    data: &ServerData,
    documents: usize,
    sample: usize,
) -> Vec<Uuid> {
    let counts = StateCounts::of(documents);
    match kind {
        DatabaseKind::Sqlite => sqlite::insert_documents(&data.database.path, counts, sample),
        DatabaseKind::Postgres => postgres::insert_documents(&data.database.schema, counts, sample).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_fills_a_page_of_its_list() {
        for all in [1_000, 100_000] {
            let counts = StateCounts::of(all);
            for (state, count, _) in counts.with_offsets() {
                let actual = (0..all).filter(|index| counts.state(*index) == state).count();
                assert!(actual > 50 && actual <= count, "{actual} of {all} are {state}");
            }
        }
    }
}

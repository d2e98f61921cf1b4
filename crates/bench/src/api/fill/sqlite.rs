//! Many documents in SQLite, in the order in which they would have come.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};
use uuid::Uuid;

use super::{FAILURE, REVIEWED_ONE_IN, Shares};

/// Rows in one transaction.
const GROUP: usize = 50_000;
/// Between two documents, in microseconds.
const APART: i64 = 1_000_000;

/// Adds them.
pub fn fill(path: &Path, shares: Shares, sample: usize) -> Vec<Uuid> {
    let mut connection = Connection::open(path).unwrap();
    // Nothing of this has to survive a power cut.
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;")
        .unwrap();
    let now = Timestamp::now().as_microsecond();
    let count = i64::try_from(shares.all).unwrap();
    let mut sampled = Vec::new();
    for group in (0..shares.all).step_by(GROUP) {
        let transaction = connection.transaction().unwrap();
        for place in group..(group + GROUP).min(shares.all) {
            let at = now - (count - i64::try_from(place).unwrap()) * APART;
            let id = id_at(at);
            insert(&transaction, id, at, shares.state(place), place);
            if place % shares.all.div_ceil(sample) == 0 {
                sampled.push(id);
            }
        }
        transaction.commit().unwrap();
    }
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    sampled
}

fn insert(transaction: &Transaction<'_>, id: Uuid, at: i64, state: &str, place: usize) {
    let (document, run) = (id.as_bytes(), id_at(at));
    let reviewed = place.is_multiple_of(REVIEWED_ONE_IN).then_some(at);
    let hash: [u8; 32] = rand::random();
    transaction
        .prepare_cached(
            "INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, \
             created_at, updated_at, review_status, reviewed_at, reviewed_by) \
             VALUES (?1, ?2, 'application/pdf', 100000, ?3, ?4, ?5, ?5, \
             CASE WHEN ?6 IS NULL THEN 'IN_REVIEW' ELSE 'REVIEWED' END, ?6, CASE WHEN ?6 IS NULL THEN NULL ELSE 'local' END)",
        )
        .unwrap()
        .execute(params![
            document,
            format!("informe-{place}.pdf"),
            hash,
            format!("{id}/original.pdf"),
            at,
            reviewed
        ])
        .unwrap();
    let waits = state == "QUEUED";
    let ended = (!waits).then_some(at + 2_000_000);
    let failure = match state {
        "FAILED" => Some("EXTRACTION_FAILED"),
        "TIMED_OUT" => Some("RUN_TIMED_OUT"),
        _ => None,
    };
    transaction
        .prepare_cached(
            "INSERT INTO runs (id, pipeline, subject_id, state, turn, fence, created_at, queued_at, started_at, \
             completed_at, correlation_id, failure_type, error, schema_name, schema_version, listed_at) \
             VALUES (?1, 'document', ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?7, '0123456789abcdef', ?8, ?9, 'veterinary-record', 1, ?6)",
        )
        .unwrap()
        .execute(params![
            run.as_bytes(),
            document,
            state,
            waits.then_some("READY"),
            if waits { 0 } else { 2 },
            at,
            ended,
            failure,
            failure.map(|_| FAILURE)
        ])
        .unwrap();
    if state == "COMPLETED" {
        let payload =
            format!("{{\"path\":\"{id}/runs/{run}/raw-text.txt\",\"bytes\":4000,\"language\":\"es\"}}");
        transaction
            .prepare_cached(
                "INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at) \
                 VALUES (?1, ?2, 'RAW_TEXT', ?3, ?4)",
            )
            .unwrap()
            .execute(params![id_at(at).as_bytes(), run.as_bytes(), payload, at])
            .unwrap();
    }
}

/// An id as it would have been given at that time.
fn id_at(micros: i64) -> Uuid {
    let at = Timestamp::from_microsecond(micros).unwrap();
    let nanos = u32::try_from(at.subsec_nanosecond()).unwrap();
    let seconds = u64::try_from(at.as_second()).unwrap();
    Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanos))
}

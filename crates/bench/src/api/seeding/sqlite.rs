//! Inserts many documents into SQLite, in the order of their upload times.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};
use uuid::Uuid;

use super::{FAILURE, REVIEWED_ONE_IN, StateCounts};

/// Documents per transaction.
const GROUP: usize = 50_000;
/// The time between two uploads, in microseconds.
const UPLOAD_INTERVAL: i64 = 1_000_000;

/// Inserts documents. Returns the ids of a sample of them.
pub fn insert_documents(path: &Path, counts: StateCounts, sample: usize) -> Vec<Uuid> {
    let mut connection = Connection::open(path).unwrap();
    // Durability is not needed here.
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;")
        .unwrap();
    let now = Timestamp::now().as_microsecond();
    let count = i64::try_from(counts.all).unwrap();
    let mut sampled = Vec::new();
    for group in (0..counts.all).step_by(GROUP) {
        let transaction = connection.transaction().unwrap();
        for index in group..(group + GROUP).min(counts.all) {
            let at = now - (count - i64::try_from(index).unwrap()) * UPLOAD_INTERVAL;
            let id = id_at(at);
            insert(&transaction, id, at, counts.state(index), index);
            if index % counts.all.div_ceil(sample) == 0 {
                sampled.push(id);
            }
        }
        transaction.commit().unwrap();
    }
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    sampled
}

fn insert(transaction: &Transaction<'_>, id: Uuid, at: i64, state: &str, index: usize) {
    let (document, run) = (id.as_bytes(), id_at(at));
    let reviewed = index.is_multiple_of(REVIEWED_ONE_IN).then_some(at);
    let hash: [u8; 32] = rand::random();
    transaction
        .prepare_cached(
            "INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, \
             created_at, updated_at, review_status, reviewed_at, reviewed_by, reviewed_version) \
             VALUES (?1, ?2, 'application/pdf', 100000, ?3, ?4, ?5, ?5, \
             CASE WHEN ?6 IS NULL THEN 'IN_REVIEW' ELSE 'REVIEWED' END, ?6, CASE WHEN ?6 IS NULL THEN NULL ELSE 'local' END, \
             CASE WHEN ?6 IS NULL THEN NULL ELSE 1 END)",
        )
        .unwrap()
        .execute(params![
            document,
            format!("informe-{index}.pdf"),
            hash,
            format!("{id}/original.pdf"),
            at,
            reviewed
        ])
        .unwrap();
    let is_queued = state == "QUEUED";
    let ended = (!is_queued).then_some(at + 2_000_000);
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
            is_queued.then_some("READY"),
            if is_queued { 0 } else { 2 },
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

/// A `UUIDv7` of that time.
fn id_at(micros: i64) -> Uuid {
    let at = Timestamp::from_microsecond(micros).unwrap();
    let nanos = u32::try_from(at.subsec_nanosecond()).unwrap();
    let seconds = u64::try_from(at.as_second()).unwrap();
    Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanos))
}

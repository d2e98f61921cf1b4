//! Inserts many documents into PostgreSQL with generated rows, then runs VACUUM and ANALYZE.

use std::fmt::Write as _;

use quire_postgres::testing;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Row as _};
use uuid::Uuid;

use super::{FAILURE, REVIEWED_ONE_IN, StateCounts};

/// Inserts documents. Returns the ids of a sample of them.
pub async fn insert_documents(schema: &str, counts: StateCounts, sample: usize) -> Vec<Uuid> {
    let options: PgConnectOptions = testing::url().parse().unwrap();
    let options = options.options([("search_path", schema), ("synchronous_commit", "off")]);
    let mut connection = options.connect().await.unwrap();
    for statement in [documents(counts), runs(counts), artifacts()] {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
    // VACUUM cannot run within a transaction.
    for table in ["documents", "runs", "artifacts"] {
        let statement = format!("VACUUM (ANALYZE) {table}");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
    sqlx::raw_sql("CHECKPOINT").execute(&mut connection).await.unwrap();
    let sampled = format!("SELECT id FROM documents ORDER BY random() LIMIT {sample}");
    let rows = sqlx::raw_sql(AssertSqlSafe(sampled)).fetch_all(&mut connection).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn documents(counts: StateCounts) -> String {
    let all = counts.all;
    format!(
        "INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, created_at,
                                updated_at, review_status, reviewed_at, reviewed_by, reviewed_version)
         SELECT id, 'informe-' || row_index || '.pdf', 'application/pdf', 100000, sha256(row_index::text::bytea),
                id || '/original.pdf', at, at,
                CASE WHEN row_index % {REVIEWED_ONE_IN} = 0 THEN 'REVIEWED' ELSE 'IN_REVIEW' END,
                CASE WHEN row_index % {REVIEWED_ONE_IN} = 0 THEN at END,
                CASE WHEN row_index % {REVIEWED_ONE_IN} = 0 THEN 'local' END,
                CASE WHEN row_index % {REVIEWED_ONE_IN} = 0 THEN 1 END
         FROM (SELECT row_index, uuidv7(age) AS id, now() + age AS at
               FROM (SELECT row_index, make_interval(secs => row_index - {all}) AS age
                     FROM generate_series(0, {all} - 1) AS row_index) AS aged) AS timed
         ORDER BY at"
    )
}

fn runs(counts: StateCounts) -> String {
    let mut state = String::from("CASE");
    for (name, count, offset) in counts.with_offsets() {
        let bucket = |index: &str| format!("(({index})::bigint * {count}) / {}", counts.all);
        let (here, next) =
            (bucket(&format!("row_index + {offset}")), bucket(&format!("row_index + {offset} + 1")));
        write!(state, " WHEN {here} <> {next} THEN '{name}'").unwrap();
    }
    state.push_str(" ELSE 'COMPLETED' END");
    format!(
        "INSERT INTO runs (id, pipeline, subject_id, state, turn, fence, created_at, queued_at, started_at, completed_at,
                           correlation_id, failure_type, error, schema_name, schema_version, listed_at)
         SELECT uuidv7(at - now()), 'document', id, state, CASE WHEN state = 'QUEUED' THEN 'READY' END,
                CASE WHEN state = 'QUEUED' THEN 0 ELSE 2 END, at, at,
                CASE WHEN state <> 'QUEUED' THEN at END, CASE WHEN state <> 'QUEUED' THEN at + interval '2s' END,
                '0123456789abcdef',
                CASE state WHEN 'FAILED' THEN 'EXTRACTION_FAILED' WHEN 'TIMED_OUT' THEN 'RUN_TIMED_OUT' END,
                CASE WHEN state IN ('FAILED', 'TIMED_OUT') THEN '{FAILURE}'::jsonb END,
                'veterinary-record', 1, at
         FROM (SELECT id, created_at AS at, {state} AS state
               FROM (SELECT id, created_at, row_number() OVER (ORDER BY created_at) - 1 AS row_index FROM documents) AS numbered
              ) AS with_state
         ORDER BY at"
    )
}

fn artifacts() -> String {
    "INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at)
     SELECT uuidv7(created_at - now()), id, 'RAW_TEXT',
            '{\"path\":\"' || subject_id || '/runs/' || id || '/raw-text.txt\",\"bytes\":4000,\"language\":\"es\"}', created_at
     FROM runs
     WHERE state = 'COMPLETED'
     ORDER BY created_at"
        .to_owned()
}

//! Many documents in PostgreSQL, made by the server itself, and then looked over as its housekeeping would.

use std::fmt::Write as _;

use quire_postgres::testing;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Row as _};
use uuid::Uuid;

use super::{FAILURE, REVIEWED_ONE_IN, Shares};

/// Adds them.
pub async fn fill(schema: &str, shares: Shares, sample: usize) -> Vec<Uuid> {
    let options: PgConnectOptions = testing::url().parse().unwrap();
    let options = options.options([("search_path", schema), ("synchronous_commit", "off")]);
    let mut connection = options.connect().await.unwrap();
    for statement in [documents(shares), runs(shares), artifacts()] {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
    // Not in one transaction, which VACUUM refuses.
    for table in ["documents", "runs", "artifacts"] {
        let statement = format!("VACUUM (ANALYZE) {table}");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
    sqlx::raw_sql("CHECKPOINT").execute(&mut connection).await.unwrap();
    let sampled = format!("SELECT id FROM documents ORDER BY random() LIMIT {sample}");
    let rows = sqlx::raw_sql(AssertSqlSafe(sampled)).fetch_all(&mut connection).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn documents(shares: Shares) -> String {
    let all = shares.all;
    format!(
        "INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, created_at,
                                updated_at, review_status, reviewed_at, reviewed_by)
         SELECT id, 'informe-' || place || '.pdf', 'application/pdf', 100000, sha256(place::text::bytea),
                id || '/original.pdf', at, at,
                CASE WHEN place % {REVIEWED_ONE_IN} = 0 THEN 'REVIEWED' ELSE 'IN_REVIEW' END,
                CASE WHEN place % {REVIEWED_ONE_IN} = 0 THEN at END,
                CASE WHEN place % {REVIEWED_ONE_IN} = 0 THEN 'local' END
         FROM (SELECT place, uuidv7(age) AS id, now() + age AS at
               FROM (SELECT place, make_interval(secs => place - {all}) AS age
                     FROM generate_series(0, {all} - 1) AS place) AS aged) AS made
         ORDER BY at"
    )
}

fn runs(shares: Shares) -> String {
    let mut state = String::from("CASE");
    for (name, many, moved) in shares.moved() {
        let falls = |place: &str| format!("(({place})::bigint * {many}) / {}", shares.all);
        let (here, next) = (falls(&format!("place + {moved}")), falls(&format!("place + {moved} + 1")));
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
               FROM (SELECT id, created_at, row_number() OVER (ORDER BY created_at) - 1 AS place FROM documents) AS placed
              ) AS stated
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

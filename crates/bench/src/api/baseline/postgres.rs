//! Writes the rows of the baseline handler to PostgreSQL: one transaction per document, on as many connections as Quire
//! uses.

use std::str::FromStr as _;

use async_trait::async_trait;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use super::{NewDocumentRow, RowWriter};

/// The default of the setting `database.max_connections`.
const CONNECTIONS: u32 = 8;

/// A pool of connections.
pub struct PostgresRowWriter(PgPool);

impl PostgresRowWriter {
    /// Opens the connections.
    pub async fn connect(url: &str, schema: &str) -> Self {
        let options = PgConnectOptions::from_str(url).unwrap().options([("search_path", schema)]);
        let pool = PgPoolOptions::new().max_connections(CONNECTIONS).min_connections(CONNECTIONS);
        Self(pool.connect_with(options).await.unwrap())
    }
}

#[async_trait]
impl RowWriter for PostgresRowWriter {
    async fn add(&self, row: NewDocumentRow) {
        let mut transaction = self.0.begin().await.unwrap();
        sqlx::query(
            "INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path,
                                    created_at, updated_at)
             VALUES ($1, $2, 'application/pdf', $3, $4, $5, clock_timestamp(), clock_timestamp())",
        )
        .bind(row.document)
        .bind(row.name)
        .bind(row.size)
        .bind(row.hash)
        .bind(row.path)
        .execute(&mut *transaction)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO runs (id, pipeline, subject_id, state, turn, correlation_id, created_at, queued_at,
                               schema_name, schema_version, listed_at)
             VALUES ($1, 'document', $2, 'QUEUED', 'READY', '0123456789abcdef', clock_timestamp(), clock_timestamp(),
                     'veterinary-record', 1, clock_timestamp())",
        )
        .bind(row.run)
        .bind(row.document)
        .execute(&mut *transaction)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence, details)
             VALUES (clock_timestamp(), 'DOCUMENT_UPLOADED', 'document', $1, NULL, NULL, $3::text::jsonb),
                    (clock_timestamp(), 'RUN_CREATED', 'document', $1, $2, 0, NULL)",
        )
        .bind(row.document)
        .bind(row.run)
        .bind(super::ACTOR)
        .execute(&mut *transaction)
        .await
        .unwrap();
        transaction.commit().await.unwrap();
    }
}

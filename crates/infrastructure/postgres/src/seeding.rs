//! Schemas from files: the first version of each, and the next ones.

use jiff::Timestamp;
use quire_domain::{Event, EventType};
use quire_ports::{PortResult, SchemaVersion, SeedOutcome, SeededFile};
use quire_understanding::SchemaFile;
use sqlx::PgConnection;

use crate::database::commit;
use crate::error::translate;
use crate::governance::{insert_version, schema_version};
use crate::row::{At, count, get, int, text};
use crate::transition::{Woke, append};
use crate::{PgStore, sql};

impl PgStore {
    pub(crate) async fn take_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let outcome = take(&mut transaction, file, at).await?;
                commit(transaction).await?;
                Ok(outcome)
            })
            .await
    }
}

async fn take(connection: &mut PgConnection, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
    sqlx::query(sql!("schema_files/lock")).execute(&mut *connection).await.map_err(translate)?;
    let name = &file.schema.name;
    let (seeded, newest) = (seeded(connection, name).await?, newest(connection, name).await?);
    let outcome = SeedOutcome::of(file, seeded.as_ref(), newest.as_ref());
    if let Some(version) = outcome.version(file, at) {
        if !insert_version(connection, &version).await? {
            // Somebody has approved a change in this very moment.
            return Ok(SeedOutcome::Governed);
        }
        append(connection, &[Event::new(EventType::SchemaVersionCreated, at)], Woke(false)).await?;
    }
    if let Some(record) = outcome.record(file, seeded.as_ref(), newest.as_ref()) {
        sqlx::query(sql!("schema_files/upsert"))
            .bind(text(name))
            .bind(int(record.file_version))
            .bind(&record.content_hash[..])
            .bind(int(record.schema_version))
            .bind(At(at))
            .execute(connection)
            .await
            .map_err(translate)?;
    }
    Ok(outcome)
}

async fn seeded(connection: &mut PgConnection, name: &str) -> PortResult<Option<SeededFile>> {
    let found = sqlx::query(sql!("schema_files/find")).bind(text(name)).fetch_optional(connection).await;
    let Some(row) = found.map_err(translate)? else { return Ok(None) };
    Ok(Some(SeededFile {
        file_version: count(&row, 0)?,
        content_hash: get(&row, 1)?,
        schema_version: count(&row, 2)?,
    }))
}

async fn newest(connection: &mut PgConnection, name: &str) -> PortResult<Option<SchemaVersion>> {
    let found = sqlx::query(sql!("schemas/current")).bind(text(name)).fetch_optional(connection).await;
    found.map_err(translate)?.as_ref().map(schema_version).transpose()
}

//! Seeds schemas from files: the first version of each schema, and later versions.

use jiff::Timestamp;
use quire_ports::{PortResult, SeedOutcome, SeededFile};
use quire_sql::row;
use quire_understanding::{NewestVersion, SchemaFile};
use sqlx::PgConnection;

use crate::error::translate;
use crate::governance::insert_version;
use crate::row::{StoredTime, first, int, text};
use crate::sql;
use crate::transition::append;

pub(crate) async fn seed(
    connection: &mut PgConnection,
    file: &SchemaFile,
    at: Timestamp,
) -> PortResult<SeedOutcome> {
    sqlx::query(sql!("schema_files/lock")).execute(&mut *connection).await.map_err(translate)?;
    let name = &file.schema.name;
    let (seeded, newest) = (seeded(connection, name).await?, newest(connection, name).await?);
    let outcome = SeedOutcome::of(file, seeded.as_ref(), newest.as_ref());
    if let Some(version) = outcome.version(file, at) {
        if !insert_version(connection, &version).await? {
            // Another transaction has approved a change of the schema at the same time.
            return Ok(SeedOutcome::Governed);
        }
        append(connection, &[SeedOutcome::version_created(at)], false).await?;
    }
    if let Some(record) = outcome.record(file, seeded.as_ref(), newest.as_ref()) {
        sqlx::query(sql!("schema_files/upsert"))
            .bind(text(name))
            .bind(int(record.file_version))
            .bind(&record.content_hash[..])
            .bind(int(record.schema_version))
            .bind(StoredTime(at))
            .execute(connection)
            .await
            .map_err(translate)?;
    }
    Ok(outcome)
}

async fn seeded(connection: &mut PgConnection, name: &str) -> PortResult<Option<SeededFile>> {
    let found = sqlx::query(sql!("schema_files/find")).bind(text(name)).fetch_optional(connection).await;
    first(found.map_err(translate)?.as_ref(), row::seeded_file)
}

async fn newest(connection: &mut PgConnection, name: &str) -> PortResult<Option<NewestVersion>> {
    let found = sqlx::query(sql!("schemas/current")).bind(text(name)).fetch_optional(connection).await;
    first(found.map_err(translate)?.as_ref(), row::newest_version)
}

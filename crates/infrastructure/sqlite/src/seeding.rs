//! Schemas from files: the first version of each, and the next ones.

use jiff::Timestamp;
use quire_domain::{Event, EventType};
use quire_ports::{PortResult, SchemaVersion, SeedOutcome, SeededFile};
use quire_understanding::SchemaFile;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::translate;
use crate::governance::{insert_version, schema_version};
use crate::row::micros;
use crate::transition::append;
use crate::{SqliteStore, sql};

impl SqliteStore {
    pub(crate) async fn take_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
        let file = file.clone();
        self.writer.write(move |connection| take(connection, &file, at)).await
    }
}

fn take(connection: &Connection, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
    let name = &file.schema.name;
    let (seeded, newest) = (seeded(connection, name)?, newest(connection, name)?);
    let outcome = SeedOutcome::of(file, seeded.as_ref(), newest.as_ref());
    if let Some(version) = outcome.version(file, at) {
        insert_version(connection, &version)?;
        append(connection, &Event::new(EventType::SchemaVersionCreated, at))?;
    }
    if let Some(record) = outcome.record(file, seeded.as_ref(), newest.as_ref()) {
        let values =
            params![name, record.file_version, record.content_hash, record.schema_version, micros(at),];
        connection.execute(sql!("schema_files/upsert"), values).map_err(translate)?;
    }
    Ok(outcome)
}

fn seeded(connection: &Connection, name: &str) -> PortResult<Option<SeededFile>> {
    let found = connection.query_row(sql!("schema_files/find"), [name], |row| {
        Ok(SeededFile { file_version: row.get(0)?, content_hash: row.get(1)?, schema_version: row.get(2)? })
    });
    found.optional().map_err(translate)
}

fn newest(connection: &Connection, name: &str) -> PortResult<Option<SchemaVersion>> {
    let mut statement = connection.prepare_cached(sql!("schemas/current")).map_err(translate)?;
    let mut rows = statement.query([name]).map_err(translate)?;
    rows.next().map_err(translate)?.map(schema_version).transpose()
}

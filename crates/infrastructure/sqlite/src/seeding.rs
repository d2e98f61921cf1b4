//! Seeds schemas from files: the first version of each schema, and later versions.

use jiff::Timestamp;
use quire_ports::{PortResult, SeedOutcome};
use quire_sql::row;
use quire_understanding::SchemaFile;
use rusqlite::{Connection, params};

use crate::governance::insert_version;
use crate::row::{execute, first, micros};
use crate::sql;
use crate::transition::append;

pub(crate) fn seed(connection: &Connection, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
    let name = &file.schema.name;
    let seeded = first(connection, sql!("schema_files/find"), [name], row::seeded_file)?;
    let newest = first(connection, sql!("schemas/current"), [name], row::newest_version)?;
    let outcome = SeedOutcome::of(file, seeded.as_ref(), newest.as_ref());
    if let Some(version) = outcome.version(file, at) {
        insert_version(connection, &version)?;
        append(connection, &SeedOutcome::version_created(at))?;
    }
    if let Some(record) = outcome.record(file, seeded.as_ref(), newest.as_ref()) {
        let values =
            params![name, record.file_version, record.content_hash, record.schema_version, micros(at)];
        execute(connection, sql!("schema_files/upsert"), values)?;
    }
    Ok(outcome)
}

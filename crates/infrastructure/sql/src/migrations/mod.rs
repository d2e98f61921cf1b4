//! The list of migrations, their order, and the choice of the next one.
//!
//! A store runs one migration at a time. It reads which migrations were applied and which one was interrupted, asks
//! [`next`] for the step to take, runs the parts of its file ([`parts`]) and records it. The checksum of a migration
//! that was applied must stay the same: a database whose tables were made by other statements is refused.

mod batch_log;
mod parts;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use quire_domain::hex;
use quire_ports::{MigrationStatus, PortError, PortResult};
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use batch_log::BatchLog;
pub use parts::{MigrationPart, PartKind, parts, statements};

/// How many rows a batch of a migration has.
pub const BATCH: u32 = 1000;
/// How many rows a batch has whose interpretations are read into memory.
pub const FIELDS_BATCH: u32 = 200;

/// A numbered pair of files.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// The name of its files, which begins with its number.
    pub name: &'static str,
    /// The SQL that applies it.
    pub up: &'static str,
    /// The SQL that reverts it.
    pub down: &'static str,
    /// The newest migration that a program must know to work beside a database with this one. None if it must know this one.
    /// Only a migration that adds may name an older one; what is no longer used is removed by a later migration.
    pub beside: Option<&'static str>,
}

impl Migration {
    /// Tells whether the file that applies the migration was changed. A changed file for the way back is no harm.
    pub fn checksum(&self) -> String {
        let digest: [u8; 32] = Sha256::digest(self.up.replace("\r\n", "\n")).into();
        hex(&digest)
    }
}

/// The migrations of the calling store, in order. The version of a migration is its place in the list, counted from 1.
/// The files are in the folder `migrations` of the store's crate. Every store has the same migrations. `"B" beside "A"` says
/// that programs which know `A` may work on a database that has `B`.
#[macro_export]
macro_rules! migrations {
    () => {
        $crate::migrations![
            "0001_documents_and_runs",
            "0002_history",
            "0003_workers_and_figures",
            "0004_indexes",
            "0005_run_language",
            "0006_list_of_documents",
            "0007_interpretations",
            "0008_credentials",
            "0009_intake",
            "0010_schema_files",
            "0011_calibration",
            "0012_interpreters",
            "0013_certainty",
            "0014_sessions",
            "0015_found_by",
            "0016_failures",
            "0017_plain_names",
            "0018_signed_version",
            "0019_orphans_and_continuations",
            "0020_installation",
            "0021_waiting",
            "0022_model_calls",
            "0023_proposals",
            "0024_key_rotation",
            "0025_links",
            "0026_monitoring",
            "0027_cancelled_runs",
            "0028_lanes",
            "0029_document_fields",
            "0030_search",
            "0031_vectors",
            "0032_extractors",
            "0033_signatures" beside "0032_extractors",
            "0034_chosen_schemas",
            "0035_programs" beside "0034_chosen_schemas",
            "0036_hidden_documents" beside "0035_programs",
            "0037_words_of_documents" beside "0036_hidden_documents",
        ]
    };
    ($($file:literal $(beside $oldest:literal)?),+ $(,)?) => {
        &[$($crate::migrations::Migration {
            name: $file,
            up: include_str!(concat!("../migrations/", $file, ".up.sql")),
            down: include_str!(concat!("../migrations/", $file, ".down.sql")),
            beside: [$(Some($oldest),)? None][0],
        }),+]
    };
}

/// The direction and the target version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Apply migrations up to this version, or all.
    Up(Option<u32>),
    /// Revert the migrations above this version.
    Down(u32),
}

/// A migration that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// When.
    pub at: Timestamp,
    /// Its checksum then. Versions of the program that knew no checksums recorded none.
    pub checksum: Option<String>,
    /// The oldest program that may work beside it. Older versions of the program recorded none.
    pub oldest_program: Option<u32>,
}

/// How far a migration has come that has several parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MigrationProgress {
    /// The index of the part that is next.
    pub part: u32,
    /// The last row of that part that is done, if the part runs in batches.
    pub last_key: Option<Uuid>,
    /// How many rows of that part are done.
    pub rows: i64,
}

/// A migration that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The migration's version.
    pub version: u32,
    /// True if it was being applied, false if it was being reverted.
    pub is_up: bool,
    /// Its checksum when it was begun.
    pub checksum: String,
    /// Where it continues.
    pub progress: MigrationProgress,
}

/// One migration to apply or to revert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStep {
    /// The migration's version.
    pub version: u32,
    /// The migration's name.
    pub name: &'static str,
    /// The parts of the file to run.
    pub parts: Vec<MigrationPart>,
    /// Where to begin.
    pub progress: MigrationProgress,
    /// The checksum to record.
    pub checksum: String,
    /// The oldest program that may work beside the migration, to record.
    pub oldest_program: u32,
    /// True to record the migration as applied, false to remove that record.
    pub is_up: bool,
}

impl MigrationStep {
    /// The part at this index, if there is one.
    pub fn part(&self, index: u32) -> Option<&MigrationPart> {
        self.parts.get(index as usize)
    }
}

/// The version of the newest migration.
pub fn newest_known(migrations: &[Migration]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

/// The version of a database with these migrations.
pub fn version_of(applied: &[Applied]) -> u32 {
    u32::try_from(applied.len()).unwrap_or(u32::MAX)
}

/// Every migration, and when it was applied. `applied` holds the applied migrations, in order.
pub fn status(migrations: &[Migration], applied: &[Applied]) -> PortResult<Vec<MigrationStatus>> {
    require_known(migrations, applied)?;
    let describe = |(index, migration): (usize, &Migration)| MigrationStatus {
        version: version(index),
        name: migration.name,
        applied_at: applied.get(index).map(|applied| applied.at),
        oldest_program: oldest_program(migrations, index),
    };
    Ok(migrations.iter().enumerate().map(describe).collect())
}

/// The checksums to record for migrations that were applied before checksums were known, by version.
pub fn missing_checksums(migrations: &[Migration], applied: &[Applied]) -> Vec<(u32, String)> {
    let pairs = migrations.iter().zip(applied).enumerate();
    let missing = pairs.filter(|(_, (_, applied))| applied.checksum.is_none());
    missing.map(|(index, (migration, _))| (version(index), migration.checksum())).collect()
}

/// The next step in that direction for a database to which the `applied` migrations were applied. Returns None if no step
/// is left, and `Conflict` if the database is newer than this program, if a migration was changed after it was applied,
/// or if another one was interrupted in the other direction.
pub fn next(
    migrations: &[Migration],
    applied: &[Applied],
    unfinished: Option<&Unfinished>,
    direction: Direction,
) -> PortResult<Option<MigrationStep>> {
    require_known(migrations, applied)?;
    if applied.len() > migrations.len() && matches!(direction, Direction::Down(_)) {
        return Err(too_new(migrations, applied));
    }
    let (count, is_up) = (applied.len(), matches!(direction, Direction::Up(_)));
    let index = match direction {
        Direction::Up(to) if to.is_none_or(|to| count < to as usize) => Some(count),
        Direction::Down(to) if count > to as usize => Some(count - 1),
        Direction::Up(_) | Direction::Down(_) => None,
    };
    if let Some(unfinished) = unfinished.filter(|unfinished| unfinished.is_up != is_up) {
        return Err(interrupted(migrations, unfinished));
    }
    let Some((index, migration)) = index.and_then(|index| Some((index, migrations.get(index)?))) else {
        return Ok(None);
    };
    if unfinished.is_some_and(|unfinished| unfinished.checksum != migration.checksum()) {
        return Err(changed(migration));
    }
    Ok(Some(MigrationStep {
        version: version(index),
        name: migration.name,
        parts: parts(if is_up { migration.up } else { migration.down }),
        progress: unfinished.map(|unfinished| unfinished.progress).unwrap_or_default(),
        checksum: migration.checksum(),
        oldest_program: oldest_program(migrations, index),
        is_up,
    }))
}

fn interrupted(migrations: &[Migration], unfinished: &Unfinished) -> PortError {
    let Unfinished { version, is_up, .. } = *unfinished;
    let name = migrations.get(version as usize - 1).map_or("?", |migration| migration.name);
    PortError::Conflict(if is_up {
        format!(
            "the migration {name} was interrupted; finish it first with `quire migrate up --to {version}`"
        )
    } else {
        let to = version - 1;
        format!("reverting {name} was interrupted; finish it first with `quire migrate down --to {to}`")
    })
}

fn require_known(migrations: &[Migration], applied: &[Applied]) -> PortResult<()> {
    let newer = applied.iter().skip(migrations.len());
    let is_allowed =
        |applied: &Applied| applied.oldest_program.is_some_and(|oldest| oldest as usize <= migrations.len());
    if !newer.clone().all(is_allowed) {
        return Err(too_new(migrations, applied));
    }
    let is_changed = |(migration, applied): &(&Migration, &Applied)| {
        applied.checksum.as_ref().is_some_and(|checksum| *checksum != migration.checksum())
    };
    match migrations.iter().zip(applied).find(is_changed) {
        None => Ok(()),
        Some((migration, _)) => Err(changed(migration)),
    }
}

fn too_new(migrations: &[Migration], applied: &[Applied]) -> PortError {
    PortError::Conflict(format!(
        "the database is at version {}, and this program knows versions up to {}; use a newer program",
        applied.len(),
        migrations.len()
    ))
}

/// The oldest program that may work beside the migration at this index.
fn oldest_program(migrations: &[Migration], index: usize) -> u32 {
    let place = |name: &str| migrations.iter().position(|migration| migration.name == name);
    version(migrations[index].beside.and_then(place).unwrap_or(index))
}

fn changed(migration: &Migration) -> PortError {
    PortError::Conflict(format!(
        "the migration {} has changed since it was applied to this database; use the program that applied it, or one with \
         the original file of that migration",
        migration.name
    ))
}

fn version(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

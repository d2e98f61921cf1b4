//! The list of migrations, their order, and the choice of the next one.
//!
//! A store runs one migration at a time. In its transaction it reads when each migration was applied, asks
//! [`next`] for the step to take, runs the step's SQL and records it.

use jiff::Timestamp;
use quire_ports::{MigrationStatus, PortError, PortResult};

/// A numbered pair of files.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// The name of its files, which begins with its number.
    pub name: &'static str,
    /// The SQL that applies it.
    pub up: &'static str,
    /// The SQL that reverts it.
    pub down: &'static str,
}

/// The migrations of the calling store, in order. The version of a migration is its place in the list, counted from 1.
/// The files are in the folder `migrations` of the store's crate. Every store has the same migrations.
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
            "0025_lanes",
            "0026_runs_in_lane",
        ]
    };
    ($($file:literal),+ $(,)?) => {
        &[$($crate::migrations::Migration {
            name: $file,
            up: include_str!(concat!("../migrations/", $file, ".up.sql")),
            down: include_str!(concat!("../migrations/", $file, ".down.sql")),
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

/// One migration to apply or to revert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The migration's version.
    pub version: u32,
    /// The migration's name.
    pub name: &'static str,
    /// The SQL to run.
    pub sql: &'static str,
    /// True to record the migration as applied, false to remove that record.
    pub is_up: bool,
}

/// Every migration, and when it was applied. `applied` holds a time for each applied migration, in order.
pub fn status(migrations: &[Migration], applied: &[Timestamp]) -> PortResult<Vec<MigrationStatus>> {
    require_known(migrations, applied.len())?;
    let describe = |(index, migration): (usize, &Migration)| MigrationStatus {
        version: version(index),
        name: migration.name,
        applied_at: applied.get(index).copied(),
    };
    Ok(migrations.iter().enumerate().map(describe).collect())
}

/// The next step in that direction for a database to which `applied` migrations were applied. Returns None if no step
/// is left, and `Conflict` if the database is newer than this program.
pub fn next(migrations: &[Migration], applied: usize, direction: Direction) -> PortResult<Option<Step>> {
    require_known(migrations, applied)?;
    let step = |index: usize, is_up: bool| {
        migrations.get(index).map(|migration| Step {
            version: version(index),
            name: migration.name,
            sql: if is_up { migration.up } else { migration.down },
            is_up,
        })
    };
    Ok(match direction {
        Direction::Up(to) if to.is_none_or(|to| applied < to as usize) => step(applied, true),
        Direction::Down(to) if applied > to as usize => step(applied - 1, false),
        Direction::Up(_) | Direction::Down(_) => None,
    })
}

fn require_known(migrations: &[Migration], applied: usize) -> PortResult<()> {
    if applied <= migrations.len() {
        return Ok(());
    }
    Err(PortError::Conflict(format!(
        "the database is at version {applied}, and this program knows versions up to {}; use a newer program",
        migrations.len()
    )))
}

fn version(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[Migration] = &[
        Migration { name: "0001_one", up: "one up", down: "one down" },
        Migration { name: "0002_two", up: "two up", down: "two down" },
    ];

    fn sql(applied: usize, direction: Direction) -> Option<&'static str> {
        next(TWO, applied, direction).unwrap().map(|step| step.sql)
    }

    #[test]
    fn each_step_is_the_next_one_in_its_direction() {
        assert_eq!(sql(0, Direction::Up(None)), Some("one up"));
        assert_eq!(sql(1, Direction::Up(None)), Some("two up"));
        assert_eq!(sql(2, Direction::Up(None)), None);
        assert_eq!(sql(1, Direction::Up(Some(1))), None);
        assert_eq!(sql(2, Direction::Down(0)), Some("two down"));
        assert_eq!(sql(1, Direction::Down(1)), None);
        assert_eq!(sql(0, Direction::Down(0)), None);
    }

    #[test]
    fn a_database_that_is_newer_than_this_program_is_refused() {
        assert!(matches!(next(TWO, 3, Direction::Up(None)), Err(PortError::Conflict(_))));
        assert!(matches!(status(TWO, &[Timestamp::UNIX_EPOCH; 3]), Err(PortError::Conflict(_))));
    }
}

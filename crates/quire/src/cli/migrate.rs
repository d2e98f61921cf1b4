//! `quire migrate`

use clap::Subcommand;
use quire_application::storage::{OriginalsPolicy, StorageMatch, release_storage_id};
use quire_ports::MigrationStatus;
use serde_json::json;

use super::output;
use crate::config::{Config, mask_url};
use crate::error::CommandError;
use crate::wire::{self, installations};

/// Migrate the database, or show its version
///
/// On SQLite, `quire serve` migrates by itself. On PostgreSQL, migrate with this command before starting a new version.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    quire migrate status\n  \
    quire migrate up\n  \
    quire migrate down --to 3 --yes   revert to version 3, deleting what newer versions added")]
pub(super) enum MigrateCommand {
    /// Apply missing migrations; creates a missing SQLite database
    Up {
        /// Version to stop at [default: the newest]
        #[arg(long, value_name = "VERSION")]
        to: Option<u32>,
    },
    /// Revert migrations above a version, and delete the data that only they can hold
    Down {
        /// Version to revert to; 0 empties the database
        #[arg(long, value_name = "VERSION")]
        to: u32,
        /// Confirm that the data may be deleted
        #[arg(long)]
        yes: bool,
    },
    /// List migrations and when each was applied
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl MigrateCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        match self {
            Self::Up { to } => up(config, to).await,
            Self::Down { to, yes } => down(config, to, yes).await,
            Self::Status { json } => status(config, json).await,
        }
    }
}

async fn up(config: &Config, to: Option<u32>) -> Result<String, CommandError> {
    let (store, lock) = wire::open_for_migration(config, true).await?;
    let before = store.migrations.status().await?;
    require_known(to, &before)?;
    let applied = wire::migrate_up(&store, lock.as_ref(), to).await?;
    let after = store.migrations.status().await?;
    let now = current(&after);
    let done = if applied.is_empty() {
        format!("Nothing to apply: the database is at version {now}.\n")
    } else {
        format!("Applied {}. The database is at version {now}.\n", names(&applied, &before))
    };
    if !has_installation(&after) {
        return Ok(done);
    }
    Ok(done + &identified(wire::identify_storage(config, &store, OriginalsPolicy::Kept).await?))
}

/// What the operator should know about the storage of this machine.
fn identified(identified: StorageMatch) -> String {
    match identified {
        StorageMatch::Same => String::new(),
        StorageMatch::StorageHasNone { database } => format!(
            "The storage of this machine is not the one of this database: it has no installation id. Servers and workers \
             with it will process nothing. Set storage.data, storage.documents or storage.blobs to the storage that all of \
             them share; its file installation-id has the id {database}.\n"
        ),
        StorageMatch::Different { database, storage } => format!(
            "The storage of this machine belongs to another installation ({storage}) than the database ({database}). \
             Servers and workers with it will process nothing. Set storage.data, storage.documents or storage.blobs to the \
             storage that all of them share.\n"
        ),
    }
}

/// Whether the database can have an installation id.
fn has_installation(migrations: &[MigrationStatus]) -> bool {
    let mut applied = migrations.iter().filter(|migration| migration.applied_at.is_some());
    applied.any(|migration| migration.name.ends_with("_installation"))
}

async fn down(config: &Config, to: u32, is_confirmed: bool) -> Result<String, CommandError> {
    let (store, lock) = wire::open_for_migration(config, false).await?;
    let before = store.migrations.status().await?;
    require_known(Some(to), &before)?;
    if !is_confirmed && to < current(&before) {
        return Err(CommandError::new(format!(
            "going back from version {} to {to} deletes what only newer versions can hold; add --yes to confirm",
            current(&before)
        )));
    }
    if wire::has_workers(&before) {
        let database = mask_url(&installations::database_name(config));
        installations::require_idle(&store, lock.as_ref(), &database).await?;
    }
    let id = if has_installation(&before) { store.installation.installation_id().await? } else { None };
    if to == 0 {
        // Nothing is left of a copy that was not finished.
        store.tables.forget_copy().await?;
    }
    let reverted = store.migrations.down(to).await?;
    let after = store.migrations.status().await?;
    if let Some(id) = id.filter(|_| !has_installation(&after)) {
        release_storage_id(&*wire::blobs_of_any(config)?, id).await?;
    }
    let now = current(&after);
    if reverted.is_empty() {
        return Ok(format!("Nothing to revert: the database is at version {now}.\n"));
    }
    Ok(format!("Reverted {}. The database is at version {now}.\n", names(&reverted, &before)))
}

async fn status(config: &Config, as_json: bool) -> Result<String, CommandError> {
    let store = wire::open_existing(config).await?;
    let migrations = store.migrations.status().await?;
    if as_json {
        let list = migrations.iter().map(|migration| {
            json!({
                "version": migration.version,
                "name": migration.name,
                "applied_at": migration.applied_at.map(|at| at.to_string()),
            })
        });
        let (version, newest) = (current(&migrations), migrations.len());
        return Ok(output::json(
            &json!({ "version": version, "newest": newest, "migrations": list.collect::<Vec<_>>() }),
        ));
    }
    let rows: Vec<[String; 3]> = migrations
        .iter()
        .map(|migration| {
            let applied = migration.applied_at.map_or_else(|| "not yet".to_owned(), |at| format!("{at:.0}"));
            [migration.version.to_string(), migration.name.to_owned(), applied]
        })
        .collect();
    Ok(output::table(["VERSION", "NAME", "APPLIED"], &rows))
}

fn current(migrations: &[MigrationStatus]) -> u32 {
    migrations
        .iter()
        .filter(|migration| migration.applied_at.is_some())
        .map(|migration| migration.version)
        .max()
        .unwrap_or(0)
}

fn require_known(to: Option<u32>, migrations: &[MigrationStatus]) -> Result<(), CommandError> {
    match to {
        Some(to) if to as usize > migrations.len() => {
            Err(CommandError::new(format!("there is no version {to}; the newest is {}", migrations.len())))
        }
        _ => Ok(()),
    }
}

fn names(versions: &[u32], migrations: &[MigrationStatus]) -> String {
    let name = |version: &u32| {
        let known = migrations.iter().find(|migration| migration.version == *version);
        known.map_or_else(|| version.to_string(), |migration| migration.name.to_owned())
    };
    versions.iter().map(name).collect::<Vec<_>>().join(", ")
}

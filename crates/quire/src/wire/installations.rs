//! Opens whole installations, to copy, back up or restore them.

use std::path::Path;

use quire_application::storage::InstallationStores;
use quire_ports::Store;
use quire_sqlite::{FileLock, SqliteOptions, SqliteStore};

use super::{blobs_of_any, create_and_lock, make_folder, migrate_up, postgres, require_file, sqlite};
use crate::config::{Config, DatabaseLocation, mask_url};
use crate::error::CommandError;

/// What a copy does with an installation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyRole {
    /// It reads it.
    Source,
    /// It fills it. The database and its tables are created if they are missing.
    Target,
}

/// An installation that nobody else works on.
pub(crate) struct OpenInstallation {
    pub(crate) stores: InstallationStores,
    /// The database, without its password.
    name: String,
    /// SQLite: keeps other processes from starting.
    lock: Option<FileLock>,
}

impl OpenInstallation {
    /// Opens an installation for a copy. Fails while a server or a worker works on it.
    pub(crate) async fn open(config: &Config, role: CopyRole) -> Result<Self, CommandError> {
        let (store, lock) = match config.location() {
            DatabaseLocation::Sqlite(path) => {
                if role == CopyRole::Source {
                    require_file(&path)?;
                }
                let lock = create_and_lock(config, &path)?;
                (sqlite(config, &path)?, Some(lock))
            }
            DatabaseLocation::Postgres(url) => {
                make_folder(&config.storage.data)?;
                (postgres(config, &url).await?, None)
            }
        };
        require_known(&store).await?;
        match role {
            CopyRole::Source => super::require_current(&store).await?,
            CopyRole::Target => drop(migrate_up(&store, lock.as_ref(), None).await?),
        }
        let name = mask_url(&database_name(config));
        let stores = InstallationStores { store, blobs: blobs_of_any(config)? };
        let opened = Self { stores, name, lock };
        opened.require_idle().await?;
        Ok(opened)
    }

    /// Fails while a server or a worker works on the database.
    pub(crate) async fn require_idle(&self) -> Result<(), CommandError> {
        require_idle(&self.stores.store, self.lock.as_ref(), &self.name).await
    }
}

/// Fails while a server or a worker works on the database. The lock of a SQLite file keeps them away.
pub(crate) async fn require_idle(
    store: &Store,
    lock: Option<&FileLock>,
    database: &str,
) -> Result<(), CommandError> {
    if lock.is_some() {
        return Ok(());
    }
    let now = store.clock.now();
    let Some(live) = store.workers.list().await?.into_iter().find(|worker| worker.is_live(now)) else {
        return Ok(());
    };
    let kind = if live.slots == 0 { "server" } else { "worker" };
    Err(CommandError::new(format!(
        "the {kind} {} is at work on {database}; stop all servers and workers first",
        live.name
    )))
}

/// Fails if the database has tables or columns that this program does not know: a copy would lose them. Other commands may work
/// beside a newer program.
async fn require_known(store: &Store) -> Result<(), CommandError> {
    let (version, known) = (store.migrations.version().await?, store.migrations.newest_known());
    if version <= known {
        return Ok(());
    }
    Err(CommandError::new(format!(
        "the database is at version {version}, and this program knows versions up to {known}; copy and back it up with the \
         newer program"
    )))
}

/// Names the database, with its password.
pub(crate) fn database_name(config: &Config) -> String {
    match config.location() {
        DatabaseLocation::Sqlite(path) => {
            let path = path.canonicalize().unwrap_or(path);
            format!("sqlite:{}", path.display())
        }
        DatabaseLocation::Postgres(url) => format!("{url} {}", config.database.schema).trim_end().to_owned(),
    }
}

/// The installation of the settings, for reading. Servers and workers may go on.
pub(crate) async fn open_for_reading(config: &Config) -> Result<InstallationStores, CommandError> {
    let store = super::open_for_command(config).await?;
    require_known(&store).await?;
    Ok(InstallationStores { store, blobs: blobs_of_any(config)? })
}

/// A database file for a backup, with every table.
pub(crate) async fn sqlite_at(path: &Path) -> Result<Store, CommandError> {
    let store = SqliteStore::open(path, SqliteOptions::default())?.into_store();
    store.migrations.up(None).await?;
    Ok(store)
}

//! The location of the database.

use std::path::{Path, PathBuf};

/// The name of the SQLite file in the data folder.
const FILE_NAME: &str = "quire.db";

/// The location of the database, which also says of which kind it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseLocation {
    /// The path of a file.
    Sqlite(PathBuf),
    /// The URL of a server.
    Postgres(String),
}

impl DatabaseLocation {
    /// Parses `storage.database`.
    pub(super) fn of(database: &str, data: &Path) -> Result<Self, String> {
        if database.is_empty() {
            return Ok(Self::default_in(data));
        }
        if database.starts_with("postgres://") || database.starts_with("postgresql://") {
            return Ok(Self::Postgres(database.to_owned()));
        }
        let path = database.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path));
        match path {
            Some(path) if !path.is_empty() => Ok(Self::Sqlite(path.into())),
            _ => Err("must be empty, sqlite:PATH or postgres://user:password@host/name".to_owned()),
        }
    }

    /// The SQLite file in the data folder.
    pub(super) fn default_in(data: &Path) -> Self {
        Self::Sqlite(data.join(FILE_NAME))
    }

    /// Whether the database is SQLite.
    pub fn is_sqlite(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }
}

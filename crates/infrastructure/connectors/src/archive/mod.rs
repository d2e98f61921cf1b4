//! Backups: one file with the database, the files of all documents and a manifest.
//!
//! A backup is a tar archive, which other programs can read too. Its last entry, the manifest, has a line of JSON for every
//! other entry, in their order, with size and SHA-256, and a last line about the whole. With a key the archive is encrypted
//! ([`cipher`]). docs/reference/backup-format.md describes the format.

mod cipher;
mod reader;
mod tar;
#[cfg(test)]
mod tests;
mod writer;

use serde::{Deserialize, Serialize};

pub use self::cipher::{BackupKey, InvalidKey};
pub use self::reader::extract;
pub use self::writer::ArchiveWriter;

/// The entry with the database: a SQLite file.
pub const DATABASE: &str = "database.sqlite";
/// What the names of the entries with files of documents begin with.
pub const DOCUMENTS: &str = "documents/";
/// The last entry.
const MANIFEST: &str = "manifest.jsonl";
/// The version of the format.
const FORMAT: u32 = 1;

/// An entry, as the manifest describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ManifestEntry {
    name: String,
    bytes: u64,
    sha256: String,
}

/// What the manifest says about the whole backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupSummary {
    /// The version of the format.
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    /// When its snapshot was made.
    pub created_at: String,
    /// The id of the installation.
    pub installation_id: String,
    /// How many entries there are before the manifest.
    pub entries: u64,
    /// Their size.
    pub bytes: u64,
}

/// Why a backup cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The disk failed.
    #[error("the backup cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// It is encrypted.
    #[error("the backup is encrypted; name its key with --key-file")]
    KeyMissing,
    /// It is not encrypted.
    #[error("the backup is not encrypted, and a key was given; leave --key-file out if that is right")]
    KeyUnneeded,
    /// The key is another one, or the file was changed.
    #[error("the key does not fit the backup, or the backup was changed or cut off")]
    NotAuthentic,
    /// It is no backup.
    #[error("the file is no backup of Quire")]
    NoBackup,
    /// A later version of the program made it.
    #[error("the backup has format {0}, which this program does not know; use a newer program")]
    NewerFormat(u32),
    /// Its content and its manifest differ.
    #[error("the backup is damaged: {0}")]
    Damaged(String),
}

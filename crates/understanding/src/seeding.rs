//! Versions of schemas, and what becomes of a schema's file when a program starts with it.

use jiff::Timestamp;
use quire_domain::{Event, EventType, SchemaVersionId};

use crate::{Schema, SchemaFile};

/// A version of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaVersion {
    /// Its identity.
    pub id: SchemaVersionId,
    /// Its number, from 1.
    pub number: u32,
    /// What it says.
    pub schema: Schema,
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// What changed.
    pub change_summary: Option<String>,
}

impl SchemaVersion {
    /// Who makes the versions that come from files.
    pub const PROGRAM: &'static str = "quire";
}

/// What is known of the file that a schema was last seeded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeededFile {
    /// The version that the file said it was.
    pub file_version: u32,
    /// By what its content is known.
    pub content_hash: [u8; 32],
    /// The version of the schema that it became.
    pub schema_version: u32,
}

/// The newest version of a schema, as far as seeding asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewestVersion {
    /// Its number, from 1.
    pub number: u32,
    /// Who made it.
    pub created_by: String,
    /// What it says. None if a newer program wrote it and this one cannot read it.
    pub schema: Option<Schema>,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedOutcome {
    /// It is the first version of its schema.
    First,
    /// Its content is the one that was seeded before.
    Unchanged,
    /// Its content is new and is this version of its schema now.
    Next(u32),
    /// Its content is new, but people have changed the schema since it was seeded; theirs is kept.
    Governed,
    /// Another process has seeded a newer version of the file, which counts for both. Nothing was changed.
    Older {
        /// That version.
        seeded: u32,
    },
    /// Its content is new, but its version is the one that was seeded. Nothing was changed.
    NotRaised {
        /// That version.
        seeded: u32,
    },
}

impl SeedOutcome {
    /// What becomes of a file, given what was seeded and the newest version of its schema.
    pub fn of(file: &SchemaFile, seeded: Option<&SeededFile>, newest: Option<&NewestVersion>) -> Self {
        let Some(newest) = newest else { return Self::First };
        let (is_same, is_governed) = match seeded {
            Some(seeded) => {
                (seeded.content_hash == file.content_hash, newest.number != seeded.schema_version)
            }
            // Seeded before anything was known of files.
            None => {
                (newest.schema.as_ref() == Some(&file.schema), newest.created_by != SchemaVersion::PROGRAM)
            }
        };
        match seeded.map(|seeded| seeded.file_version) {
            _ if is_same => Self::Unchanged,
            Some(seeded) if file.version < seeded => Self::Older { seeded },
            Some(seeded) if file.version == seeded => Self::NotRaised { seeded },
            _ if is_governed => Self::Governed,
            _ => Self::Next(newest.number + 1),
        }
    }

    /// The version of the schema that comes of it, if one does.
    pub fn version(self, file: &SchemaFile, at: Timestamp) -> Option<SchemaVersion> {
        let (number, change_summary) = match self {
            Self::First => (1, None),
            Self::Next(number) => (number, Some(format!("version {} of its file", file.version))),
            Self::Unchanged | Self::Governed | Self::Older { .. } | Self::NotRaised { .. } => return None,
        };
        Some(SchemaVersion {
            id: SchemaVersionId::new(),
            number,
            schema: file.schema.clone(),
            created_at: at,
            created_by: SchemaVersion::PROGRAM.to_owned(),
            change_summary,
        })
    }

    /// The event of a version that came from a file.
    pub fn version_created(at: Timestamp) -> Event {
        Event::new(EventType::SchemaVersionCreated, at)
    }

    /// What is known of the file from now on, if that changes.
    pub fn record(
        self,
        file: &SchemaFile,
        seeded: Option<&SeededFile>,
        newest: Option<&NewestVersion>,
    ) -> Option<SeededFile> {
        let schema_version = match self {
            Self::First => 1,
            Self::Next(number) => number,
            Self::Unchanged => match seeded {
                Some(seeded) if seeded.file_version >= file.version => return None,
                Some(seeded) => seeded.schema_version,
                None => newest?.number,
            },
            Self::Governed | Self::Older { .. } | Self::NotRaised { .. } => return None,
        };
        Some(SeededFile { file_version: file.version, content_hash: file.content_hash, schema_version })
    }
}

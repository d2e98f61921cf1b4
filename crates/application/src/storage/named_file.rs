//! The files that rows name: the original of a document, and the file of an artifact.

use std::collections::{HashMap, HashSet};

use quire_domain::{SubjectId, hex};
use quire_ports::{
    Artifact, BlobStore, CellType, DatabaseCell, DatabaseRow, DatabaseTable, PortError, PortResult,
    TableSnapshot,
};
use serde::Deserialize;
use uuid::Uuid;

use super::CopyError;

/// The file that a row names.
#[derive(Clone, Debug)]
pub(super) struct NamedFile {
    pub(super) subject: SubjectId,
    /// What the file is, for people.
    pub(super) what: String,
    pub(super) name: String,
    pub(super) bytes: Option<u64>,
    pub(super) sha256: Option<String>,
}

impl NamedFile {
    /// A sentence that says what is wrong with the file.
    pub(super) fn fault(&self, fault: &str) -> String {
        format!("{} {fault}: {}", self.what, self.name)
    }

    /// What is wrong with a file of this hash, if something is.
    pub(super) fn changed(&self, hash: &[u8; 32]) -> Option<String> {
        let is_same = self.sha256.as_ref().is_none_or(|expected| *expected == hex(hash));
        (!is_same).then(|| self.fault(CHANGED))
    }
}

/// A file that is not there.
pub(super) const MISSING: &str = "is missing";
/// A file that is not the one of its row.
pub(super) const CHANGED: &str = "has another content than it had";

/// Succeeds if a file that was not listed is really missing. A storage that has vanished lists nothing, and fails here.
pub(super) async fn require_missing(blobs: &dyn BlobStore, file: &NamedFile) -> Result<(), CopyError> {
    match blobs.get_range(&file.name, 0..0).await {
        Err(PortError::NotFound(_)) => Ok(()),
        Ok(_) => Err(CopyError::Unlisted(file.name.clone())),
        Err(error) => Err(error.into()),
    }
}

/// The part of an artifact's payload that names a file. Whatever writes a file as an artifact names it like this.
#[derive(Deserialize)]
struct FilePayload {
    path: String,
    bytes: Option<u64>,
    sha256: Option<String>,
}

/// The files that artifacts name.
pub(super) fn file_names(artifacts: &[Artifact]) -> HashSet<String> {
    let path = |artifact: &Artifact| {
        serde_json::from_str::<FilePayload>(&artifact.payload).ok().map(|file| file.path)
    };
    artifacts.iter().filter_map(path).collect()
}

/// The table of this name.
pub(super) fn table(snapshot: &dyn TableSnapshot, name: &str) -> PortResult<DatabaseTable> {
    let table = snapshot.tables().iter().find(|table| table.name == name);
    table.cloned().ok_or_else(|| PortError::Corrupt(format!("there is no table {name}")))
}

/// The originals of the documents among a page of subjects: those after `after`, up to `newest`, at most `limit`.
pub(super) async fn originals(
    snapshot: &mut dyn TableSnapshot,
    after: Option<Uuid>,
    newest: Uuid,
    limit: u32,
) -> PortResult<HashMap<Uuid, NamedFile>> {
    let documents = table(snapshot, "documents")?;
    let after = after.map(|id| vec![DatabaseCell::Uuid(id)]);
    let mut originals = HashMap::new();
    for row in snapshot.rows(&documents, after.as_ref(), limit).await? {
        if let Some(file) = original(&documents, row)?
            && file.subject.0 <= newest
        {
            originals.insert(file.subject.0, file);
        }
    }
    Ok(originals)
}

/// The original of a document.
pub(super) fn original(table: &DatabaseTable, mut row: DatabaseRow) -> PortResult<Option<NamedFile>> {
    let mut take = |name: &str, cell_type| take(table, &mut row, name, cell_type);
    let (
        DatabaseCell::Uuid(id),
        DatabaseCell::Text(name),
        DatabaseCell::Integer(bytes),
        DatabaseCell::Bytes(hash),
    ) = (
        take("id", CellType::Uuid)?,
        take("storage_path", CellType::Text)?,
        take("file_size", CellType::Integer)?,
        take("content_hash", CellType::Bytes)?,
    )
    else {
        return Err(PortError::Corrupt("a row of documents lacks a value".to_owned()));
    };
    Ok(Some(NamedFile {
        subject: SubjectId(id),
        what: format!("the original of document {id}"),
        name,
        bytes: Some(bytes.unsigned_abs()),
        sha256: Some(hex(&hash)),
    }))
}

/// The file of an artifact, if it has one.
pub(super) fn artifact(table: &DatabaseTable, mut row: DatabaseRow) -> PortResult<Option<NamedFile>> {
    let mut take = |name: &str, cell_type| take(table, &mut row, name, cell_type);
    let (DatabaseCell::Uuid(run), DatabaseCell::Text(kind), DatabaseCell::Text(payload)) = (
        take("run_id", CellType::Uuid)?,
        take("artifact_type", CellType::Text)?,
        take("payload", CellType::Text)?,
    ) else {
        return Err(PortError::Corrupt("a row of artifacts lacks a value".to_owned()));
    };
    let Ok(FilePayload { path, bytes, sha256 }) = serde_json::from_str(&payload) else { return Ok(None) };
    // The folder of a file is named after its subject.
    let Some(subject) = path.split('/').next().and_then(|folder| folder.parse().ok()) else {
        return Ok(None);
    };
    Ok(Some(NamedFile {
        subject,
        what: format!("the artifact {kind} of run {run}"),
        name: path,
        bytes,
        sha256,
    }))
}

/// Takes the value of a column out of a row.
pub(super) fn take(
    table: &DatabaseTable,
    row: &mut DatabaseRow,
    name: &str,
    cell_type: CellType,
) -> PortResult<DatabaseCell> {
    let index = table.columns.iter().position(|column| column.name == name);
    let index = index.ok_or_else(|| PortError::Corrupt(format!("there is no column {name}")))?;
    std::mem::replace(&mut row[index], DatabaseCell::Null).into_type(cell_type)
}

//! Compares what the database says with what is stored: every document, every artifact, every version.

use std::sync::Arc;

use jiff::SignedDuration;
use quire_domain::hex;
use quire_ports::{
    BlobFile, BlobStore, DatabaseRow, DatabaseTable, PortError, PortResult, Store, SubjectPresence,
};
use tokio::task::JoinSet;

use super::hashing::hash_blob;
use super::named_file::{CHANGED, MISSING, NamedFile, artifact, original, table};
use super::{Faults, Progress, Sweep};

/// How many rows are read at once.
const PAGE: u32 = 500;
/// How many files are read at once.
const AT_ONCE: usize = 8;
/// A younger file without a row may belong to an upload that is not finished.
const UPLOAD_TIME: SignedDuration = SignedDuration::from_hours(1);
/// The most contradictions of the history that are looked for.
const MAX_CONTRADICTIONS: usize = 1000;

/// What was compared, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// How many documents were checked.
    pub documents: u64,
    /// How many artifacts were checked.
    pub artifacts: u64,
    /// How many bytes of files were read.
    pub bytes: u64,
    /// How many of the files were compared by size alone: programs before this one stored no hash of them.
    pub files_without_hash: u64,
    /// What is wrong.
    pub faults: Faults,
}

impl VerifyReport {
    fn add(&mut self, outcome: CheckedFile) {
        self.bytes += outcome.bytes;
        self.files_without_hash += u64::from(!outcome.has_hash);
        if let Some(fault) = outcome.fault {
            self.faults.add(fault);
        }
    }
}

/// What was found about a file.
struct CheckedFile {
    bytes: u64,
    has_hash: bool,
    fault: Option<String>,
}

/// The file that a row of a table names, if it names one.
type FileOfRow = fn(&DatabaseTable, DatabaseRow) -> PortResult<Option<NamedFile>>;

/// Checks everything. A server may be running: what it adds or removes meanwhile is no fault. Files are read between the
/// transactions that read rows, because an old transaction keeps a database from removing what nobody needs.
pub async fn verify(
    store: &Store,
    blobs: &Arc<dyn BlobStore>,
    progress: &dyn Progress,
) -> PortResult<VerifyReport> {
    let mut report = VerifyReport::default();
    let mut snapshot = store.tables.snapshot().await?;
    let (documents, artifacts) = (table(&*snapshot, "documents")?, table(&*snapshot, "artifacts")?);
    progress.begin(snapshot.count(&documents).await? + snapshot.count(&artifacts).await?);
    drop(snapshot);
    report.documents = verify_table(store, blobs, (&documents, original), &mut report, progress).await?;
    report.artifacts = verify_table(store, blobs, (&artifacts, artifact), &mut report, progress).await?;
    for fault in store.tables.contradictions(MAX_CONTRADICTIONS).await? {
        report.faults.add(fault);
    }
    let waste = Sweep::new(store.clone(), blobs.clone()).older_than(UPLOAD_TIME).find().await?;
    for (subject, presence) in waste.subjects {
        report.faults.add(match presence {
            SubjectPresence::Purged => {
                format!("{subject} was purged and still has files; `quire gc` removes them")
            }
            _ => format!("{subject} has files and no row; `quire gc` removes them"),
        });
    }
    Ok(report)
}

/// Checks the files of a table. Returns how many rows it has.
async fn verify_table(
    store: &Store,
    blobs: &Arc<dyn BlobStore>,
    (table, file_of): (&DatabaseTable, FileOfRow),
    report: &mut VerifyReport,
    progress: &dyn Progress,
) -> PortResult<u64> {
    let (mut last, mut total) = (None, 0);
    loop {
        let rows = store.tables.snapshot().await?.rows(table, last.as_ref(), PAGE).await?;
        let count = rows.len();
        last = rows.last().map(|row| table.key_of(row)).or(last);
        let files: Vec<NamedFile> =
            rows.into_iter().filter_map(|row| file_of(table, row).transpose()).collect::<PortResult<_>>()?;
        for outcome in check_files(store, blobs, files).await? {
            report.add(outcome);
        }
        total += count as u64;
        progress.done(count as u64);
        if count < PAGE as usize {
            return Ok(total);
        }
    }
}

/// Checks several files at once.
async fn check_files(
    store: &Store,
    blobs: &Arc<dyn BlobStore>,
    files: Vec<NamedFile>,
) -> PortResult<Vec<CheckedFile>> {
    let mut tasks = JoinSet::new();
    let mut outcomes = Vec::with_capacity(files.len());
    let stopped =
        |_| PortError::Corrupt("checking a file stopped unexpectedly; please report this".to_owned());
    for file in files {
        if tasks.len() == AT_ONCE
            && let Some(done) = tasks.join_next().await
        {
            outcomes.push(done.map_err(stopped)??);
        }
        let (store, blobs) = (store.clone(), blobs.clone());
        tasks.spawn(async move { check_file(&store, &*blobs, file).await });
    }
    while let Some(done) = tasks.join_next().await {
        outcomes.push(done.map_err(stopped)??);
    }
    Ok(outcomes)
}

async fn check_file(store: &Store, blobs: &dyn BlobStore, file: NamedFile) -> PortResult<CheckedFile> {
    let (bytes, fault) = match compare(blobs, &file).await {
        Ok((bytes, fault)) => (bytes, fault),
        Err(PortError::NotFound(_)) => (0, Some(MISSING)),
        Err(PortError::Corrupt(_)) => (0, Some("is damaged")),
        Err(error) => return Err(error),
    };
    let has_hash = file.sha256.is_some();
    let Some(fault) = fault else { return Ok(CheckedFile { bytes, has_hash, fault: None }) };
    // Somebody may have purged the subject since its row was read.
    if store.documents.presence(&[file.subject]).await? != [SubjectPresence::Stored] {
        return Ok(CheckedFile { bytes, has_hash, fault: None });
    }
    Ok(CheckedFile { bytes, has_hash, fault: Some(file.fault(fault)) })
}

/// Reads a file as far as the row says something about it, and says what differs.
async fn compare(blobs: &dyn BlobStore, file: &NamedFile) -> PortResult<(u64, Option<&'static str>)> {
    let (folder, _) = file.name.rsplit_once('/').unwrap_or((&file.name, ""));
    let stored = blobs.files(folder).await?.into_iter().find(|stored| stored.name == file.name);
    let stored: BlobFile = stored.ok_or_else(|| PortError::NotFound(file.name.clone()))?;
    if file.bytes.is_some_and(|bytes| bytes != stored.bytes) {
        return Ok((0, Some("has another size than it had")));
    }
    let Some(expected) = &file.sha256 else {
        // Reading it proves that the storage returns it.
        hash_blob(blobs, &stored).await?;
        return Ok((stored.bytes, None));
    };
    let is_same = hex(&hash_blob(blobs, &stored).await?) == *expected;
    Ok((stored.bytes, (!is_same).then_some(CHANGED)))
}

#[cfg(test)]
mod tests;

//! Copies an installation, its rows and its files, to another database and another storage.
//!
//! The rows come from one snapshot. What has been copied is recorded with it, so that an interrupted copy continues. At the
//! end the rows of each table are counted and hashed on both sides. Until then no program uses the target.

mod files;
mod plan;
mod table_digest;

use std::sync::Arc;

use self::files::copy_files;
use self::plan::TablePlan;
pub use self::table_digest::TableDigest;
use super::identity::{self, StorageMatch, compare_ids};
use super::probe::probe_name;
use super::{Faults, InstallationBlobs, Progress};
use quire_domain::InstallationId;
use quire_ports::{
    BlobRoot, BlobStore, CopyProgress, DatabaseRow, DatabaseTables, PortError, PortResult, Store,
    TableReceiver, TableSnapshot,
};

/// How many rows a transaction copies.
const BATCH: u32 = 500;

/// The database and the storage of an installation.
#[derive(Clone)]
pub struct InstallationStores {
    /// The database.
    pub store: Store,
    /// The storage, whatever installation it belongs to.
    pub blobs: Arc<dyn BlobRoot>,
}

impl InstallationStores {
    /// Fails if the installation cannot be copied: it has no id, or its storage is not the one of its database.
    pub async fn require_source(&self) -> Result<(), CopyError> {
        self.as_source().await.map(drop)
    }

    /// The id of an installation that can be copied, and its storage, which works only while it has that id: files of a
    /// storage that has vanished are not lost.
    pub(super) async fn as_source(&self) -> Result<(InstallationId, Arc<dyn BlobStore>), CopyError> {
        let id = self.store.installation.installation_id().await?.ok_or(CopyError::NoSource)?;
        if compare_ids(&self.store, &*self.blobs).await? != Some(StorageMatch::Same) {
            return Err(CopyError::WrongSourceStorage);
        }
        let guarded = InstallationBlobs::new(self.blobs.clone(), self.store.installation.clone());
        Ok((id, Arc::new(guarded)))
    }
}

/// What a copy consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopyReport {
    /// The rows of each table.
    pub tables: Vec<(String, u64)>,
    /// How many files were copied by this call.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// How many files the target had already.
    pub present_files: u64,
    /// The originals that the source has lost, or whose content is not the one of their row, also those that interrupted
    /// calls found. They do not keep the rest from being copied.
    pub faults: Faults,
}

/// Why a copy failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// The source has no installation id.
    #[error("the source has no installation id; run `quire migrate up` on it first")]
    NoSource,
    /// The storage of the source is not the one of its database.
    #[error("the storage of the source is not the one of its database; `quire doctor` says more")]
    WrongSourceStorage,
    /// The storage of the target belongs to another installation.
    #[error("the storage of the target belongs to another installation; name an empty one")]
    StorageTaken,
    /// Both sides have the same storage.
    #[error(
        "source and target have the same storage, and a storage belongs to one database; name another folder, container or \
         prefix for the target with storage.documents or storage.blobs"
    )]
    SameStorage,
    /// The two databases have different tables.
    #[error(
        "source and target have different tables: {0}; migrate both with the same version of the program"
    )]
    DifferentTables(String),
    /// A table of the target is not the same.
    #[error("the rows of {0} in the target differ from those of the source; empty the target and copy again")]
    DifferentRows(String),
    /// A file of the target is not the same.
    #[error("the file {0} in the target differs from that of the source; check the disks and copy again")]
    DifferentFile(String),
    /// A file was removed while it was read.
    #[error("the file {0} was purged meanwhile; run the command again")]
    Vanished(String),
    /// The storage did not list a file that it has.
    #[error("the storage has the file {0} and did not list it; run the command again")]
    Unlisted(String),
    /// The backup cannot be written.
    #[error("{0}")]
    Sink(String),
    /// A database or a storage failed.
    #[error(transparent)]
    Store(#[from] PortError),
}

/// Copies everything, or the rest of an interrupted copy. Nobody may work on either side meanwhile.
pub async fn copy(
    from: &InstallationStores,
    to: &InstallationStores,
    progress: &dyn Progress,
) -> Result<CopyReport, CopyError> {
    let (source, files) = from.as_source().await?;
    let stored_id = identity::stored_id(&*to.blobs).await?;
    // An interrupted call may have taken the id of the database already.
    let is_marked = identity::copied_id(&*to.blobs).await? == Some(source);
    let is_own = is_marked || stored_id == to.store.installation.installation_id().await?;
    if stored_id.is_some_and(|id| id != source) && !is_own {
        return Err(CopyError::StorageTaken);
    }
    // The server of the source would take the files of the target for files without a document.
    if stored_id == Some(source) && is_same_storage(&*from.blobs, &*to.blobs).await? {
        return Err(CopyError::SameStorage);
    }
    let mut snapshot = from.store.tables.snapshot().await?;
    let target = identity::begin_copy(&to.blobs, source).await?;
    let mut receiver = match to.store.tables.receive(source).await {
        Ok(receiver) => receiver,
        Err(error) => {
            if !is_marked {
                identity::remove_copy_mark(&*to.blobs).await?;
            }
            return Err(error.into());
        }
    };
    if stored_id.is_some_and(|id| id != source) {
        identity::remove_id(&*to.blobs).await?;
    }
    let tables = copy_rows(&mut *snapshot, &mut *receiver, &*to.store.tables, progress).await?;
    let mut report = CopyReport { tables, ..CopyReport::default() };
    copy_files(&mut *snapshot, &mut *receiver, (&files, &target), &mut report, progress).await?;
    identity::end_copy(&*target, source).await?;
    receiver.finish(snapshot.last_event_id().await?).await?;
    Ok(report)
}

/// Whether a file that is written to one storage is found in the other. Two addresses can name one place.
async fn is_same_storage(from: &dyn BlobStore, to: &dyn BlobStore) -> PortResult<bool> {
    let name = probe_name();
    to.put(&name, Vec::new()).await?;
    let found = from.get_range(&name, 0..0).await;
    if let Err(error) = to.remove(&name).await {
        tracing::warn!(%error, "storage: an empty file of the comparison stays until the sweep removes it");
    }
    match found {
        Ok(_) => Ok(true),
        Err(PortError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Copies the rows that an earlier call has not copied, compares both sides and returns how many rows each table has.
pub(super) async fn copy_rows(
    snapshot: &mut dyn TableSnapshot,
    receiver: &mut dyn TableReceiver,
    target: &dyn DatabaseTables,
    progress: &dyn Progress,
) -> Result<Vec<(String, u64)>, CopyError> {
    let plans = plan::plans(snapshot.tables(), receiver.tables())?;
    begin(snapshot, &plans, progress).await?;
    let mut copied = Vec::with_capacity(plans.len());
    for plan in &plans {
        copied.push(copy_table(snapshot, receiver, plan, progress).await?);
    }
    compare(snapshot, target, &plans, copied, progress).await
}

async fn begin(
    snapshot: &mut dyn TableSnapshot,
    plans: &[TablePlan],
    progress: &dyn Progress,
) -> Result<(), CopyError> {
    let mut rows = 0;
    for plan in plans {
        rows += snapshot.count(&plan.source).await?;
    }
    // Rows are written and then compared, and each subject has files.
    progress.begin(2 * rows + snapshot.subject_count().await?);
    Ok(())
}

/// Copies the rest of a table. Returns the digest of its rows, if this call has seen them all.
async fn copy_table(
    snapshot: &mut dyn TableSnapshot,
    receiver: &mut dyn TableReceiver,
    plan: &TablePlan,
    progress: &dyn Progress,
) -> Result<Option<TableDigest>, CopyError> {
    let mut copied = receiver.progress(&plan.target.name).await?;
    let mut seen = (copied == CopyProgress::default()).then(TableDigest::default);
    if copied.is_done {
        return Ok(None);
    }
    let mut rows = snapshot.rows(&plan.source, copied.last.as_ref(), BATCH).await?;
    loop {
        let is_done = rows.len() < BATCH as usize;
        let last = rows.last().map(|row| plan.source_key(row)).or(copied.last);
        copied = CopyProgress { last, is_done };
        let count = rows.len() as u64;
        if rows.is_empty() {
            receiver.record(&plan.target.name, &copied).await?;
            return Ok(seen);
        }
        let converted: Vec<DatabaseRow> =
            rows.into_iter().map(|row| plan.convert(row)).collect::<PortResult<_>>()?;
        if let Some(seen) = &mut seen {
            for row in &converted {
                seen.add(row);
            }
        }
        // The next rows are read while these are written.
        let insert = receiver.insert(&plan.target, converted, &copied);
        if is_done {
            insert.await?;
            progress.done(count);
            return Ok(seen);
        }
        let (inserted, next) = tokio::join!(insert, snapshot.rows(&plan.source, copied.last.as_ref(), BATCH));
        inserted?;
        progress.done(count);
        rows = next?;
    }
}

/// Compares the rows of every table, and returns how many each has.
async fn compare(
    snapshot: &mut dyn TableSnapshot,
    target: &dyn DatabaseTables,
    plans: &[TablePlan],
    copied: Vec<Option<TableDigest>>,
    progress: &dyn Progress,
) -> Result<Vec<(String, u64)>, CopyError> {
    let mut written = target.snapshot().await?;
    let mut tables = Vec::with_capacity(plans.len());
    for (plan, seen) in plans.iter().zip(copied) {
        let expected = match seen {
            Some(seen) => seen,
            None => digest(snapshot, &plan.source, |row| plan.convert(row), &()).await?,
        };
        let found = digest(&mut *written, &plan.target, |row| plan.typed(row), progress).await?;
        if found != expected {
            return Err(CopyError::DifferentRows(plan.target.name.clone()));
        }
        tables.push((plan.target.name.clone(), found.rows()));
    }
    Ok(tables)
}

/// The digest of the rows of a table, after each was converted.
async fn digest(
    snapshot: &mut dyn TableSnapshot,
    table: &quire_ports::DatabaseTable,
    convert: impl Fn(DatabaseRow) -> PortResult<DatabaseRow> + Send,
    progress: &dyn Progress,
) -> PortResult<TableDigest> {
    let mut digest = TableDigest::default();
    let mut last: Option<DatabaseRow> = None;
    loop {
        let rows = snapshot.rows(table, last.as_ref(), BATCH).await?;
        let count = rows.len();
        last = rows.last().map(|row| table.key_of(row)).or(last);
        for row in rows {
            digest.add(&convert(row)?);
        }
        progress.done(count as u64);
        if count < BATCH as usize {
            return Ok(digest);
        }
    }
}

#[cfg(test)]
mod tests;

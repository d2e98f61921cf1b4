//! One consistent snapshot of an installation: its rows in a database of their own, and the files that they name.

use std::sync::Arc;

use quire_domain::{InstallationId, SubjectId};
use quire_ports::{BlobFile, BlobStore, PortError, Store, SubjectPresence, TableSnapshot};
use uuid::Uuid;

use super::copy::{CopyError, InstallationStores, copy_rows};
use super::hashing::PIECE;
use super::identity;
use super::named_file::{MISSING, NamedFile, originals, require_missing};
use super::{Faults, Progress};

/// How many subjects are read at once.
const SUBJECTS: u32 = 100;

/// Gets the files of a backup, one after the other.
pub trait FileSink: Send {
    /// A file of this name and size begins.
    fn begin(&mut self, name: &str, bytes: u64) -> Result<(), CopyError>;
    /// The next piece of the file.
    fn write(&mut self, piece: &[u8]) -> Result<(), CopyError>;
    /// The file is complete. Returns its SHA-256.
    fn end(&mut self) -> Result<[u8; 32], CopyError>;
}

/// A backup whose rows are copied.
pub struct Backup<'s> {
    from: &'s InstallationStores,
    /// The storage, which works only while it has the id of the installation.
    files: Arc<dyn BlobStore>,
    /// The copied rows. The database itself has no open transaction while the files are written.
    rows: Box<dyn TableSnapshot>,
    /// The installation.
    pub installation: InstallationId,
}

/// The files of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// How many files it has.
    pub files: u64,
    /// The originals that the installation has lost, or whose content is not the one of their row.
    pub faults: Faults,
}

impl<'s> Backup<'s> {
    /// Copies all rows, as they are now, into an empty database. Servers and workers may go on.
    pub async fn of_rows(
        from: &'s InstallationStores,
        into: &Store,
        progress: &dyn Progress,
    ) -> Result<Self, CopyError> {
        let (installation, files) = from.as_source().await?;
        let mut snapshot = from.store.tables.snapshot().await?;
        let mut receiver = into.tables.receive(installation).await?;
        copy_rows(&mut *snapshot, &mut *receiver, &*into.tables, progress).await?;
        receiver.finish(snapshot.last_event_id().await?).await?;
        Ok(Self { from, files, rows: into.tables.snapshot().await?, installation })
    }

    /// Writes the files of all subjects of the snapshot. A document that was purged meanwhile is an error, because the rows still
    /// name its file. A file that was lost before is reported.
    pub async fn write_files(
        &mut self,
        sink: &mut dyn FileSink,
        progress: &dyn Progress,
    ) -> Result<BackupReport, CopyError> {
        let mut last: Option<Uuid> = None;
        let mut report = BackupReport::default();
        loop {
            let subjects = self.rows.subjects(last, SUBJECTS).await?;
            let Some(newest) = subjects.last().copied() else { return Ok(report) };
            let originals = originals(&mut *self.rows, last, newest, SUBJECTS).await?;
            for subject in &subjects {
                self.write_subject(*subject, originals.get(subject), sink, &mut report).await?;
            }
            progress.done(subjects.len() as u64);
            last = Some(newest);
        }
    }

    async fn write_subject(
        &self,
        subject: Uuid,
        original: Option<&NamedFile>,
        sink: &mut dyn FileSink,
        report: &mut BackupReport,
    ) -> Result<(), CopyError> {
        let mut is_missing = original.is_some();
        for file in self.files.files(&subject.to_string()).await? {
            let hash = self.write_file(&file, sink).await?;
            report.files += 1;
            if let Some(original) = original.filter(|original| original.name == file.name) {
                if let Some(fault) = original.changed(&hash) {
                    report.faults.add(fault);
                }
                is_missing = false;
            }
        }
        let Some(original) = original.filter(|_| is_missing) else { return Ok(()) };
        if self.from.store.documents.presence(&[SubjectId(subject)]).await? != [SubjectPresence::Stored] {
            return Err(CopyError::Vanished(original.name.clone()));
        }
        require_missing(&*self.files, original).await?;
        report.faults.add(original.fault(MISSING));
        Ok(())
    }

    async fn write_file(&self, file: &BlobFile, sink: &mut dyn FileSink) -> Result<[u8; 32], CopyError> {
        sink.begin(&file.name, file.bytes)?;
        let mut start = 0;
        while start < file.bytes {
            let end = (start + PIECE).min(file.bytes);
            let piece = self.files.get_range(&file.name, start..end).await.map_err(|error| match error {
                PortError::NotFound(_) => CopyError::Vanished(file.name.clone()),
                error => error.into(),
            })?;
            sink.write(&piece)?;
            start = end;
        }
        sink.end()
    }
}

/// Empties a database and takes the id from its storage, so that both can get a copy of `source`. What they had is lost.
/// Refused if the storage belongs to neither.
pub async fn empty_installation(
    stores: &InstallationStores,
    source: InstallationId,
) -> Result<(), CopyError> {
    let own = stores.store.installation.installation_id().await?;
    match identity::stored_id(&*stores.blobs).await? {
        Some(id) if id != source && Some(id) != own => return Err(CopyError::StorageTaken),
        // First, because a database without an id would not be known as the one of this storage after an interruption.
        Some(_) => identity::remove_id(&*stores.blobs).await?,
        None => {}
    }
    stores.store.tables.forget_copy().await?;
    stores.store.migrations.down(0).await?;
    stores.store.migrations.up(None).await?;
    Ok(())
}

#[cfg(test)]
mod tests;

//! Removes files that no document has.
//!
//! An upload that was interrupted leaves a file without a row. Such a file is removed only if it is old and had no row
//! at two looks: a file without a row may belong to an upload whose transaction is still running, or to a database that
//! is being restored.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use quire_domain::SubjectId;
use quire_ports::{BlobStore, PortResult, Store, SubjectPresence};
use tokio_util::sync::CancellationToken;

use super::probe::is_probe;

/// A younger file may belong to an upload that is not finished.
const MIN_AGE: SignedDuration = SignedDuration::from_hours(24);
/// How many subjects one query looks for.
const BATCH: usize = 500;

/// Looks for files without a row, and removes those that had none at the look before.
pub struct Sweep {
    store: Store,
    blobs: Arc<dyn BlobStore>,
    min_age: SignedDuration,
    /// The subjects that had old files and no row at the last look.
    suspects: BTreeSet<SubjectId>,
}

/// What one look found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// The subjects whose files were removed.
    pub removed: Vec<SubjectId>,
    /// The subjects that have old files and no row. The next look removes their files if they still have no row.
    pub suspects: Vec<SubjectId>,
    /// The folders of files that were written to learn about the storage, and that were removed.
    pub probes: Vec<String>,
}

/// What a look would consider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waste {
    /// The subjects that are purged, or have no row and old files.
    pub subjects: Vec<(SubjectId, SubjectPresence)>,
    /// The folders of old files that were written to learn about the storage. Their process ended before it removed them.
    pub probes: Vec<String>,
}

impl Sweep {
    /// A sweep that has not looked yet.
    pub fn new(store: Store, blobs: Arc<dyn BlobStore>) -> Self {
        Self { store, blobs, min_age: MIN_AGE, suspects: BTreeSet::new() }
    }

    /// The same sweep with another age, below which files are left alone.
    #[must_use]
    pub fn older_than(self, min_age: SignedDuration) -> Self {
        Self { min_age, ..self }
    }

    /// Looks once. Only folders that are named like a subject or a probe are considered. Files of purged subjects are removed
    /// at once: nothing can be stored for those subjects any more.
    pub async fn look(&mut self) -> PortResult<SweepReport> {
        let mut report = SweepReport::default();
        let waste = self.find().await?;
        for folder in waste.probes {
            if self.blobs.remove_folder(&folder).await? {
                tracing::info!(folder, "storage: removed a file that was written to learn about the storage");
                report.probes.push(folder);
            }
        }
        for (subject, presence) in waste.subjects {
            if presence == SubjectPresence::Purged || self.suspects.contains(&subject) {
                self.remove(subject, &mut report).await?;
            } else {
                report.suspects.push(subject);
            }
        }
        self.suspects = report.suspects.iter().copied().collect();
        Ok(report)
    }

    /// What a look would consider. Removes nothing.
    pub async fn find(&self) -> PortResult<Waste> {
        let mut found = Waste::default();
        let mut after = None;
        loop {
            let page = self.blobs.folders(after.as_deref()).await?;
            for folder in page.names.iter().filter(|name| is_probe(name)) {
                if self.is_old(folder).await? {
                    found.probes.push(folder.clone());
                }
            }
            let subjects: Vec<SubjectId> = page.names.iter().filter_map(|name| subject(name)).collect();
            for batch in subjects.chunks(BATCH) {
                self.find_among(batch, &mut found.subjects).await?;
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(found),
            }
        }
    }

    async fn find_among(
        &self,
        subjects: &[SubjectId],
        found: &mut Vec<(SubjectId, SubjectPresence)>,
    ) -> PortResult<()> {
        let presences = self.store.documents.presence(subjects).await?;
        for (subject, presence) in subjects.iter().copied().zip(presences) {
            let is_waste = match presence {
                SubjectPresence::Stored => false,
                SubjectPresence::Purged => true,
                SubjectPresence::Unknown => self.is_old(&subject.to_string()).await?,
            };
            if is_waste {
                found.push((subject, presence));
            }
        }
        Ok(())
    }

    async fn is_old(&self, folder: &str) -> PortResult<bool> {
        let written = self.blobs.last_written(folder).await?;
        let now = self.store.clock.now();
        Ok(written.is_some_and(|written| now.duration_since(written) >= self.min_age))
    }

    async fn remove(&self, subject: SubjectId, report: &mut SweepReport) -> PortResult<()> {
        let is_stored = self.store.documents.presence(&[subject]).await? == [SubjectPresence::Stored];
        if !is_stored && self.blobs.remove_folder(&subject.to_string()).await? {
            tracing::info!(subject_id = %subject, "storage: removed files that no document has");
            metrics::counter!("quire_swept_subjects_total").increment(1);
            report.removed.push(subject);
        }
        Ok(())
    }
}

/// The subject whose files are in this folder, if it is named like one.
fn subject(folder: &str) -> Option<SubjectId> {
    let subject: SubjectId = folder.parse().ok()?;
    (subject.to_string() == folder).then_some(subject)
}

/// Looks every `interval` until `stop` is cancelled.
pub async fn keep_sweeping(mut sweep: Sweep, interval: Duration, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(interval) => {}
            () = stop.cancelled() => return,
        }
        match sweep.look().await {
            Ok(report) if !report.suspects.is_empty() => tracing::info!(
                subjects = report.suspects.len(),
                "storage: found files without a document; the next sweep removes them if they still have none"
            ),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "storage: looking for files without a document failed"),
        }
    }
}

#[cfg(test)]
#[path = "sweep_tests.rs"]
mod tests;

//! Copies the files of every subject, a few at a time.

use std::collections::HashMap;
use std::sync::Arc;

use quire_ports::{
    BlobFile, BlobStore, CellType, CopyProgress, DatabaseCell, PortError, PortResult, TableReceiver,
    TableSnapshot,
};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::super::hashing::{Hash, PIECE, hash_blob};
use super::super::named_file::{MISSING, NamedFile, originals, require_missing};
use super::{CopyError, CopyReport};
use crate::storage::{Faults, Progress};

/// The part of a copy that is no table. Its progress is the last subject and the faults that were found so far.
const PART: &str = "files";
/// The number of subjects whose files are copied before the progress is recorded, and of those that are copied at once.
const SUBJECTS: u32 = 64;
const AT_ONCE: usize = 8;
/// A larger file is copied in pieces.
const WHOLE: u64 = 8 << 20;

/// Where files go.
#[derive(Clone)]
struct CopyTarget {
    blobs: Arc<dyn BlobStore>,
    /// Whether an earlier copy may have left files there.
    may_have_files: bool,
}

/// What was copied for a subject.
#[derive(Default)]
struct Copied {
    files: u64,
    bytes: u64,
    present_files: u64,
    /// What is wrong with the original in the source.
    fault: Option<String>,
}

/// Copies the files of all subjects that an earlier call has not copied.
pub(super) async fn copy_files(
    snapshot: &mut dyn TableSnapshot,
    receiver: &mut dyn TableReceiver,
    (from, to): (&Arc<dyn BlobStore>, &Arc<dyn BlobStore>),
    report: &mut CopyReport,
    progress: &dyn Progress,
) -> Result<(), CopyError> {
    let mut earlier = receiver.progress(PART).await?.last.unwrap_or_default().into_iter();
    let mut last = match earlier.next().map(|cell| cell.into_type(CellType::Uuid)).transpose()? {
        Some(DatabaseCell::Uuid(id)) => Some(id),
        _ => None,
    };
    report.faults = Faults::of_cells(earlier);
    let target = CopyTarget {
        blobs: to.clone(),
        // A new target has no files to look for.
        may_have_files: last.is_some() || !to.folders(None).await?.names.is_empty(),
    };
    loop {
        let subjects = snapshot.subjects(last, SUBJECTS).await?;
        let Some(newest) = subjects.last().copied() else { return Ok(()) };
        let count = subjects.len() as u64;
        let mut originals = originals(snapshot, last, newest, SUBJECTS).await?;
        let subjects = subjects.into_iter().map(|subject| (subject, originals.remove(&subject))).collect();
        for copied in copy_subjects(subjects, from, &target).await? {
            report.files += copied.files;
            report.bytes += copied.bytes;
            report.present_files += copied.present_files;
            if let Some(fault) = copied.fault {
                report.faults.add(fault);
            }
        }
        last = Some(newest);
        let copied = std::iter::once(DatabaseCell::Uuid(newest)).chain(report.faults.to_cells()).collect();
        receiver.record(PART, &CopyProgress { last: Some(copied), is_done: false }).await?;
        progress.done(count);
    }
}

/// Copies the files of several subjects at once.
async fn copy_subjects(
    subjects: Vec<(Uuid, Option<NamedFile>)>,
    from: &Arc<dyn BlobStore>,
    to: &CopyTarget,
) -> Result<Vec<Copied>, CopyError> {
    let mut tasks = JoinSet::new();
    let mut copied = Vec::with_capacity(subjects.len());
    for (subject, original) in subjects {
        if tasks.len() == AT_ONCE
            && let Some(done) = tasks.join_next().await
        {
            copied.push(done.map_err(|_| ended())??);
        }
        let (from, to) = (from.clone(), to.clone());
        tasks.spawn(async move { copy_subject(subject, original.as_ref(), &*from, &to).await });
    }
    while let Some(done) = tasks.join_next().await {
        copied.push(done.map_err(|_| ended())??);
    }
    Ok(copied)
}

fn ended() -> PortError {
    PortError::Corrupt("copying a file stopped unexpectedly; please report this".to_owned())
}

async fn copy_subject(
    subject: Uuid,
    original: Option<&NamedFile>,
    from: &dyn BlobStore,
    target: &CopyTarget,
) -> Result<Copied, CopyError> {
    let to = &*target.blobs;
    let folder = subject.to_string();
    let files = from.files(&folder).await?;
    let mut copied = Copied::default();
    if let Some(original) = original
        && files.iter().all(|file| file.name != original.name)
    {
        require_missing(from, original).await?;
        copied.fault = Some(original.fault(MISSING));
    }
    if files.is_empty() {
        return Ok(copied);
    }
    let present = if target.may_have_files { to.files(&folder).await? } else { Vec::new() };
    let present: HashMap<String, u64> = present.into_iter().map(|file| (file.name, file.bytes)).collect();
    for file in files {
        let original = original.filter(|original| original.name == file.name);
        let is_present = present.get(&file.name) == Some(&file.bytes);
        let hash = if is_present { Some(hash_blob(from, &file).await?) } else { None };
        let hash = if let Some(hash) = hash
            && hash_blob(to, &file).await? == hash
        {
            copied.present_files += 1;
            hash
        } else {
            let hash = copy_blob(&file, from, to).await?;
            if !to.confirms_writes() && hash_blob(to, &file).await? != hash {
                return Err(CopyError::DifferentFile(file.name));
            }
            copied.files += 1;
            copied.bytes += file.bytes;
            hash
        };
        if let Some(original) = original {
            copied.fault = original.changed(&hash);
        }
    }
    Ok(copied)
}

/// Copies a file and returns the hash of what was read.
async fn copy_blob(file: &BlobFile, from: &dyn BlobStore, to: &dyn BlobStore) -> PortResult<[u8; 32]> {
    let mut hash = Hash::default();
    if file.bytes <= WHOLE {
        let content = from.get(&file.name, file.bytes).await?;
        hash.update(&content);
        to.put(&file.name, content).await?;
        return Ok(hash.finish());
    }
    let mut writer = to.begin(&file.name).await?;
    let mut start = 0;
    while start < file.bytes {
        let end = (start + PIECE).min(file.bytes);
        let piece = from.get_range(&file.name, start..end).await?;
        hash.update(&piece);
        writer.write(&piece).await?;
        start = end;
    }
    writer.finish().await?;
    Ok(hash.finish())
}

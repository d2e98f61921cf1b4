//! Simulates a loss of power at every moment: only what storage made durable is still there, and a file system that kept
//! more, in any combination, is fine too. Then storage is opened on what is left.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use quire_ports::PortError;

use super::file_changes::{FileChange, FileId, changes_of, id_of};
use super::temporary_file::{self, TEMPORARY_FOLDER, TemporaryFile};
use super::*;

/// What a file system may keep of the changes that were not made durable.
#[derive(Clone, Copy, Debug)]
enum Unsynced {
    /// Nothing.
    Lost,
    /// Names of files and folders, but no content: a new name may have an empty file.
    NamesKept,
    /// Names in some folders, and some content, by these bits.
    SomeKept(u64),
}

/// A disk: files by id, and the entries of folders.
#[derive(Clone, Debug, Default)]
struct SimulatedDisk {
    content: HashMap<FileId, Vec<u8>>,
    entries: HashMap<FileId, BTreeMap<String, FileId>>,
}

impl SimulatedDisk {
    /// The disk after these changes and a loss of power.
    fn after(changes: &[FileChange], unsynced: Unsynced) -> Self {
        let (mut cached, mut durable) = (Self::default(), Self::default());
        for (step, change) in changes.iter().enumerate() {
            cached.apply(change);
            if let FileChange::Create { id, .. } = change {
                durable.content.remove(id);
                durable.entries.remove(id);
            }
            let is_kept = match unsynced {
                Unsynced::Lost => false,
                Unsynced::NamesKept => true,
                Unsynced::SomeKept(bits) => bits.rotate_right(u32::try_from(step % 64).unwrap()) & 1 == 1,
            };
            match change {
                FileChange::SyncFile { file } => durable.keep_content(*file, &cached),
                FileChange::SyncFolder { folder } => durable.keep_entries(*folder, &cached),
                FileChange::Append { file, .. } if matches!(unsynced, Unsynced::SomeKept(_)) && is_kept => {
                    durable.keep_content(*file, &cached);
                }
                FileChange::Create { folder, .. } | FileChange::Remove { folder, .. } if is_kept => {
                    durable.keep_entries(*folder, &cached);
                }
                // A file system moves a file as a whole: it never has both names or none because of the move alone.
                FileChange::Move { folder, to, .. } if is_kept => {
                    durable.keep_entries(*to, &cached);
                    durable.keep_entries(*folder, &cached);
                }
                _ => {}
            }
        }
        durable
    }

    fn apply(&mut self, change: &FileChange) {
        match change.clone() {
            FileChange::Create { folder, name, id } => {
                self.entries.entry(folder).or_default().insert(name, id);
                // A file system gives the id of a removed file to a new one.
                self.content.remove(&id);
                self.entries.remove(&id);
            }
            FileChange::Append { file, bytes } => self.content.entry(file).or_default().extend(bytes),
            FileChange::Move { folder, name, to, new_name } => {
                let id = self.entries.entry(folder).or_default().remove(&name);
                self.entries.entry(to).or_default().extend(id.map(|id| (new_name, id)));
            }
            FileChange::Remove { folder, name } => {
                self.entries.entry(folder).or_default().remove(&name);
            }
            FileChange::SyncFile { .. } | FileChange::SyncFolder { .. } => {}
        }
    }

    fn keep_content(&mut self, file: FileId, cached: &Self) {
        self.content.insert(file, cached.content.get(&file).cloned().unwrap_or_default());
    }

    fn keep_entries(&mut self, folder: FileId, cached: &Self) {
        self.entries.insert(folder, cached.entries.get(&folder).cloned().unwrap_or_default());
    }

    /// Writes the files and folders below a folder to a real one. `folders` are the ids of folders.
    fn restore(&self, folder: FileId, folders: &[FileId], to: &Path) {
        fs::create_dir_all(to).unwrap();
        for (name, id) in self.entries.get(&folder).into_iter().flatten() {
            if folders.contains(id) {
                self.restore(*id, folders, &to.join(name));
            } else {
                let content = self.content.get(id).map_or(&[][..], Vec::as_slice);
                fs::write(to.join(name), content).unwrap();
            }
        }
    }
}

const NAME: &str = "0192/runs/7/raw-text.txt";
const OLD: &[u8] = b"old and complete";
const NEW: &[u8] = b"new and complete as well";

/// The changes of the work of a test on an empty root, its id, and how many changes there were when each part of the work
/// had returned.
struct Recorded {
    changes: Vec<FileChange>,
    root: FileId,
    returned: Vec<usize>,
}

/// Records parts of work on an empty root. Its creation is durable before the first part.
fn record_parts(parts: &[&dyn Fn(&FolderHandle)]) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("documents");
    fs::create_dir(&path).unwrap();
    let root = FolderHandle::open_root(&path).unwrap();
    let (mut changes, mut returned) = (Vec::new(), Vec::new());
    for part in parts {
        let ((), more) = changes_of(|| part(&root));
        changes.extend(more);
        returned.push(changes.len());
    }
    Recorded { changes, root: id_of(fs::File::open(&path).unwrap()), returned }
}

impl Recorded {
    /// Opens storage after a loss of power behind this many changes, and returns the content of the file.
    fn content_after(&self, changes: usize, unsynced: Unsynced) -> Option<Vec<u8>> {
        let folders: Vec<FileId> = self.changes.iter().filter_map(folder_of).collect();
        let disk = SimulatedDisk::after(&self.changes[..changes], unsynced);
        let target = tempfile::tempdir().unwrap();
        disk.restore(self.root, &folders, &target.path().join("documents"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let blobs = DiskBlobs::open(target.path().join("documents")).unwrap();
            let leftovers = fs::read_dir(target.path().join("documents").join(TEMPORARY_FOLDER)).unwrap();
            assert_eq!(leftovers.count(), 0, "the next start removes temporary files");
            match blobs.get(NAME, 1 << 20).await {
                Ok(content) => Some(content),
                Err(PortError::NotFound(_)) => None,
                Err(error) => panic!("{error}"),
            }
        })
    }
}

/// The folders are those that have entries or are made durable as folders.
fn folder_of(change: &FileChange) -> Option<FileId> {
    match change {
        FileChange::Create { folder, .. }
        | FileChange::SyncFolder { folder }
        | FileChange::Remove { folder, .. } => Some(*folder),
        FileChange::Move { to, .. } => Some(*to),
        FileChange::Append { .. } | FileChange::SyncFile { .. } => None,
    }
}

fn put(content: &'static [u8]) -> impl Fn(&FolderHandle) {
    move |root| temporary_file::put(root, &BlobName::parse(NAME).unwrap(), content).unwrap()
}

/// Writes the new content in pieces, as an upload does.
fn put_in_pieces(root: &FolderHandle) {
    let mut file = TemporaryFile::create(root).unwrap();
    for piece in NEW.chunks(5) {
        file.append(piece).unwrap();
    }
    file.finish(root, &BlobName::parse(NAME).unwrap()).unwrap();
}

/// Checks every moment of a put that replaces a file: before it returns, the name has the complete old or the complete new
/// content; afterwards it has the new one.
fn check_replacement(recorded: &Recorded, unsynced: Unsynced) {
    let [first, second] = recorded.returned[..] else { panic!("two parts") };
    for moment in 0..=recorded.changes.len() {
        let content = recorded.content_after(moment, unsynced);
        let content = content.as_deref();
        if moment < first {
            assert!(content.is_none_or(|content| content == OLD), "{moment}, {unsynced:?}: {content:?}");
        } else if moment < second {
            assert!([Some(OLD), Some(NEW)].contains(&content), "{moment}, {unsynced:?}: {content:?}");
        } else {
            assert_eq!(content, Some(NEW), "a reported success is durable: {unsynced:?}");
        }
    }
}

/// Proves R051: a file is durable before it gets its name, and its name is durable before success is reported.
#[test]
fn a_loss_of_power_at_any_moment_leaves_the_old_or_the_new_file_whole() {
    for parts in [[&put(OLD) as &dyn Fn(&FolderHandle), &put(NEW)], [&put(OLD), &put_in_pieces]] {
        let recorded = record_parts(&parts);
        for unsynced in [Unsynced::Lost, Unsynced::NamesKept] {
            check_replacement(&recorded, unsynced);
        }
    }
}

/// A removal that was reported stays one. Before that the file is whole or gone.
#[test]
fn a_removed_file_does_not_come_back_after_a_loss_of_power() {
    let name = || BlobName::parse(NAME).unwrap();
    let remove = |root: &FolderHandle| assert!(remove::remove(root, &name()).unwrap());
    let folder = || BlobName::parse("0192").unwrap();
    let remove_folder = |root: &FolderHandle| assert!(remove::remove_folder(root, &folder()).unwrap());
    for part in [&remove as &dyn Fn(&FolderHandle), &remove_folder] {
        let recorded = record_parts(&[&put(OLD), part]);
        for unsynced in [Unsynced::Lost, Unsynced::NamesKept] {
            for moment in recorded.returned[0]..=recorded.changes.len() {
                let content = recorded.content_after(moment, unsynced);
                assert!(content.as_deref().is_none_or(|content| content == OLD), "{moment}: {content:?}");
                assert!(moment < recorded.returned[1] || content.is_none(), "{moment}, {unsynced:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Proves R051 for file systems that write back in any order.
    #[test]
    fn whatever_a_file_system_kept_no_file_is_incomplete(bits in any::<u64>()) {
        check_replacement(&record_parts(&[&put(OLD), &put(NEW)]), Unsynced::SomeKept(bits));
    }
}

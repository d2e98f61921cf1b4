//! The storage of files: whether it is the right one, removing files that no document has, copies of whole installations, and
//! the comparison of files with rows.

mod backup;
#[cfg(test)]
mod both_stores;
mod copy;
mod faults;
mod hashing;
mod identity;
mod installation_blobs;
mod lost_attempts;
mod named_file;
mod probe;
mod progress;
mod sweep;
mod verify;

pub use backup::{Backup, BackupReport, FileSink, empty_installation};
pub use copy::{CopyError, CopyReport, InstallationStores, TableDigest, copy};
pub use faults::Faults;
pub use identity::{
    ID_FILE, IdentityError, OriginalsPolicy, StorageMatch, compare_ids, identify, release_storage_id,
};
pub use installation_blobs::InstallationBlobs;
pub use lost_attempts::{LostAttemptFile, find_lost_attempts, remove_lost_attempts};
pub use probe::probe_name;
pub use progress::Progress;
pub use sweep::{Sweep, SweepReport, Waste, keep_sweeping};
pub use verify::{VerifyReport, verify};

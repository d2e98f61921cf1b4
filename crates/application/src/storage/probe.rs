//! Small files that are written to learn about a storage, and removed at once.

use uuid::Uuid;

/// The beginning of their folders' names.
const PREFIX: &str = "probe-";

/// A name for such a file, in a folder of its own. If the process ends before it removes the file, the sweep does.
pub fn probe_name() -> String {
    format!("{PREFIX}{}/file", Uuid::now_v7())
}

/// Whether a folder at the top of a storage is one of such a file.
pub(super) fn is_probe(folder: &str) -> bool {
    folder.strip_prefix(PREFIX).is_some_and(|id| id.len() == 36 && Uuid::try_parse(id).is_ok())
}

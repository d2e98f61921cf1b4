//! Files of an installation are for its owner alone: documents and the database hold personal data.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use crate::config::{Config, DatabaseLocation};

/// The permissions of all other users.
const OTHERS: u32 = 0o077;

/// Lets this process create files and folders for their owner only, whatever the shell that started it says.
pub(crate) fn create_for_owner_only() {
    rustix::process::umask(Mode::from_raw_mode(OTHERS));
}

/// Warns of files and folders that other users may access, such as those of an older version. They are not changed: a group
/// may have been given access on purpose.
pub(crate) fn warn_of_others(config: &Config) {
    for (path, mode) in accessible_to_others(config) {
        tracing::warn!(
            path = %path.display(),
            mode = format!("{mode:03o}"),
            "other users of this machine may access it; run `chmod -R go= {}` to keep them out",
            path.display()
        );
    }
}

/// The data folder, the storage folder and the database file, as far as other users may access them, with their modes.
pub(crate) fn accessible_to_others(config: &Config) -> Vec<(PathBuf, u32)> {
    let with_mode = |path: PathBuf| others_may(&path).map(|mode| (path, mode));
    installed(config).into_iter().filter_map(with_mode).collect()
}

/// The data folder and the database file.
fn installed(config: &Config) -> Vec<PathBuf> {
    let mut paths = vec![config.storage.data.clone()];
    paths.extend(config.documents_folder());
    if let DatabaseLocation::Sqlite(file) = config.location() {
        paths.push(file);
    }
    paths
}

/// The permissions of a file that other users may access. A folder that is closed to them protects what is in it.
pub(crate) fn others_may(path: &Path) -> Option<u32> {
    let mode = |path: &Path| path.metadata().map(|file| file.permissions().mode() & 0o777).ok();
    let is_closed = path.parent().and_then(mode).is_some_and(|mode| mode & OTHERS == 0);
    mode(path).filter(|mode| mode & OTHERS != 0 && !is_closed)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn a_file_in_a_closed_folder_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quire.db");
        fs::write(&file, "").unwrap();
        for (of_folder, of_file, expected) in [
            (0o755, 0o644, Some(0o644)),
            (0o755, 0o600, None),
            (0o700, 0o644, None),
            (0o755, 0o640, Some(0o640)),
        ] {
            fs::set_permissions(folder.path(), Permissions::from_mode(of_folder)).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(of_file)).unwrap();
            assert_eq!(others_may(&file), expected, "{of_folder:o} {of_file:o}");
        }
    }
}

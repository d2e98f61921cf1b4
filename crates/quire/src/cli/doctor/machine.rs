//! The machine: free space and file modes.

use std::path::Path;

use super::{CheckedInstallation, Finding};
use crate::cli::output;
use crate::owner_only;

pub(super) fn disk(installation: &CheckedInstallation<'_>) -> Finding {
    let config = installation.config;
    let least = config.uploads.min_free_mb << 20;
    let mut free_everywhere = u64::MAX;
    for folder in [config.storage.data.clone()].into_iter().chain(config.documents_folder()) {
        match free_space(&folder) {
            Err(error) => {
                return Finding::error(
                    format!("the free space of {} cannot be measured: {error}", folder.display()),
                    "check storage.data and storage.documents",
                );
            }
            Ok(free) => free_everywhere = free_everywhere.min(free),
        }
    }
    let free = output::size(free_everywhere);
    let remedy = "free or add space, or lower uploads.min_free_mb";
    if free_everywhere < least {
        let message = format!("{free} are free; uploads are refused below {}", output::size(least));
        return Finding::error(message, remedy);
    }
    if free_everywhere / 2 < least {
        let message = format!("{free} are free; uploads will be refused below {}", output::size(least));
        return Finding::warning(message, remedy);
    }
    Finding::ok(format!("{free} are free"))
}

/// The free space of the disk that has this folder, or will have it.
fn free_space(folder: &Path) -> std::io::Result<u64> {
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    let disk = rustix::fs::statvfs(existing)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

pub(super) fn file_modes(installation: &CheckedInstallation<'_>) -> Finding {
    let open_files: Vec<_> = installation
        .layers
        .files_with_secrets()
        .into_iter()
        .filter(|file| owner_only::others_may(file).is_some())
        .collect();
    if let Some(file) = open_files.first() {
        let file = file.display();
        return Finding::error(
            format!("{file} has secrets, and other users of this machine may read it"),
            format!("run `chmod go= {file}`"),
        );
    }
    let open = owner_only::accessible_to_others(installation.config);
    match open.first() {
        None => Finding::ok("data, database and settings are for their owner alone"),
        Some((path, mode)) => {
            let path = path.display();
            Finding::warning(
                format!("other users of this machine may access {path} (mode {mode:03o})"),
                format!("run `chmod -R go= {path}`"),
            )
        }
    }
}

//! `quire restore`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use quire_application::storage::{CopyError, InstallationStores, copy, empty_installation};
use quire_connectors::archive::{BackupKey, BackupSummary, DATABASE, DOCUMENTS, extract};
use quire_connectors::blob::DiskBlobs;
use quire_ports::PortError;

use super::backup::read_key;
use super::output;
use super::progress_bar::WorkBar;
use crate::config::Config;
use crate::error::CommandError;
use crate::scratch_folder::ScratchFolder;
use crate::shutdown::unless_interrupted;
use crate::wire::installations::{CopyRole, OpenInstallation, sqlite_at};

/// Read a backup into the database and the storage of the settings
///
/// Unpacks the backup into the data folder and checks every hash before anything is changed. Then copies rows and files, and
/// compares them with the backup. Servers and workers must be stopped. An interrupted restore continues when the command
/// is run again. The exit code is 1 if the backup lacks originals, or has damaged ones.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire restore quire.tar\n  \
    quire restore quire.tar --key-file backup.key --database postgres://quire@db.internal/quire")]
pub(super) struct RestoreCommand {
    /// The backup
    file: PathBuf,
    /// File with the key of the backup
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Delete what the database has now
    #[arg(long)]
    replace: bool,
}

impl RestoreCommand {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        let key = self.key_file.as_deref().map(read_key).transpose()?;
        unless_interrupted(self.restore(config, key)).await
    }

    async fn restore(self, config: &Config, key: Option<BackupKey>) -> Result<ExitCode, CommandError> {
        let to = OpenInstallation::open(config, CopyRole::Target).await?;
        let scratch = ScratchFolder::create(config.storage.data.join("restore.partial"))?;
        let (summary, from) = unpacked(self.file, key, scratch.path()).await?;
        if self.replace {
            let source = from.store.installation.installation_id().await?.ok_or(CopyError::NoSource)?;
            // Unpacking may have taken long.
            to.require_idle().await?;
            empty_installation(&to.stores, source).await?;
        }
        let progress = WorkBar::new("rows and files");
        let report = copy(&from, &to.stores, &progress).await.map_err(refused)?;
        drop(progress);
        let BackupSummary { created_at, program, .. } = summary;
        output::print(&format!(
            "{}Restored the backup of {created_at}, made by version {program}. Rows and files were compared with it.\n",
            super::store::text(&report)
        ))?;
        Ok(super::store::exit_code(&report.faults))
    }
}

/// The installation that was unpacked. An older backup gets the missing migrations.
async fn unpacked(
    file: PathBuf,
    key: Option<BackupKey>,
    folder: &Path,
) -> Result<(BackupSummary, InstallationStores), CommandError> {
    let (named, target) = (file.display().to_string(), folder.to_owned());
    let extracted = tokio::task::spawn_blocking(move || extract(&file, key.as_ref(), &target)).await?;
    let summary = extracted.map_err(|error| CommandError::new(format!("{named}: {error}")))?;
    let stores = InstallationStores {
        store: sqlite_at(&folder.join(DATABASE)).await?,
        blobs: Arc::new(DiskBlobs::open(folder.join(DOCUMENTS))?),
    };
    let is_whole = stores.require_source().await;
    is_whole
        .map_err(|_| CommandError::new(format!("{named}: its database and its files have different ids")))?;
    Ok((summary, stores))
}

fn refused(error: CopyError) -> CommandError {
    match &error {
        CopyError::Store(PortError::Conflict(_)) | CopyError::DifferentRows(_) => {
            CommandError::new(format!("{error}, or delete what is there with --replace"))
        }
        _ => error.into(),
    }
}

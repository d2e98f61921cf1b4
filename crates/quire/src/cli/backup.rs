//! `quire backup`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use quire_application::storage::{Backup, CopyError, FileSink};
use quire_connectors::archive::{ArchiveError, ArchiveWriter, BackupKey, DATABASE, DOCUMENTS};

use super::output;
use super::progress_bar::WorkBar;
use crate::config::Config;
use crate::error::CommandError;
use crate::scratch_folder::ScratchFolder;
use crate::shutdown::unless_interrupted;
use crate::wire::installations;

/// Write one file with the whole installation: database and files of documents
///
/// The backup is one consistent snapshot. Servers and workers go on meanwhile. With a key it is encrypted; keep the key
/// elsewhere, because nobody can read the backup without it. `quire restore` reads it on SQLite and on PostgreSQL. While the
/// backup is written, the folder FILE.partial holds the rows unencrypted. The exit code is 1 if originals are lost or damaged;
/// the backup then has everything else.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire backup /backups                                a file named after the time, in this folder\n  \
    openssl rand -hex 32 > backup.key && quire backup quire.tar --key-file backup.key")]
pub(super) struct BackupCommand {
    /// File to write, or an existing folder
    #[arg(value_name = "FILE|FOLDER")]
    target: PathBuf,
    /// File with the key: 64 hexadecimal digits [default: the backup is not encrypted]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl BackupCommand {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        let key = self.key_file.as_deref().map(read_key).transpose()?;
        let now = Timestamp::now();
        let path = if self.target.is_dir() {
            self.target.join(format!("quire-{}.tar", now.strftime("%Y%m%dT%H%M%SZ")))
        } else {
            self.target
        };
        if path.exists() {
            return Err(CommandError::new(format!("{} exists already; choose another name", path.display())));
        }
        unless_interrupted(write(config, &path, key.as_ref(), now)).await
    }
}

async fn write(
    config: &Config,
    path: &Path,
    key: Option<&BackupKey>,
    now: Timestamp,
) -> Result<ExitCode, CommandError> {
    let from = installations::open_for_reading(config).await?;
    // Rows are readable in it even if the backup is encrypted.
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let scratch = ScratchFolder::create(partial.into())?;
    let copy = scratch.path().join("rows.db");
    let rows = installations::sqlite_at(&copy).await?;
    let progress = WorkBar::new("rows and files");
    let mut backup = Backup::of_rows(&from, &rows, &progress).await?;
    let database = scratch.path().join(DATABASE);
    quire_sqlite::compact_copy(&copy, &database)?;
    let mut archive = ArchiveWriter::create(path, scratch.path(), key)?;
    archive.add_file(DATABASE, &database)?;
    let id = format!("{}\n", backup.installation);
    archive.begin(&format!("{DOCUMENTS}{}", quire_application::storage::ID_FILE), id.len() as u64)?;
    archive.write(id.as_bytes())?;
    archive.end()?;
    let report = backup.write_files(&mut Sink(&mut archive), &progress).await?;
    let summary =
        archive.finish(env!("CARGO_PKG_VERSION"), now.to_string(), backup.installation.to_string())?;
    drop(progress);
    let how = if key.is_some() { "encrypted" } else { "not encrypted" };
    output::print(&format!(
        "{}: {} files and the database, {}, {how}.\n{}",
        path.display(),
        report.files,
        output::size(summary.bytes),
        super::store::faults(&report.faults)
    ))?;
    Ok(super::store::exit_code(&report.faults))
}

/// Writes files into an archive.
struct Sink<'a>(&'a mut ArchiveWriter);

impl FileSink for Sink<'_> {
    fn begin(&mut self, name: &str, bytes: u64) -> Result<(), CopyError> {
        self.0.begin(&format!("{DOCUMENTS}{name}"), bytes).map_err(failed)
    }

    fn write(&mut self, piece: &[u8]) -> Result<(), CopyError> {
        self.0.write(piece).map_err(failed)
    }

    fn end(&mut self) -> Result<[u8; 32], CopyError> {
        self.0.end().map_err(failed)
    }
}

#[allow(clippy::needless_pass_by_value)] // `map_err(failed)` reads best.
fn failed(error: ArchiveError) -> CopyError {
    CopyError::Sink(error.to_string())
}

/// The key in a file.
pub(super) fn read_key(path: &Path) -> Result<BackupKey, CommandError> {
    let unreadable = |why: String| CommandError::new(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    BackupKey::parse(&text).map_err(|error| unreadable(error.to_string()))
}

//! `quire store`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use quire_application::storage::{CopyReport, Faults, copy};

use super::output;
use super::progress_bar::WorkBar;
use crate::config::{Config, mask_url};
use crate::error::CommandError;
use crate::wire::installations::{CopyRole, OpenInstallation, database_name};

/// The most faults that are printed.
const SHOWN_FAULTS: usize = 20;

/// Copy an installation to another database and storage
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    quire store copy --from ./quire-data --to server.toml    from a laptop to PostgreSQL\n  \
    quire store copy --from server.toml --to ./quire-data    and back")]
pub(super) enum StoreCommand {
    Copy(CopyCommand),
}

/// Copy everything, rows and files, to an empty database and storage
///
/// An installation is named by its data folder (SQLite) or its configuration file. Servers and workers of both must be
/// stopped, and the two must not share a storage. An interrupted copy continues when the same command is run again, and until
/// it is finished no program uses the target. At the end rows and files of both are compared by count and hash. The exit code
/// is 1 if originals of the source are lost or damaged.
#[derive(Args)]
pub(super) struct CopyCommand {
    /// Data folder or configuration file of the source [default: the settings of this command]
    #[arg(long, value_name = "PLACE")]
    from: Option<PathBuf>,
    /// Data folder or configuration file of the target [default: the settings of this command]
    #[arg(long, value_name = "PLACE", required_unless_present = "from")]
    to: Option<PathBuf>,
}

impl StoreCommand {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        match self {
            Self::Copy(command) => command.run(config).await,
        }
    }
}

impl CopyCommand {
    async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        let (from, to) = (named(self.from.as_deref(), config)?, named(self.to.as_deref(), config)?);
        let target = mask_url(&database_name(&to));
        if database_name(&from) == database_name(&to) {
            return Err(CommandError::new(
                "source and target are the same database; name two with --from and --to",
            ));
        }
        let from = OpenInstallation::open(&from, CopyRole::Source).await?;
        let to = OpenInstallation::open(&to, CopyRole::Target).await?;
        let report = copy(&from.stores, &to.stores, &WorkBar::new("rows and files")).await?;
        output::print(&format!(
            "{}The copy is complete and was compared with its source. Use it with {target}.\n",
            text(&report)
        ))?;
        Ok(exit_code(&report.faults))
    }
}

/// The settings of the named installation.
fn named(place: Option<&Path>, config: &Config) -> Result<Config, CommandError> {
    place.map_or_else(|| Ok(config.clone()), |place| Ok(Config::of_installation(place)?))
}

/// What was copied.
pub(super) fn text(report: &CopyReport) -> String {
    let rows: Vec<[String; 2]> = report
        .tables
        .iter()
        .filter(|(_, rows)| *rows > 0)
        .map(|(table, rows)| [table.clone(), rows.to_string()])
        .collect();
    let mut text = output::table(["TABLE", "ROWS"], &rows);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{} files copied ({}), {} were there already.",
        report.files,
        output::size(report.bytes),
        report.present_files
    );
    text + &faults(&report.faults)
}

/// What is wrong with the originals of an installation that was read.
pub(super) fn faults(faults: &Faults) -> String {
    if faults.is_empty() {
        return String::new();
    }
    let shown = faults.first.iter().take(SHOWN_FAULTS);
    let mut text = format!("{} originals were lost or damaged before:\n", faults.count);
    let left = faults.count - shown.len() as u64;
    // Writing to a String cannot fail.
    for fault in shown {
        let _ = writeln!(text, "  {fault}");
    }
    if left > 0 {
        let _ = writeln!(text, "  and {left} more; `quire verify` lists them");
    }
    text
}

/// What was read is complete, or originals were lost or damaged before.
pub(super) fn exit_code(faults: &Faults) -> ExitCode {
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! `quire verify`

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use quire_application::storage::{VerifyReport, verify};
use serde_json::json;

use super::output;
use super::progress_bar::WorkBar;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Compare every row with every file, hashes included
///
/// Reads the original of each document and each file that a run has recorded, and compares size and SHA-256 with the database. A
/// file of a run of an earlier version may have no recorded hash; such files are counted. Checks that each run has one active
/// version, that versions and events fit together, and that no folder of files is without a row. Works beside a running
/// server. The exit code is 1 if there are faults.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire verify\n  \
    quire verify --json")]
pub(super) struct VerifyCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl VerifyCommand {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        let store = wire::open_for_command(config).await?;
        let blobs = wire::blobs(config, &store)?;
        let report = verify(&store, &blobs, &WorkBar::new("files")).await?;
        output::print(&if self.json { as_json(&report) } else { as_text(&report) })?;
        Ok(if report.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn as_json(report: &VerifyReport) -> String {
    output::json(&json!({
        "documents": report.documents,
        "artifacts": report.artifacts,
        "bytes": report.bytes,
        "files_without_hash": report.files_without_hash,
        "fault_count": report.faults.count,
        "faults": report.faults.first,
    }))
}

fn as_text(report: &VerifyReport) -> String {
    let mut text = format!(
        "{} documents and {} artifacts were compared, {}.\n",
        report.documents,
        report.artifacts,
        output::size(report.bytes)
    );
    // Writing to a String cannot fail.
    if report.files_without_hash > 0 {
        let _ = writeln!(
            text,
            "{} files have no recorded hash; they were read and only their sizes were compared.",
            report.files_without_hash
        );
    }
    for fault in &report.faults.first {
        let _ = writeln!(text, "  {fault}");
    }
    let _ = match report.faults.count {
        0 => writeln!(text, "No faults."),
        1 => writeln!(text, "1 fault."),
        count => writeln!(text, "{count} faults."),
    };
    text
}

//! `quire gc`

use std::fmt::Write as _;

use clap::Args;
use jiff::SignedDuration;
use quire_application::storage::Sweep;
use quire_domain::SubjectId;

use crate::config::{Config, to_std};
use crate::error::CommandError;
use crate::wire;

/// Remove files that no document has
///
/// An upload that was interrupted can leave its file behind. This command looks twice, and removes the files that are
/// old and had no document at both looks. It works beside a running server, which does the same by itself
/// (`storage.sweep_interval`).
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire gc --dry-run      only list them\n  \
    quire gc")]
pub(super) struct GcCommand {
    /// Only list the files
    #[arg(long)]
    dry_run: bool,
    /// Leave younger files alone; they may belong to an upload that is not finished
    #[arg(long, value_name = "AGE", default_value = "24h")]
    older_than: SignedDuration,
    /// Time between the two looks
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pause: SignedDuration,
}

impl GcCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let store = wire::open_for_command(config).await?;
        let blobs = wire::blobs(config, &store)?;
        let mut sweep = Sweep::new(store, blobs).older_than(self.older_than);
        if self.dry_run {
            let found = sweep.find().await?;
            return Ok(list("without a document", found.into_iter().map(|(subject, _)| subject)));
        }
        let first = sweep.look().await?;
        let mut removed = first.removed;
        if !first.suspects.is_empty() {
            tokio::time::sleep(to_std(self.pause)).await;
            removed.extend(sweep.look().await?.removed);
        }
        Ok(list("removed", removed.into_iter()))
    }
}

fn list(what: &str, subjects: impl ExactSizeIterator<Item = SubjectId>) -> String {
    let plural = if subjects.len() == 1 { "folder" } else { "folders" };
    let mut text = format!("{} {plural} {what}\n", subjects.len());
    for subject in subjects {
        let _ = writeln!(text, "  {subject}");
    }
    text
}

//! `quire gc`

use std::fmt::Write as _;

use clap::Args;
use jiff::SignedDuration;
use quire_application::storage::{LostAttemptFile, Sweep, find_lost_attempts, remove_lost_attempts};
use quire_domain::SubjectId;

use super::output;
use crate::config::{Config, to_std};
use crate::error::CommandError;
use crate::wire;

/// Remove files that no document has
///
/// An upload that was interrupted can leave its file behind. Checks twice and removes files that are old and belong to no
/// document both times. A server does the same by itself (`storage.sweep_interval`). This command also removes what lost
/// attempts at a run have left, which a server does not look for. It works beside a running server.
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
        let lost = find_lost_attempts(&store, &*blobs).await?;
        let mut sweep = Sweep::new(store, blobs.clone()).older_than(self.older_than);
        if self.dry_run {
            let found = sweep.find().await?;
            let subjects = found.subjects.iter().map(|(subject, _)| subject.to_string());
            let folders = subjects.chain(found.probes).collect();
            return Ok(list("without a document", folders) + &list_lost("of lost attempts", &lost));
        }
        let first = sweep.look().await?;
        let (mut removed, mut probes) = (first.removed, first.probes);
        if !first.suspects.is_empty() {
            tokio::time::sleep(to_std(self.pause)).await;
            let second = sweep.look().await?;
            removed.extend(second.removed);
            probes.extend(second.probes);
        }
        remove_lost_attempts(&*blobs, &lost).await?;
        let folders = removed.iter().map(SubjectId::to_string).chain(probes).collect();
        Ok(list("removed", folders) + &list_lost("of lost attempts removed", &lost))
    }
}

fn list(what: &str, folders: Vec<String>) -> String {
    let plural = if folders.len() == 1 { "folder" } else { "folders" };
    let mut text = format!("{} {plural} {what}\n", folders.len());
    for folder in folders {
        let _ = writeln!(text, "  {folder}");
    }
    text
}

fn list_lost(what: &str, files: &[LostAttemptFile]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let bytes = files.iter().map(|file| file.bytes).sum();
    let plural = if files.len() == 1 { "file" } else { "files" };
    let mut text = format!("{} {plural} {what} ({})\n", files.len(), output::size(bytes));
    for file in files {
        let _ = writeln!(text, "  {}", file.name);
    }
    text
}

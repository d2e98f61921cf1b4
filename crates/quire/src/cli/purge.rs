//! `quire purge`

use clap::Args;
use quire_domain::SubjectId;

use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Delete a document, proposal or link permanently, with its files, runs, results and history
///
/// The deletion cannot be undone, so it requires --yes. Events that name no run remain, with one that records the purge.
/// A proposal is deleted with all its revisions.
#[derive(Args)]
#[command(after_help = "Example:\n  quire purge 01890a5d-ac96-774b-bcce-b302099a8057 --yes")]
pub(super) struct PurgeCommand {
    /// Id of the document, proposal or link
    subject: SubjectId,
    /// Confirm the permanent deletion
    #[arg(long)]
    yes: bool,
}

impl PurgeCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let subject = self.subject;
        if !self.yes {
            return Err(CommandError::new(format!(
                "this permanently deletes {subject} and everything known about it; add --yes to confirm"
            )));
        }
        let store = wire::open_for_command(config).await?;
        let blobs = wire::blobs(config, &store)?;
        let runs = quire_application::purge(&store, &*blobs, subject).await?;
        let plural = if runs == 1 { "" } else { "s" };
        Ok(format!("Deleted {subject} with {runs} run{plural}.\n"))
    }
}

//! `quire purge`

use clap::Args;
use quire_domain::SubjectId;

use crate::config::Config;
use crate::trouble::Trouble;
use crate::wire;

/// Remove a document, proposal or link for good: its files, its runs, what they found, and its history
///
/// What remains is one event that says so. It cannot be undone, so it wants --yes.
#[derive(Args)]
#[command(after_help = "Example:\n  quire purge 01890a5d-ac96-774b-bcce-b302099a8057 --yes")]
pub(super) struct Purge {
    /// What to remove: the id of the document, proposal or link
    subject: SubjectId,
    /// Yes, for good
    #[arg(long)]
    yes: bool,
}

impl Purge {
    pub(super) async fn run(self, config: &Config) -> Result<String, Trouble> {
        let subject = self.subject;
        if !self.yes {
            return Err(Trouble::new(format!(
                "this removes {subject} and everything known about it, for good; add --yes if that is what you want"
            )));
        }
        let store = wire::open_beside(config).await?;
        let blobs = wire::blobs(config)?;
        let runs = quire_application::document::purge(&store, &*blobs, subject).await?;
        let plural = if runs == 1 { "" } else { "s" };
        Ok(format!("Removed {subject} with {runs} run{plural}.\n"))
    }
}

//! `quire hide`

use clap::Args;
use quire_application::credential::LOCAL_NAME;
use quire_application::document;
use quire_domain::{DocumentId, HideChange};

use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Who hides a document by this command.
const ACTOR: &str = LOCAL_NAME;

/// Hide a document from lists, search and exports, or show it again
///
/// Nothing of it is deleted, and it can still be opened by its id. An event records each change.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire hide 01890a5d-ac96-774b-bcce-b302099a8057\n  \
    quire hide 01890a5d-ac96-774b-bcce-b302099a8057 --undo")]
pub(super) struct HideCommand {
    /// Id of the document
    document: DocumentId,
    /// Show a hidden document again
    #[arg(long)]
    undo: bool,
}

impl HideCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let change = if self.undo { HideChange::Unhide } else { HideChange::Hide };
        let store = wire::open_for_command(config).await?;
        let hidden = document::set_hidden_in(&store, self.document, change, ACTOR, None).await?;
        let id = self.document;
        Ok(match hidden {
            Some(hidden) => format!("{id} is hidden since {} by {}.\n", hidden.at, hidden.by),
            None => format!("{id} is not hidden.\n"),
        })
    }
}

//! What a reviewer must know about the pages that a run read: which could not be read, and where marks hide text.

use quire_domain::RunId;
use quire_domain::reading::UnreadPage;
use quire_ports::PortError;
use serde::{Deserialize, Serialize};

use super::PagesArtifact;
use crate::{App, Result};

/// What is missing in the text of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageNotice {
    /// The page, from 1.
    pub page: usize,
    /// The number of words that an opaque mark hides.
    pub covered_words: usize,
    /// Whether they are part of the text nevertheless, because a setting says so.
    pub covered_used: bool,
    /// Why the page could not be read, if it could not.
    pub unread: Option<UnreadPage>,
    /// Why data that the file contains could not be read, if there is such data.
    #[serde(default)]
    pub data_problem: Option<String>,
}

/// The pages of a run whose text is not complete.
pub async fn notices(app: &App, run: RunId) -> Result<Vec<PageNotice>> {
    let artifacts = app.store.run_reader.artifacts(run).await?;
    let Some(pages) = artifacts.iter().rfind(|artifact| artifact.artifact_type == PagesArtifact::ARTIFACT)
    else {
        return Ok(Vec::new());
    };
    let index: PagesArtifact = serde_json::from_str(&pages.payload)
        .map_err(|error| PortError::Corrupt(format!("the pages of run {run}: {error}")))?;
    Ok(index.notices())
}

impl PagesArtifact {
    /// The pages whose text is not complete.
    pub fn notices(&self) -> Vec<PageNotice> {
        let numbered = (1..).zip(&self.pages);
        let incomplete = numbered.filter(|(_, entry)| {
            entry.covered_words > 0 || entry.unread.is_some() || entry.data_problem.is_some()
        });
        let notice = |(page, entry): (usize, &super::PageEntry)| PageNotice {
            page,
            covered_words: entry.covered_words,
            covered_used: self.covered_used && entry.covered_words > 0,
            unread: entry.unread.clone(),
            data_problem: entry.data_problem.clone(),
        };
        incomplete.map(notice).collect()
    }
}

//! List proposal runs.

use quire_ports::{ProposalFilter, ProposalSummary};

use crate::{App, Result};

/// The runs that a filter lets through, newest first, and how many there are in all.
pub async fn list(app: &App, filter: &ProposalFilter) -> Result<(Vec<ProposalSummary>, u64)> {
    Ok(app.store.proposals.proposals(filter).await?)
}

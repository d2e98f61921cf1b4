//! Compare two proposal runs.

use quire_domain::RunId;
use quire_domain::proposal::{ComparedRun, PersonaReview, RunComparison, compare_runs};
use quire_ports::ProposalRun;

use crate::{App, Error};

/// Why two runs are not compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareRunsError {
    /// Both ids are the same.
    #[error("a run cannot be compared with itself; name two different runs")]
    SameRun,
    /// One does not exist, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// How the second run differs from the first.
pub async fn compare(app: &App, first: RunId, second: RunId) -> Result<RunComparison, CompareRunsError> {
    if first == second {
        return Err(CompareRunsError::SameRun);
    }
    let first = app.store.proposals.proposal(first).await.map_err(Error::from)?;
    let second = app.store.proposals.proposal(second).await.map_err(Error::from)?;
    let (before, after) = (reviews(&first), reviews(&second));
    Ok(compare_runs(compared(&first, &before), compared(&second, &after)))
}

fn reviews(run: &ProposalRun) -> Vec<PersonaReview> {
    run.reviews.iter().map(|stored| stored.review.clone()).collect()
}

fn compared<'r>(run: &'r ProposalRun, reviews: &'r [PersonaReview]) -> ComparedRun<'r> {
    ComparedRun {
        id: run.run.id,
        created_at: run.run.created_at,
        parent: run.request.parent,
        proposal: run.version.as_ref().map(|version| &version.proposal),
        reviews,
        decision: run.decision.as_ref(),
    }
}

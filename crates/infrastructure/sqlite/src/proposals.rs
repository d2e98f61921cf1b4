//! Proposals: what was asked, and what each step made of it.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::proposal::Verdict;
use quire_domain::{NewRun, Run, RunId};
use quire_ports::{
    PortResult, ProposalFilter, ProposalRequest, ProposalResult, ProposalRun, ProposalSummary, Proposals,
};
use quire_sql::{ProposalInputColumns, json_text, row, run_not_found};
use rusqlite::{Connection, params};

use crate::row::{execute, micros};
use crate::{SqliteStore, queue, sql};

#[async_trait]
impl Proposals for SqliteStore {
    async fn create(&self, new: &NewRun, request: &ProposalRequest, at: Timestamp) -> PortResult<Run> {
        let (new, request) = (new.clone(), request.clone());
        let run = self
            .writer
            .write(move |connection| {
                let run = queue::enqueue(connection, &new, at)?;
                insert_input(connection, &run, &request)?;
                Ok(run)
            })
            .await?;
        self.wakeup.notify_one();
        Ok(run)
    }

    async fn proposal(&self, run: RunId) -> PortResult<ProposalRun> {
        let id = [run.0.into_bytes()];
        let found = self.rows(sql!("proposals/find"), id, row::proposal_run).await?.pop();
        let mut found = found.ok_or_else(|| run_not_found(run))?;
        let reviews = self.rows(sql!("proposals/reviews"), id, row::stored_review).await?;
        found.reviews = row::ordered_reviews(reviews);
        Ok(found)
    }

    async fn proposals(&self, filter: &ProposalFilter) -> PortResult<(Vec<ProposalSummary>, u64)> {
        let columns = (
            json_text(&filter.states.iter().map(|state| state.as_str()).collect::<Vec<_>>())?,
            filter.is_revision,
            filter.parent.map(|id| id.0.into_bytes()),
            filter.verdict.map(Verdict::as_str),
            filter.min_confidence,
            filter.created_from.map(micros),
            filter.created_until.map(micros),
        );
        let count =
            self.rows(sql!("proposals/count"), columns.clone(), |row| row.integer("matching")).await?;
        let (states, is_revision, parent, verdict, confidence, from, until) = columns;
        let page =
            (states, is_revision, parent, verdict, confidence, from, until, filter.limit, filter.offset);
        let runs = self.rows(sql!("proposals/list"), page, row::proposal_summary).await?;
        Ok((runs, count.into_iter().next().unwrap_or_default()))
    }
}

fn insert_input(connection: &Connection, run: &Run, request: &ProposalRequest) -> PortResult<()> {
    let json = ProposalInputColumns::of(request)?;
    let values = params![
        run.id.0.as_bytes(),
        micros(run.created_at),
        request.scope.as_str(),
        request.parent.map(|id| id.0.into_bytes()),
        request.key_id.map(uuid::Uuid::into_bytes),
        request.input_idea,
        json.extra_context,
        request.model,
        request.temperature,
        json.parameters_json,
        request.schema_version,
        request.prompt_set_version,
        json.edited_proposal_json,
        request.edit_notes,
    ];
    execute(connection, sql!("proposals/insert_input"), values).map(drop)
}

/// Stores what a step made. What the run has already stays.
pub(crate) fn insert_result(
    connection: &Connection,
    run: RunId,
    result: &ProposalResult,
    at: Timestamp,
) -> PortResult<()> {
    let run = run.0.as_bytes();
    match result {
        ProposalResult::Version(version) => {
            let values = params![
                run,
                json_text(&version.proposal)?,
                version.diff.as_ref().map(json_text).transpose()?,
                version.persona_template_version,
                version.edit_notes,
                micros(at),
            ];
            execute(connection, sql!("proposals/insert_version"), values).map(drop)
        }
        ProposalResult::Review(stored) => {
            let review = &stored.review;
            let values = params![
                run,
                review.persona_id,
                review.persona_name,
                json_text(review)?,
                review.confidence_score,
                review.has_blocking_issues(),
                review.has_security_critical_issue(),
                json_text(&stored.prompt_parameters)?,
                micros(at),
            ];
            execute(connection, sql!("proposals/insert_review"), values).map(drop)
        }
        ProposalResult::Decision(decision) => {
            let values = params![
                run,
                json_text(decision)?,
                decision.overall_weighted_confidence,
                decision.decision.as_str(),
                micros(at),
            ];
            execute(connection, sql!("proposals/insert_decision"), values).map(drop)
        }
    }
}

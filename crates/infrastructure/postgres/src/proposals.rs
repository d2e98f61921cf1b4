//! Proposals: what was asked, and what each step made of it.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::proposal::Verdict;
use quire_domain::{NewRun, Run, RunId};
use quire_ports::{
    PortResult, ProposalFilter, ProposalRequest, ProposalResult, ProposalRun, ProposalSummary, Proposals,
    RunWrite,
};
use quire_sql::{ProposalInputColumns, json_text, row, run_not_found};
use sqlx::{PgConnection, Postgres, postgres::PgArguments, query::Query};

use crate::database::commit;
use crate::enqueue::{TimedRun, insert};
use crate::error::translate;
use crate::row::{StoredTime, bigint, text};
use crate::transition::append;
use crate::{PgStore, sql};

#[async_trait]
impl Proposals for PgStore {
    async fn create(&self, new: &NewRun, request: &ProposalRequest, at: Timestamp) -> PortResult<Run> {
        let run = self
            .database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let (mut runs, events) =
                    insert(&mut transaction, &[TimedRun { new: new.clone(), at }]).await?;
                let run = runs.pop().ok_or_else(|| run_not_found(new.id))??;
                insert_input(&mut transaction, &run, request).await?;
                append(&mut transaction, &events, true).await?;
                commit(transaction).await?;
                Ok(run)
            })
            .await?;
        self.wakeup.notify_one();
        Ok(run)
    }

    async fn proposal(&self, run: RunId) -> PortResult<ProposalRun> {
        let find = || sqlx::query(sql!("proposals/find")).bind(run.0);
        let found = self.rows(find, row::proposal_run).await?.pop();
        let mut found = found.ok_or_else(|| run_not_found(run))?;
        let reviews = || sqlx::query(sql!("proposals/reviews")).bind(run.0);
        found.reviews = row::ordered_reviews(self.rows(reviews, row::stored_review).await?);
        Ok(found)
    }

    async fn proposals(&self, filter: &ProposalFilter) -> PortResult<(Vec<ProposalSummary>, u64)> {
        let count = || filtered(sql!("proposals/count"), filter);
        let matching = self.rows(count, |row| row.integer("matching")).await?.pop();
        let list = || {
            let list = filtered(sql!("proposals/list"), filter);
            list.bind(bigint(filter.limit)).bind(bigint(filter.offset))
        };
        Ok((self.rows(list, row::proposal_summary).await?, matching.unwrap_or_default()))
    }
}

fn filtered(query: &'static str, filter: &ProposalFilter) -> Query<'static, Postgres, PgArguments> {
    sqlx::query(query)
        .bind(filter.states.iter().map(|state| state.as_str()).collect::<Vec<_>>())
        .bind(filter.is_revision)
        .bind(filter.parent.map(|id| id.0))
        .bind(filter.verdict.map(Verdict::as_str))
        .bind(filter.min_confidence)
        .bind(filter.created_from.map(StoredTime))
        .bind(filter.created_until.map(StoredTime))
}

async fn insert_input(connection: &mut PgConnection, run: &Run, request: &ProposalRequest) -> PortResult<()> {
    let json = ProposalInputColumns::of(request)?;
    sqlx::query(sql!("proposals/insert_input"))
        .bind(run.id.0)
        .bind(StoredTime(run.created_at))
        .bind(request.scope.as_str())
        .bind(request.parent.map(|id| id.0))
        .bind(request.key_id)
        .bind(text(&request.input_idea))
        .bind(json.extra_context)
        .bind(text(&request.model))
        .bind(request.temperature)
        .bind(json.parameters_json)
        .bind(request.schema_version.clone())
        .bind(request.prompt_set_version.clone())
        .bind(json.edited_proposal_json)
        .bind(request.edit_notes.as_deref().map(text))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Stores what the steps of these runs made. What a run has already stays.
pub(crate) async fn insert_results(connection: &mut PgConnection, accepted: &[&RunWrite]) -> PortResult<()> {
    for write in accepted {
        for result in &write.proposal {
            insert_result(connection, write.run.id, result, write.at).await?;
        }
    }
    Ok(())
}

async fn insert_result(
    connection: &mut PgConnection,
    run: RunId,
    result: &ProposalResult,
    at: Timestamp,
) -> PortResult<()> {
    let query = match result {
        ProposalResult::Version(version) => sqlx::query(sql!("proposals/insert_version"))
            .bind(run.0)
            .bind(json_text(&version.proposal)?)
            .bind(version.diff.as_ref().map(json_text).transpose()?)
            .bind(version.persona_template_version.clone())
            .bind(version.edit_notes.as_deref().map(text))
            .bind(StoredTime(at)),
        ProposalResult::Review(stored) => sqlx::query(sql!("proposals/insert_review"))
            .bind(run.0)
            .bind(stored.review.persona_id.clone())
            .bind(stored.review.persona_name.clone())
            .bind(json_text(&stored.review)?)
            .bind(stored.review.confidence_score)
            .bind(stored.review.has_blocking_issues())
            .bind(stored.review.has_security_critical_issue())
            .bind(json_text(&stored.prompt_parameters)?)
            .bind(StoredTime(at)),
        ProposalResult::Decision(decision) => sqlx::query(sql!("proposals/insert_decision"))
            .bind(run.0)
            .bind(json_text(decision)?)
            .bind(decision.overall_weighted_confidence)
            .bind(decision.decision.as_str())
            .bind(StoredTime(at)),
    };
    query.execute(connection).await.map_err(translate)?;
    Ok(())
}

//! Link requests and their summaries.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::link::stops_repetition;
use quire_domain::{NewRun, Run, RunId, SummaryId};
use quire_ports::{
    LinkCreation, LinkFilter, LinkOwner, LinkRequest, LinkRun, Links, NewSummary, PortResult, RunWrite,
    SummaryFilter, SummaryPage,
};
use quire_sql::{LinkColumns, SummaryColumns, like_pattern, row, run_not_found, summary_not_found};
use sqlx::{PgConnection, Postgres, postgres::PgArguments, query::Query};
use uuid::Uuid;

use crate::database::{commit, rollback};
use crate::enqueue::{TimedRun, insert as insert_run};
use crate::error::translate;
use crate::row::{StoredTime, bigint, first, text};
use crate::transition::append;
use crate::{PgStore, sql};

#[async_trait]
impl Links for PgStore {
    async fn create(&self, new: &NewRun, request: &LinkRequest, at: Timestamp) -> PortResult<LinkCreation> {
        let creation = self
            .database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                if let Some(earlier) = claim_hash(&mut transaction, new.id, request).await? {
                    rollback(transaction).await?;
                    return Ok(LinkCreation::Duplicate(Box::new(earlier)));
                }
                let timed = TimedRun { new: new.clone(), at };
                let (mut runs, events) = insert_run(&mut transaction, &[timed]).await?;
                let run = runs.pop().ok_or_else(|| run_not_found(new.id))??;
                insert(&mut transaction, &run, request).await?;
                append(&mut transaction, &events, true).await?;
                commit(transaction).await?;
                Ok(LinkCreation::Created(Box::new(run)))
            })
            .await?;
        if matches!(creation, LinkCreation::Created(_)) {
            self.wakeup.notify_one();
        }
        Ok(creation)
    }

    async fn request(&self, run: RunId) -> PortResult<LinkRun> {
        let find = || sqlx::query(sql!("links/find")).bind(run.0);
        self.rows(find, row::link_run).await?.pop().ok_or_else(|| run_not_found(run))
    }

    async fn requests(&self, filter: &LinkFilter) -> PortResult<(Vec<LinkRun>, u64)> {
        let filtered =
            |query: &'static str| sqlx::query(query).bind(owner(filter.owner)).bind(filter.states.clone());
        let count = || filtered(sql!("links/count"));
        let matching = self.rows(count, |row| row.integer("matching")).await?.pop();
        let list = || filtered(sql!("links/list")).bind(bigint(filter.limit)).bind(bigint(filter.offset));
        Ok((self.rows(list, row::link_run).await?, matching.unwrap_or_default()))
    }

    async fn summary(&self, id: SummaryId) -> PortResult<LinkRun> {
        let find = || sqlx::query(sql!("summaries/find")).bind(id.0);
        self.rows(find, row::link_run).await?.pop().ok_or_else(|| summary_not_found(id))
    }

    async fn summaries(&self, filter: &SummaryFilter) -> PortResult<SummaryPage> {
        let matching = |row: &dyn quire_sql::ColumnReader| row.integer("matching");
        let total = self.rows(|| filtered(sql!("summaries/count"), filter), matching).await?.pop();
        let list = || {
            let list = filtered(sql!("summaries/list"), filter).bind(filter.oldest_first);
            list.bind(bigint(filter.limit)).bind(bigint(filter.offset))
        };
        let items = self.rows(list, row::link_run).await?;
        let unread = || sqlx::query(sql!("summaries/count_unread")).bind(owner(filter.owner));
        let unread = self.rows(unread, matching).await?.pop();
        Ok(SummaryPage { items, total: total.unwrap_or_default(), unread: unread.unwrap_or_default() })
    }

    async fn set_read(&self, id: SummaryId, is_read: bool) -> PortResult<()> {
        let update = sqlx::query(sql!("summaries/set_read")).bind(id.0).bind(is_read);
        self.change_summary(id, update).await
    }

    async fn delete_summary(&self, id: SummaryId, at: Timestamp) -> PortResult<()> {
        let update = sqlx::query(sql!("summaries/delete")).bind(id.0).bind(StoredTime(at));
        self.change_summary(id, update).await
    }
}

impl PgStore {
    async fn change_summary(
        &self,
        id: SummaryId,
        update: Query<'static, Postgres, PgArguments>,
    ) -> PortResult<()> {
        let changed = self.database.execute(update).await?;
        if changed == 1 { Ok(()) } else { Err(summary_not_found(id)) }
    }
}

fn owner(owner: LinkOwner) -> Option<Uuid> {
    match owner {
        LinkOwner::Any => None,
        LinkOwner::Key(id) => Some(id),
    }
}

fn filtered(query: &'static str, filter: &SummaryFilter) -> Query<'static, Postgres, PgArguments> {
    sqlx::query(query)
        .bind(owner(filter.owner))
        .bind(filter.is_read)
        .bind(filter.language.as_deref().map(text))
        .bind(filter.text.as_deref().map(like_pattern))
        .bind(filter.created_from.map(StoredTime))
        .bind(filter.created_until.map(StoredTime))
}

/// Makes this request the one for its hash. Returns the earlier one if that stops it. The row stays locked until the end of
/// the transaction, so that of two clients at once the second one finds the first one's request.
async fn claim_hash(
    connection: &mut PgConnection,
    run: RunId,
    request: &LinkRequest,
) -> PortResult<Option<LinkRun>> {
    let bound = |query: &'static str| {
        sqlx::query(query)
            .bind(request.key_id.unwrap_or_default())
            .bind(request.dedupe_hash.clone())
            .bind(run.0)
    };
    let claimed =
        bound(sql!("links/claim_hash")).fetch_optional(&mut *connection).await.map_err(translate)?;
    let current = first(claimed.as_ref(), |row| row.uuid("run_id"))?;
    let Some(current) = current.map(RunId).filter(|current| *current != run) else { return Ok(None) };
    let find = sqlx::query(sql!("links/find")).bind(current.0);
    let found = find.fetch_optional(&mut *connection).await.map_err(translate)?;
    if let Some(earlier) = first(found.as_ref(), row::link_run)? {
        let is_deleted = earlier.summary.as_ref().is_some_and(|summary| summary.deleted_at.is_some());
        if stops_repetition(&earlier.run.state, is_deleted) {
            return Ok(Some(earlier));
        }
    }
    bound(sql!("links/take_hash")).execute(connection).await.map_err(translate)?;
    Ok(None)
}

async fn insert(connection: &mut PgConnection, run: &Run, request: &LinkRequest) -> PortResult<()> {
    let columns = LinkColumns::of(request)?;
    sqlx::query(sql!("links/insert"))
        .bind(run.id.0)
        .bind(StoredTime(run.created_at))
        .bind(request.source.kind().as_str())
        .bind(request.key_id)
        .bind(columns.input_url.map(text))
        .bind(columns.normalized_url.map(text))
        .bind(columns.content_text.map(text))
        .bind(columns.forward_json)
        .bind(request.dedupe_hash.clone())
        .bind(request.language.as_str())
        .bind(request.retry_of.map(|id| id.0))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Stores the summaries that the steps of these runs made, unless a request has one already.
pub(crate) async fn insert_summaries(
    connection: &mut PgConnection,
    accepted: &[&RunWrite],
) -> PortResult<()> {
    for write in accepted {
        if let Some(summary) = &write.summary {
            insert_summary(connection, write.run.id, summary, write.at).await?;
        }
    }
    Ok(())
}

async fn insert_summary(
    connection: &mut PgConnection,
    run: RunId,
    summary: &NewSummary,
    at: Timestamp,
) -> PortResult<()> {
    let columns = SummaryColumns::of(summary)?;
    sqlx::query(sql!("summaries/insert"))
        .bind(run.0)
        .bind(summary.id.0)
        .bind(text(&summary.language))
        .bind(columns.json_payload)
        .bind(text(&summary.made_by))
        .bind(columns.search_text)
        .bind(StoredTime(at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

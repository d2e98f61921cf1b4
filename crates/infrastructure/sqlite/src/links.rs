//! Link requests and their summaries.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::link::stops_repetition;
use quire_domain::{NewRun, Run, RunId, SummaryId};
use quire_ports::{
    LinkCreation, LinkFilter, LinkOwner, LinkRequest, LinkRun, Links, NewSummary, PortResult, SummaryFilter,
    SummaryPage,
};
use quire_sql::{
    LinkColumns, SummaryColumns, json_text, like_pattern, row, run_not_found, summary_not_found,
};
use rusqlite::{Connection, params};

use crate::row::{execute, first, micros};
use crate::{SqliteStore, queue, sql};

#[async_trait]
impl Links for SqliteStore {
    async fn create(&self, new: &NewRun, request: &LinkRequest, at: Timestamp) -> PortResult<LinkCreation> {
        let (new, request) = (new.clone(), request.clone());
        let creation = self
            .writer
            .write(move |connection| {
                if let Some(earlier) = claim_hash(connection, new.id, &request)? {
                    return Ok(LinkCreation::Duplicate(Box::new(earlier)));
                }
                let run = queue::enqueue(connection, &new, at)?;
                insert(connection, &run, &request)?;
                Ok(LinkCreation::Created(Box::new(run)))
            })
            .await?;
        self.notify_if(matches!(creation, LinkCreation::Created(_)));
        Ok(creation)
    }

    async fn request(&self, run: RunId) -> PortResult<LinkRun> {
        let found = self.rows(sql!("links/find"), [run.0.into_bytes()], row::link_run).await?.pop();
        found.ok_or_else(|| run_not_found(run))
    }

    async fn requests(&self, filter: &LinkFilter) -> PortResult<(Vec<LinkRun>, u64)> {
        let (owner, states) = (owner(filter.owner), json_text(&filter.states)?);
        let counted = (owner, states.clone());
        let count = self.rows(sql!("links/count"), counted, |row| row.integer("matching")).await?.pop();
        let page = (owner, states, filter.limit, filter.offset);
        let requests = self.rows(sql!("links/list"), page, row::link_run).await?;
        Ok((requests, count.unwrap_or_default()))
    }

    async fn summary(&self, id: SummaryId) -> PortResult<LinkRun> {
        let found = self.rows(sql!("summaries/find"), [id.0.into_bytes()], row::link_run).await?.pop();
        found.ok_or_else(|| summary_not_found(id))
    }

    async fn summaries(&self, filter: &SummaryFilter) -> PortResult<SummaryPage> {
        let owner = owner(filter.owner);
        let columns = (
            owner,
            filter.is_read,
            filter.language.clone(),
            filter.text.as_deref().map(like_pattern),
            filter.created_from.map(micros),
            filter.created_until.map(micros),
        );
        let count =
            self.rows(sql!("summaries/count"), columns.clone(), |row| row.integer("matching")).await?.pop();
        let (_, is_read, language, text, from, until) = columns;
        let (order, limit, offset) = (filter.oldest_first, filter.limit, filter.offset);
        let page = (owner, is_read, language, text, from, until, order, limit, offset);
        let items = self.rows(sql!("summaries/list"), page, row::link_run).await?;
        let unread = self.rows(sql!("summaries/count_unread"), (owner,), |row| row.integer("matching"));
        let unread = unread.await?.pop().unwrap_or_default();
        Ok(SummaryPage { items, total: count.unwrap_or_default(), unread })
    }

    async fn set_read(&self, id: SummaryId, is_read: bool) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                let values = params![id.0.as_bytes(), is_read];
                changed(id, execute(connection, sql!("summaries/set_read"), values)?)
            })
            .await
    }

    async fn delete_summary(&self, id: SummaryId, at: Timestamp) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                let values = params![id.0.as_bytes(), micros(at)];
                changed(id, execute(connection, sql!("summaries/delete"), values)?)
            })
            .await
    }
}

fn owner(owner: LinkOwner) -> Option<[u8; 16]> {
    match owner {
        LinkOwner::Any => None,
        LinkOwner::Key(id) => Some(id.into_bytes()),
    }
}

fn changed(id: SummaryId, rows: usize) -> PortResult<()> {
    if rows == 1 { Ok(()) } else { Err(summary_not_found(id)) }
}

/// Makes this request the one for its hash. Returns the earlier one if that stops it.
fn claim_hash(connection: &Connection, run: RunId, request: &LinkRequest) -> PortResult<Option<LinkRun>> {
    let key = request.key_id.unwrap_or_default().into_bytes();
    let values = params![key, request.dedupe_hash, run.0.as_bytes()];
    let current = first(connection, sql!("links/claim_hash"), values, |row| row.uuid("run_id"))?;
    let Some(current) = current.map(RunId).filter(|current| *current != run) else { return Ok(None) };
    let earlier = first(connection, sql!("links/find"), [current.0.as_bytes()], row::link_run)?;
    if let Some(earlier) = earlier {
        let is_deleted = earlier.summary.as_ref().is_some_and(|summary| summary.deleted_at.is_some());
        if stops_repetition(&earlier.run.state, is_deleted) {
            return Ok(Some(earlier));
        }
    }
    execute(connection, sql!("links/take_hash"), values)?;
    Ok(None)
}

fn insert(connection: &Connection, run: &Run, request: &LinkRequest) -> PortResult<()> {
    let columns = LinkColumns::of(request)?;
    let values = params![
        run.id.0.as_bytes(),
        micros(run.created_at),
        request.source.kind().as_str(),
        request.key_id.map(uuid::Uuid::into_bytes),
        columns.input_url,
        columns.normalized_url,
        columns.content_text,
        columns.forward_json,
        request.dedupe_hash,
        request.language.as_str(),
        request.retry_of.map(|id| id.0.into_bytes()),
    ];
    execute(connection, sql!("links/insert"), values).map(drop)
}

/// Stores the summary of a request, unless it has one already.
pub(crate) fn insert_summary(
    connection: &Connection,
    run: RunId,
    summary: &NewSummary,
    at: Timestamp,
) -> PortResult<()> {
    let columns = SummaryColumns::of(summary)?;
    let values = params![
        run.0.as_bytes(),
        summary.id.0.as_bytes(),
        summary.language,
        columns.json_payload,
        summary.made_by,
        columns.search_text,
        micros(at),
    ];
    execute(connection, sql!("summaries/insert"), values).map(drop)
}

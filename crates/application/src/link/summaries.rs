//! Show, mark and delete summaries.

use quire_domain::SummaryId;
use quire_ports::{LinkRun, PortError, SummaryFilter, SummaryPage};

use super::owner::{is_visible, owner};
use crate::{App, Error, Result};

/// The summaries that a filter lets through.
pub async fn summaries(app: &App, filter: SummaryFilter, actor: &str) -> Result<SummaryPage> {
    let filter = SummaryFilter { owner: owner(app, actor).await?, ..filter };
    Ok(app.store.links.summaries(&filter).await?)
}

/// The summary of that id with its request.
pub async fn show_summary(app: &App, id: SummaryId, actor: &str) -> Result<LinkRun> {
    let not_found = || Error::NotFound(format!("summary {id}"));
    let found = app.store.links.summary(id).await.map_err(|error| match error {
        PortError::NotFound(_) => not_found(),
        error => error.into(),
    })?;
    let is_there = found.summary.as_ref().is_some_and(|summary| summary.deleted_at.is_none());
    if is_there && is_visible(&found, owner(app, actor).await?) { Ok(found) } else { Err(not_found()) }
}

/// Marks a summary as read or unread.
pub async fn mark_summary(app: &App, id: SummaryId, is_read: bool, actor: &str) -> Result<LinkRun> {
    show_summary(app, id, actor).await?;
    app.store.links.set_read(id, is_read).await?;
    show_summary(app, id, actor).await
}

/// Deletes a summary. Its page can then be requested again.
pub async fn delete_summary(app: &App, id: SummaryId, actor: &str) -> Result<()> {
    show_summary(app, id, actor).await?;
    Ok(app.store.links.delete_summary(id, app.store.clock.now()).await?)
}

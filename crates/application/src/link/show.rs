//! Show requests.

use quire_domain::RunId;
use quire_ports::{LinkFilter, LinkRun, ModelCall};

use super::owner::{owner, visible};
use super::page::WebPageArtifact;
use crate::{App, Result};

/// A request with everything that is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkView {
    /// The request, and its summary unless that was deleted.
    pub link: LinkRun,
    /// What was read from its page.
    pub page: Option<WebPageArtifact>,
    /// The calls to language models.
    pub model_calls: Vec<ModelCall>,
}

/// The request of that id.
pub async fn show(app: &App, id: RunId, actor: &str) -> Result<LinkView> {
    let link = visible(app, id, actor).await?;
    Ok(LinkView {
        page: WebPageArtifact::of_run(app.store.run_reader.as_ref(), id).await?,
        model_calls: app.store.model_calls.of_run(id).await?,
        link: without_deleted(link),
    })
}

/// The requests that a filter lets through, newest first, and how many there are in all.
pub async fn list(app: &App, filter: LinkFilter, actor: &str) -> Result<(Vec<LinkRun>, u64)> {
    let filter = LinkFilter { owner: owner(app, actor).await?, ..filter };
    let (links, total) = app.store.links.requests(&filter).await?;
    Ok((links.into_iter().map(without_deleted).collect(), total))
}

fn without_deleted(link: LinkRun) -> LinkRun {
    LinkRun { summary: link.summary.filter(|summary| summary.deleted_at.is_none()), ..link }
}

//! Whose requests a client may see: its own. A client without a key is the operator, who sees all of them.

use quire_domain::RunId;
use quire_ports::{LinkOwner, LinkRun, PortError};

use crate::proposal::user_id;
use crate::{App, Error, Result};

/// The requests that this client may see.
pub(super) async fn owner(app: &App, actor: &str) -> Result<LinkOwner> {
    Ok(user_id(app, actor).await?.map_or(LinkOwner::Any, LinkOwner::Key))
}

/// The request of that id, if the client may see it. Another one's does not exist for it.
pub(super) async fn visible(app: &App, id: RunId, actor: &str) -> Result<LinkRun> {
    let found = app.store.links.request(id).await.map_err(|error| match error {
        PortError::NotFound(_) => not_found(id),
        error => error.into(),
    })?;
    if is_visible(&found, owner(app, actor).await?) { Ok(found) } else { Err(not_found(id)) }
}

pub(super) fn is_visible(link: &LinkRun, owner: LinkOwner) -> bool {
    match owner {
        LinkOwner::Any => true,
        LinkOwner::Key(id) => link.request.user_id == Some(id),
    }
}

fn not_found(id: RunId) -> Error {
    Error::NotFound(format!("request {id}"))
}

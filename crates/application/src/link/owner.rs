//! Whose requests a client may see: its own. A client without a key is the operator, who sees all of them. A name that is
//! neither a key's nor the operator's sees nothing.

use quire_domain::RunId;
use quire_ports::{LinkOwner, LinkRun, PortError};
use uuid::Uuid;

use crate::credential::is_operator;
use crate::proposal::key_id;
use crate::{App, Error, Result};

/// The id that no key has.
const NO_KEY: Uuid = Uuid::nil();

/// The requests that this client may see.
pub(super) async fn owner(app: &App, actor: &str) -> Result<LinkOwner> {
    Ok(owner_by(key_id(app, actor).await?, actor))
}

fn owner_by(key: Option<Uuid>, actor: &str) -> LinkOwner {
    match key {
        Some(key) => LinkOwner::Key(key),
        None if is_operator(actor) => LinkOwner::Any,
        None => LinkOwner::Key(NO_KEY),
    }
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
        LinkOwner::Key(id) => link.request.key_id == Some(id),
    }
}

fn not_found(id: RunId) -> Error {
    Error::NotFound(format!("request {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves that an unknown name sees nothing rather than everything.
    #[test]
    fn only_the_operator_sees_all_requests() {
        let key = Uuid::now_v7();
        assert_eq!(owner_by(Some(key), "alma"), LinkOwner::Key(key));
        assert_eq!(owner_by(Some(key), "local"), LinkOwner::Key(key), "a key of that name is a key");
        assert_eq!(owner_by(None, "local"), LinkOwner::Any);
        assert_eq!(owner_by(None, "auth-token"), LinkOwner::Any);
        for unknown in ["alma", "", "Local"] {
            assert_eq!(owner_by(None, unknown), LinkOwner::Key(NO_KEY), "{unknown:?}");
        }
    }
}

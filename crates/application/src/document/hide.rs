//! Hide a document, or show it again.

use quire_domain::{DocumentId, Hidden, HideChange};
use quire_ports::{HideRequest, PortResult, Store};

use crate::event_telemetry;
use crate::{App, Result};

/// Hides a document or shows it again. Lists, searches and exports that begin afterwards follow at once. Returns who has hidden it,
/// if it is hidden now. A change that was made already changes nothing.
pub async fn set_hidden(
    app: &App,
    document: DocumentId,
    change: HideChange,
    actor: &str,
    correlation_id: Option<&str>,
) -> Result<Option<Hidden>> {
    let hidden = set_hidden_in(&app.store, document, change, actor, correlation_id).await?;
    app.counts.clear();
    Ok(hidden)
}

/// The same in a store, for a command.
pub async fn set_hidden_in(
    store: &Store,
    document: DocumentId,
    change: HideChange,
    actor: &str,
    correlation_id: Option<&str>,
) -> PortResult<Option<Hidden>> {
    let request = HideRequest { document, change, actor: actor.to_owned(), at: store.clock.now() };
    let outcome = store.documents.set_hidden(&request).await?;
    if let Some(recorded) = &outcome.recorded {
        event_telemetry::log(recorded, correlation_id);
    }
    Ok(outcome.hidden)
}

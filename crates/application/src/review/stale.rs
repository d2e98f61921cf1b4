//! The report on a stale edit: how each edit of the batch relates to the active version.

use jiff::Timestamp;
use quire_domain::{DocumentId, Run, RunId};
use quire_ports::{InterpretationVersion, PortResult, Store};
use quire_understanding::Schema;
use quire_understanding::edit::conflict::{ConflictReport, EditStatus, find_conflicts};
use quire_understanding::edit::entered_text::parse_entered_texts;

use super::edit::{EditError, EditRequest};
use super::view::schema_of;

/// An edit that was refused because the edited version is no longer active.
#[derive(Clone, Debug, PartialEq)]
pub struct StaleEdit {
    /// The run whose active version the report is about.
    pub run: RunId,
    /// The number of that version.
    pub version: u32,
    /// Who last changed a field in conflict. Without a conflict, who made the active version. None if a run made it.
    pub changed_by: Option<String>,
    /// The time of that change.
    pub changed_at: Timestamp,
    /// The status of each edit.
    pub report: ConflictReport,
    /// The schema of that run.
    pub schema: Schema,
}

/// Compares each edit of a stale batch with an active version. That is the active version of the edited run, or of the
/// document's latest completed run if the edit is only valid there.
pub(super) async fn report(store: &Store, request: &EditRequest) -> Result<StaleEdit, EditError> {
    let (run, active) = target(store, request).await?;
    let base = store.reviews.version(request.run, Some(request.base.version)).await?;
    let schema = schema_of(store, &run).await?;
    let is_same_run = run.id == request.run;
    // A base version that never existed has no fields. Then every edit that is not in the active version is in conflict.
    let base = base.map(|base| base.data.fields).unwrap_or_default();
    let known = if base.is_empty() { &active.data.fields } else { &base };
    let edits = parse_entered_texts(&request.edits, known, &schema)?;
    let report = find_conflicts(&base, &active.data.fields, is_same_run, &schema, &edits);
    let (changed_by, changed_at) = match last_change(store, request, is_same_run, &report).await? {
        Some(change) => change,
        None => (active.created_by, active.created_at),
    };
    Ok(StaleEdit { run: run.id, version: active.number, changed_by, changed_at, report, schema })
}

async fn target(store: &Store, request: &EditRequest) -> Result<(Run, InterpretationVersion), EditError> {
    let own = store.reviews.edit_state(request.run).await?;
    if request.base.latest_run_only {
        let latest = store.reviews.review(DocumentId(own.run.subject.0)).await?;
        if let (Some(run), Some(active)) = (latest.latest_completed_run, latest.active) {
            return Ok((run, active));
        }
    }
    let active = own.active.ok_or(EditError::Missing)?;
    Ok((own.run, active))
}

/// Who last changed one of the fields in conflict, and when.
async fn last_change(
    store: &Store,
    request: &EditRequest,
    is_same_run: bool,
    report: &ConflictReport,
) -> PortResult<Option<(Option<String>, Timestamp)>> {
    let conflicts = report.edits.iter().filter(|edit| edit.status == EditStatus::Conflict);
    let fields: Vec<_> = conflicts.flat_map(|edit| &edit.fields).collect();
    if fields.is_empty() || !is_same_run {
        return Ok(None);
    }
    let newer = store.reviews.versions(request.run).await?.into_iter().rev();
    let mut newer = newer.take_while(|version| version.number > request.base.version);
    let changed =
        newer.find(|version| version.changes.iter().any(|change| fields.contains(&&change.field_id)));
    Ok(changed.map(|version| (version.created_by, version.created_at)))
}

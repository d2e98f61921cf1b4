//! The 409 response to a stale edit: the status of each change, and how to apply it to the active version.

use jiff::Timestamp;
use quire_application::review::StaleEdit;
use quire_domain::RunId;
use quire_understanding::edit::conflict::CheckedEdit;
use quire_understanding::{Schema, Titles};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::change_description::Change;
use super::parse_change;
use crate::error::{ConflictReason, ErrorResponse};
use crate::rest::openapi::names;
use crate::rest::value::FieldValue;

/// Why an edit was refused.
#[derive(ToSchema)]
#[schema(as = EditRefused)]
#[allow(dead_code)] // It only describes: the body is written like that of every other error.
pub(crate) struct EditRefused<'a> {
    #[serde(flatten)]
    error: ErrorResponse<'a>,
    details: StaleEditDetails,
}

/// What became of the changes. Members other than `reason` are present only for `STALE_INTERPRETATION_VERSION`, and not if
/// `base_version_number` and `If-Match` contradict each other.
#[derive(Serialize, ToSchema)]
pub(super) struct StaleEditDetails {
    #[schema(value_type = names::ConflictReason)]
    reason: &'static str,
    /// The run whose active version the changes were compared with. It is a newer one if `latest_run_only` was true.
    #[schema(value_type = Option<Uuid>)]
    run_id: RunId,
    /// The active version: the `base_version_number` for the retries.
    #[schema(required = false)]
    version_number: u32,
    /// Who last changed a field in conflict; without a conflict, who made the active version. Null if a run made it.
    changed_by: Option<String>,
    /// When.
    #[schema(value_type = Option<String>, format = DateTime)]
    changed_at: Timestamp,
    /// Every change of the request, in order.
    #[schema(required = false)]
    conflicts: Vec<EditConflict>,
    /// How many other fields differ between the version that was edited and the active one.
    #[schema(required = false)]
    other_changes: usize,
}

/// A requested change, compared with the active version.
#[derive(Serialize, ToSchema)]
struct EditConflict {
    /// Its place in the request, from 0.
    index: usize,
    #[schema(value_type = names::ConflictStatus)]
    status: &'static str,
    /// The key of the field. Null if the change is about a whole visit.
    key: Option<String>,
    /// The titles of the key by language, if the schema has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    title: Option<Titles>,
    /// The visit of the field.
    visit_id: Option<String>,
    /// The value in the version that was edited.
    was: FieldValue,
    /// The value in the active version.
    theirs: FieldValue,
    /// Whether the active version no longer has the field, or its visit.
    theirs_deleted: bool,
    /// The value that was requested. Null for a deletion.
    requested: FieldValue,
    /// The change that does it on top of the active version. Null if nothing is left to do.
    #[schema(value_type = Option<Change>)]
    retry: Option<Json>,
}

impl From<StaleEdit> for StaleEditDetails {
    fn from(stale: StaleEdit) -> Self {
        let StaleEdit { run, version, changed_by, changed_at, report, schema } = stale;
        Self {
            reason: ConflictReason::StaleInterpretationVersion.as_str(),
            run_id: run,
            version_number: version,
            changed_by,
            changed_at,
            conflicts: report.edits.into_iter().map(|edit| EditConflict::new(edit, &schema)).collect(),
            other_changes: report.other_changes,
        }
    }
}

impl EditConflict {
    fn new(edit: CheckedEdit, schema: &Schema) -> Self {
        let title = edit.key.as_deref().and_then(|key| schema.key(key)).map(|key| key.title.clone());
        Self {
            index: edit.index,
            status: edit.status.as_str(),
            title: title.filter(|titles| !titles.is_empty()),
            key: edit.key,
            visit_id: edit.visit_id,
            was: edit.was.into(),
            theirs: edit.theirs.into(),
            theirs_deleted: edit.theirs_deleted,
            requested: edit.requested.into(),
            retry: edit.retry.as_ref().map(parse_change::to_json),
        }
    }
}

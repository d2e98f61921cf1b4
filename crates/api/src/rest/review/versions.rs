//! `GET /runs/{id}/interpretations`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::review::{self, VersionHistoryEntry};
use quire_domain::{FieldId, InterpretationId, RunId};
use quire_understanding::edit::FieldChange;
use serde::Serialize;
use utoipa::ToSchema;

use super::made_by::MadeByResponse;
use crate::ApiError;
use crate::request::Id;
use crate::rest::openapi::{errors, names};
use crate::rest::value::FieldValue;

/// The versions of an interpretation, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = InterpretationVersions)]
pub(crate) struct VersionsResponse {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    versions: Vec<ListedVersionResponse>,
}

/// A version and its changes against the version before.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedVersion)]
struct ListedVersionResponse {
    #[schema(value_type = Uuid)]
    interpretation_id: InterpretationId,
    version_number: u32,
    is_active: bool,
    created_at: Timestamp,
    created_by: Option<String>,
    /// What made the interpretation. Null if a person made this version.
    made_by: Option<MadeByResponse>,
    changes: Vec<FieldChangeResponse>,
}

/// One change of a field.
#[derive(Serialize, ToSchema)]
#[schema(as = FieldChange)]
#[allow(clippy::struct_field_names)] // The contract calls it so.
struct FieldChangeResponse {
    #[schema(value_type = names::ChangeType)]
    change_type: &'static str,
    #[schema(value_type = Uuid)]
    field_id: FieldId,
    field_key: String,
    field_path: String,
    #[schema(value_type = names::ValueType)]
    value_type: &'static str,
    old_value: FieldValue,
    new_value: FieldValue,
}

/// Lists the versions of an interpretation with the changes of each.
#[utoipa::path(
    get,
    path = "/runs/{id}/interpretations",
    tag = "review",
    operation_id = "list_versions",
    params(("id" = Uuid, Path, description = "The run.")),
    responses((status = 200, description = "The versions, oldest first.", body = VersionsResponse), errors::NotFound),
)]
pub(crate) async fn versions(
    State(app): State<Arc<App>>,
    Id(id): Id,
) -> Result<Json<VersionsResponse>, ApiError> {
    let run_id = RunId(id);
    let versions = review::versions(&app, run_id).await?;
    Ok(Json(VersionsResponse { run_id, versions: versions.into_iter().map(listed_version).collect() }))
}

fn listed_version(version: VersionHistoryEntry) -> ListedVersionResponse {
    ListedVersionResponse {
        interpretation_id: version.id,
        version_number: version.number,
        is_active: version.is_active,
        created_at: version.created_at,
        created_by: version.created_by,
        made_by: version.made_by.map(MadeByResponse::from),
        changes: version.changes.into_iter().map(change).collect(),
    }
}

fn change(change: FieldChange) -> FieldChangeResponse {
    FieldChangeResponse {
        change_type: change.change_type.as_str(),
        field_id: change.field_id,
        field_key: change.field_key,
        field_path: change.field_path,
        value_type: change.value_type.as_str(),
        old_value: change.old_value.into(),
        new_value: change.new_value.into(),
    }
}

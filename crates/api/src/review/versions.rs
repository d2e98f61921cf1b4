//! `GET /runs/{id}/interpretations`

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::review;
use quire_domain::interpretation::Value;
use quire_domain::interpretation::edit::FieldChange;
use quire_domain::{FieldId, InterpretationId, RunId};
use quire_ports::VersionRecord;
use serde::Serialize;

use crate::request::Id;
use crate::{ApiError, Product};

#[derive(Serialize)]
pub(crate) struct Versions {
    run_id: RunId,
    versions: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    interpretation_id: InterpretationId,
    version_number: u32,
    is_active: bool,
    created_at: Timestamp,
    created_by: Option<String>,
    changes: Vec<Change>,
}

#[derive(Serialize)]
#[allow(clippy::struct_field_names)] // The contract calls it so.
struct Change {
    change_type: &'static str,
    field_id: FieldId,
    field_key: String,
    field_path: String,
    value_type: &'static str,
    old_value: Value,
    new_value: Value,
}

pub(crate) async fn versions(State(product): State<Product>, Id(id): Id) -> Result<Json<Versions>, ApiError> {
    let run_id = RunId(id);
    let versions = review::versions(&product.store, run_id).await?;
    Ok(Json(Versions { run_id, versions: versions.into_iter().map(listed).collect() }))
}

fn listed(version: VersionRecord) -> Listed {
    Listed {
        interpretation_id: version.id,
        version_number: version.number,
        is_active: version.is_active,
        created_at: version.created_at,
        created_by: version.created_by,
        changes: version.changes.into_iter().map(change).collect(),
    }
}

fn change(change: FieldChange) -> Change {
    Change {
        change_type: change.change_type.as_str(),
        field_id: change.field_id,
        field_key: change.field_key,
        field_path: change.field_path,
        value_type: change.value_type.as_str(),
        old_value: change.old_value,
        new_value: change.new_value,
    }
}

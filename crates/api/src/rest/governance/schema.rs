//! `GET /reviewer/schema/current`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::{App, governance};
use quire_domain::SchemaVersionId;
use serde::Serialize;
use utoipa::ToSchema;

use super::schema_definition::SchemaDefinition;
use crate::ApiError;

/// A version of a schema.
#[derive(Serialize, ToSchema)]
#[schema(as = SchemaVersion)]
pub(crate) struct SchemaVersionResponse {
    #[schema(value_type = Uuid)]
    schema_version_id: SchemaVersionId,
    schema_name: String,
    version_number: u32,
    created_at: Timestamp,
    created_by: String,
    change_summary: Option<String>,
    schema_definition: SchemaDefinition,
}

/// Shows the current version of the default schema.
#[utoipa::path(
    get,
    path = "/reviewer/schema/current",
    tag = "governance",
    operation_id = "show_schema",
    responses((status = 200, description = "The current schema version.", body = SchemaVersionResponse)),
)]
pub(crate) async fn current(State(app): State<Arc<App>>) -> Result<Json<SchemaVersionResponse>, ApiError> {
    let version = governance::current_schema(&app).await?;
    Ok(Json(SchemaVersionResponse {
        schema_version_id: version.id,
        schema_name: version.schema.name.clone(),
        version_number: version.number,
        created_at: version.created_at,
        created_by: version.created_by,
        change_summary: version.change_summary,
        schema_definition: version.schema.into(),
    }))
}

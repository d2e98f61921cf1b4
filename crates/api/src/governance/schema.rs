//! `GET /reviewer/schema/current`

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_domain::SchemaVersionId;
use quire_domain::interpretation::Schema;
use serde::Serialize;

use crate::{ApiError, Product};

#[derive(Serialize)]
pub(crate) struct Current {
    schema_version_id: SchemaVersionId,
    schema_name: String,
    version_number: u32,
    created_at: Timestamp,
    created_by: String,
    change_summary: Option<String>,
    schema_definition: Schema,
}

pub(crate) async fn current(State(product): State<Product>) -> Result<Json<Current>, ApiError> {
    let version = product.store.governance.current_schema(&product.schema).await?;
    Ok(Json(Current {
        schema_version_id: version.id,
        schema_name: version.schema.name.clone(),
        version_number: version.number,
        created_at: version.created_at,
        created_by: version.created_by,
        change_summary: version.change_summary,
        schema_definition: version.schema,
    }))
}

//! The `OpenAPI` 3.1 description of the REST API: for programs (`/openapi.json`) and for people (`/docs`).
//!
//! Each handler describes itself. A test builds the description from the handlers and compares it with the committed file,
//! `docs/openapi.json`, which is part of the program. So the program does not contain the code that builds it.

#[cfg(test)]
pub(crate) mod conformance;
#[cfg(test)]
mod description;
pub(crate) mod docs;
pub(crate) mod errors;
pub(crate) mod names;

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

/// The extension with the role that an operation needs.
pub(crate) const ROLE: &str = "x-role";
/// The tag of health, metrics, version and documentation.
pub(crate) const SERVICE: &str = "service";
/// The description, as it is served.
const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json"));
/// The parsed description.
pub(crate) static DOCUMENT: LazyLock<serde_json::Value> =
    // A test compares the file with the program, so it is JSON.
    LazyLock::new(|| serde_json::from_str(TEXT).unwrap_or_default());

/// The bytes of a file.
pub(crate) enum Binary {}

impl PartialSchema for Binary {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
    }
}

impl ToSchema for Binary {
    fn name() -> Cow<'static, str> {
        "Binary".into()
    }
}

/// Returns this description as `OpenAPI` 3.1.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "service",
    operation_id = "openapi",
    responses((status = 200, description = "This description.", body = Object, content_type = "application/json")),
)]
pub(crate) async fn show() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], TEXT)
}

#[cfg(test)]
mod tests;

//! The `OpenAPI` 3.1 description of the REST API, built from its handlers: for programs (`/openapi.json`) and for people (`/docs`).
//!
//! Each handler describes itself. This file lists the handlers, and [`every`] adds the parts that all operations share.

#[cfg(test)]
pub(crate) mod conformance;
pub(crate) mod docs;
pub(crate) mod errors;
pub(crate) mod every;
mod headers;
pub(crate) mod names;

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{OpenApi, PartialSchema, ToSchema};

use self::every::EveryOperation;
use crate::rest::{calibration, documents, events, governance, health, metrics, review, runs, version};
use crate::{error, error_pages};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Quire",
        description = "Upload documents, follow their processing, review and correct what was extracted.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "documents", description = "Uploading, listing and reading documents."),
        (name = "review", description = "Reviewing and correcting interpretations."),
        (name = "runs", description = "The processing runs of documents."),
        (name = "governance", description = "Changes of schemas."),
        (name = "events", description = "The stream of events."),
        (name = "service", description = "Health, metrics and documentation of the server."),
    ),
    paths(
        documents::list::list,
        documents::upload::add,
        documents::upload::create,
        documents::export::export,
        documents::detail::detail,
        documents::download::download,
        documents::reprocess::reprocess,
        documents::language::set_language,
        documents::history::history,
        documents::jobs::jobs,
        documents::pages::pages,
        documents::pages::page,
        documents::pages::page_image,
        review::show::show,
        review::compare::compare,
        review::mark::mark,
        review::mark::reopen,
        review::versions::versions,
        review::edit::edit,
        calibration::show,
        events::follow,
        runs::show::show,
        runs::raw_text::raw_text,
        runs::withdraw::withdraw,
        runs::retry::retry,
        governance::structural_changes::structural_changes,
        governance::decision::decide,
        governance::schema::current,
        governance::audit_trail::audit_trail,
        health::live,
        health::health,
        health::ready,
        metrics::scrape,
        version::version,
        error_pages::list,
        error_pages::style,
        error_pages::show,
        show,
        docs::show,
        docs::style,
    ),
    components(schemas(
        // Schemas that no response refers to: lines of exports, and names in parameters and texts.
        documents::export::ExportedDocumentResponse<'static>,
        error::ErrorResponse<'static>,
        events::EventResponse<'static>,
        names::ConflictReason,
        review::conflict::EditRefused<'static>,
        names::ExportFormat,
        names::Priority,
        names::Sort,
        names::StepErrorCode,
        names::View,
    )),
    modifiers(&EveryOperation),
)]
enum ApiDescription {}

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

/// The description, which never changes while the process runs.
pub(crate) static DOCUMENT: LazyLock<serde_json::Value> = LazyLock::new(document);
static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", *DOCUMENT));

fn document() -> serde_json::Value {
    // The description can always be written as JSON.
    serde_json::to_value(ApiDescription::openapi()).unwrap_or_default()
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
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str())
}

#[cfg(test)]
mod tests;

//! What can be asked over HTTP, described as `OpenAPI` 3.1 from the handlers themselves, for programs (`/openapi.json`)
//! and for people (`/docs`).
//!
//! Each handler says what it takes and gives; this page lists them, and [`every`] adds what all of them can answer.

pub(crate) mod docs;
pub(crate) mod errors;
mod every;
mod headers;
mod known;
pub(crate) mod names;
pub(crate) mod shapes;

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{OpenApi, PartialSchema, ToSchema};

use self::every::EveryOperation;
pub(crate) use self::known::known_parameters;
use crate::{
    calibration, documents, error, error_pages, events, governance, health, metrics, review, runs, version,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Quire",
        description = "Documents in, what they say out: upload, follow, review and correct.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "documents", description = "Taking documents in and looking at them."),
        (name = "review", description = "What was understood, and correcting it."),
        (name = "runs", description = "Each time that a document is processed."),
        (name = "governance", description = "How the schema changes."),
        (name = "events", description = "What happens, as it happens."),
        (name = "service", description = "The program itself."),
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
        review::reviewed::mark,
        review::reviewed::reopen,
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
        // Those that no answer brings along: written line by line, or named in parameters and texts alone.
        documents::export::Line<'static>,
        error::Body<'static>,
        events::Told<'static>,
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
enum Described {}

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

/// The description as it is sent. It is the same each time.
static DOCUMENT: LazyLock<serde_json::Value> = LazyLock::new(document);
static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", *DOCUMENT));

fn document() -> serde_json::Value {
    // Names and texts of ours: there is nothing in it that could not be written as JSON.
    serde_json::to_value(Described::openapi()).unwrap_or_default()
}

/// Describes this interface, as `OpenAPI` 3.1.
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

//! Builds the description from the handlers. This file lists the handlers, and [`every`] adds the parts that all operations
//! share.

pub(super) mod every;
mod headers;

use utoipa::OpenApi;

use self::every::EveryOperation;
use super::{docs, names};
use crate::rest::{
    calibration, documents, events, governance, health, lanes, links, metrics, model_usage, openapi,
    proposals, review, runs, search, version,
};
use crate::{error, error_pages};

/// The text of the description, as the committed file must have it.
pub(super) fn build() -> String {
    let description = serde_json::to_value(ApiDescription::openapi()).unwrap();
    format!("{description:#}\n")
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Quire",
        description = "Upload documents, follow their processing, review and correct what was extracted.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "documents", description = "Uploading, listing and reading documents."),
        (name = "search", description = "Finding documents by their words and values."),
        (name = "review", description = "Reviewing and correcting interpretations."),
        (name = "runs", description = "The runs of all pipelines, and the lanes in which they wait."),
        (name = "proposals", description = "Ideas that a model expands and five personas review."),
        (name = "links", description = "Pages and forwarded texts that are summarised."),
        (name = "governance", description = "Changes of schemas."),
        (name = "events", description = "The stream of events."),
        (name = "service", description = "Health, metrics and documentation of the server."),
    ),
    paths(
        documents::list::list,
        documents::upload::upload_with_details,
        documents::upload::upload,
        documents::export::export,
        documents::detail::detail,
        documents::download::download,
        documents::reprocess::reprocess,
        documents::language::set_language,
        documents::hide::hide,
        documents::hide::unhide,
        documents::history::history,
        documents::jobs::jobs,
        documents::pages::pages,
        documents::pages::page,
        documents::pages::page_image,
        search::find::find,
        search::ask::ask,
        search::hits::hits,
        search::similar::similar,
        review::show::show,
        review::compare::compare,
        review::mark::mark,
        review::mark::reopen,
        review::versions::versions,
        review::edit::edit,
        calibration::show,
        model_usage::show,
        events::follow,
        runs::show::show,
        runs::raw_text::raw_text,
        runs::withdraw::withdraw,
        lanes::list,
        lanes::pause,
        lanes::resume,
        runs::cancel::cancel,
        runs::retry::retry,
        proposals::create::full_review,
        proposals::draft::expand_idea,
        proposals::draft::review_idea,
        proposals::list::list,
        proposals::show::show,
        proposals::diff::diff,
        proposals::retry::retry,
        proposals::revise::revise,
        links::create::create,
        links::show::show,
        links::status::status,
        links::retry::retry,
        links::summaries::list,
        links::summary::show,
        links::summary::mark,
        links::summary::delete,
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
        openapi::show,
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
        names::ExportRows,
        names::Priority,
        names::SearchOrder,
        names::HiddenFilter,
        names::Sort,
        names::StepErrorCode,
        names::SummaryOrder,
        names::View,
    )),
    modifiers(&EveryOperation),
)]
enum ApiDescription {}

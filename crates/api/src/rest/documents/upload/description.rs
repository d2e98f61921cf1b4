//! What both upload routes have in common in the `OpenAPI` description.

#![allow(dead_code)] // Only the description reads it.

use std::collections::BTreeMap;

use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::{ReceiptResponse, ReceiptsResponse};
use crate::rest::documents::detail::DocumentResponse;
use crate::rest::openapi::{Binary, errors, names};

/// The query of an upload.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct UploadQuery {
    /// The priority of the first run (default: normal).
    #[param(value_type = names::Priority, required = false)]
    priority: Option<String>,
    /// The schema that interprets the documents; `auto` chooses the one that fits best (default: the configured one).
    #[param(value_type = String, required = false, max_length = 64)]
    schema: Option<String>,
    /// Who reads the documents (default: as their schema or the settings say).
    #[param(value_type = names::Extractor, required = false)]
    extractor: Option<String>,
}

/// The headers of an upload.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(super) struct UploadHeaders {
    /// Identifies a retry of this request.
    #[param(rename = "Idempotency-Key", value_type = String, required = false, pattern = "^[!-~]{1,255}$")]
    idempotency_key: Option<String>,
}

/// A form with documents.
#[derive(ToSchema)]
pub(super) struct UploadForm {
    /// The document; several documents are several fields of this name.
    #[schema(min_items = 1, max_items = 100)]
    file: Vec<Binary>,
    /// The same as the parameter; before the second file.
    #[schema(max_length = 64)]
    schema: Option<String>,
    /// The same as the parameter; before the second file.
    #[schema(value_type = Option<names::Priority>)]
    priority: Option<String>,
    /// The same as the parameter; before the second file.
    #[schema(value_type = Option<names::Extractor>)]
    extractor: Option<String>,
}

/// The response to one file, or to several.
#[derive(ToSchema)]
#[serde(untagged)]
#[schema(as = UploadResponse)]
pub(super) enum UploadResponse {
    One(ReceiptResponse),
    Several(ReceiptsResponse),
}

/// The response to one file, or to several.
#[derive(ToSchema)]
#[serde(untagged)]
#[schema(as = UploadDetailsResponse)]
pub(super) enum UploadDetailsResponse {
    One(Box<DocumentResponse>),
    Several(ReceiptsResponse),
}

/// The errors of an upload.
pub(super) enum UploadRefusals {}

impl IntoResponses for UploadRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        [
            errors::UnknownSchema::responses(),
            errors::KeyReused::responses(),
            errors::FileTooLarge::responses(),
            errors::Unsupported::responses(),
            errors::TooMany::responses(),
            errors::StorageFull::responses(),
            errors::NoExtractor::responses(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

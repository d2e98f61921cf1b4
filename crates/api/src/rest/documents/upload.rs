//! Taking documents in: one file in a form, or several.

mod form;
mod form_overhead;
mod idempotency_key;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::DocumentView;
use quire_application::document::upload::{UploadBatch, UploadError, UploadRequest};
use quire_domain::DocumentId;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use self::form::{FIELD, Outcome, take_all};
use super::detail::Detail;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::Parameters;
use crate::rest::openapi::{Binary, errors, names};
use crate::{ApiError, Code, Reason};

/// A document that was taken in.
#[derive(Serialize, ToSchema)]
struct Receipt {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    #[schema(value_type = names::DocumentStatus)]
    status: &'static str,
    created_at: Timestamp,
}

/// What became of each of several files, in their order.
#[derive(Serialize, ToSchema)]
struct Receipts {
    files: Vec<FileReceipt>,
}

/// The outcome of one of several files.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum FileReceipt {
    Taken(TakenFile),
    Refused(RefusedFile),
}

/// A file that was stored.
#[derive(Serialize, ToSchema)]
struct TakenFile {
    original_filename: String,
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    #[schema(value_type = names::DocumentStatus)]
    status: &'static str,
    created_at: Timestamp,
}

/// A file that was refused.
#[derive(Serialize, ToSchema)]
struct RefusedFile {
    original_filename: String,
    #[schema(value_type = names::ErrorCode)]
    error_code: &'static str,
    message: String,
    #[schema(value_type = Option<Object>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

/// A form with documents.
#[derive(ToSchema)]
#[allow(dead_code)] // Only the description reads it.
struct UploadForm {
    /// The document; several documents are several fields of this name.
    #[schema(min_items = 1, max_items = 100)]
    file: Vec<Binary>,
}

/// What is answered to one file, or to several.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Only the description reads it.
enum Uploaded {
    One(Receipt),
    Several(Receipts),
}

/// What is answered to one file, or to several.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Only the description reads it.
enum Added {
    One(Box<Detail>),
    Several(Receipts),
}

/// Takes documents in.
///
/// One file, or several fields `file`, each of which is taken or refused on its own. The answer does not wait for
/// anything to become of them.
#[utoipa::path(
    post,
    path = "/documents/upload",
    tag = "documents",
    operation_id = "upload_document",
    params(
        ("priority" = Option<names::Priority>, Query, description = "How urgent it is; normal unless said."),
        ("schema" = Option<String>, Query, description = "The schema by which it is understood; the configured one unless said.",
            max_length = 64),
        ("Idempotency-Key" = Option<String>, Header, description = "By what a repetition of this request is known.",
            pattern = "^[!-~]{1,255}$"),
    ),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "All files were taken.", body = Uploaded,
            headers(("Location" = String, description = "The document, if there was one file."))),
        (status = 207, description = "Not all of several files were taken.", body = Receipts),
        errors::UnknownSchema,
        errors::KeyReused,
        errors::FileTooLarge,
        errors::Unsupported,
        errors::TooMany,
    ),
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Extension(RequestId(id)): Extension<RequestId>,
    Caller(actor): Caller,
    parameters: Parameters,
    request: Request,
) -> Result<Response, ApiError> {
    let key = idempotency_key::of(request.headers())?;
    let batch = UploadBatch::begin(&app, upload_request(actor, id, &parameters, key)?).await?;
    let outcomes = take_all(&batch, request).await?;
    answer(StatusCode::CREATED, outcomes, |taken| Json(receipt(&taken)).into_response())
}

/// Takes documents in and answers with all that is known of them.
///
/// The same as `POST /documents/upload`, answered as another generation of clients expects it.
#[utoipa::path(
    post,
    path = "/documents",
    tag = "documents",
    operation_id = "add_document",
    params(
        ("priority" = Option<names::Priority>, Query, description = "How urgent it is; normal unless said."),
        ("schema" = Option<String>, Query, description = "The schema by which it is understood; the configured one unless said.",
            max_length = 64),
        ("Idempotency-Key" = Option<String>, Header, description = "By what a repetition of this request is known.",
            pattern = "^[!-~]{1,255}$"),
    ),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "All files were taken.", body = Added,
            headers(("Location" = String, description = "The document, if there was one file."))),
        (status = 207, description = "Not all of several files were taken.", body = Receipts),
        errors::UnknownSchema,
        errors::KeyReused,
        errors::FileTooLarge,
        errors::Unsupported,
        errors::TooMany,
    ),
)]
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    Extension(RequestId(id)): Extension<RequestId>,
    Caller(actor): Caller,
    parameters: Parameters,
    request: Request,
) -> Result<Response, ApiError> {
    let key = idempotency_key::of(request.headers())?;
    let batch = UploadBatch::begin(&app, upload_request(actor, id, &parameters, key)?).await?;
    let outcomes = take_all(&batch, request).await?;
    answer(StatusCode::OK, outcomes, |taken| Json(Detail::of(taken)).into_response())
}

/// What the client asks for all files of the request.
fn upload_request(
    actor: String,
    correlation_id: String,
    parameters: &Parameters,
    key: Option<String>,
) -> Result<UploadRequest, ApiError> {
    let priority = parameters.priority()?;
    let schema = parameters.text("schema").map(str::to_owned);
    Ok(UploadRequest { actor, priority, correlation_id, key, schema })
}

/// A single file is answered by what became of it; several are answered each in its place, and `status` is that of all
/// of them only if all were taken.
fn answer(
    status: StatusCode,
    mut outcomes: Vec<Outcome>,
    one: impl FnOnce(DocumentView) -> Response,
) -> Result<Response, ApiError> {
    if outcomes.len() > 1 {
        let all = outcomes.iter().all(|outcome| outcome.taken.is_ok());
        let files = outcomes.into_iter().map(file_receipt).collect();
        let status = if all { status } else { StatusCode::MULTI_STATUS };
        return Ok((status, Json(Receipts { files })).into_response());
    }
    let outcome = outcomes.pop().ok_or_else(|| ApiError::internal("a form without an outcome"))?;
    let taken = outcome.taken?;
    let location = format!("/documents/{}", taken.overview.document.id);
    Ok((status, [(header::LOCATION, location)], one(taken)).into_response())
}

impl From<UploadError> for ApiError {
    fn from(error: UploadError) -> Self {
        let message = error.to_string();
        match error {
            UploadError::TooLarge { largest } => {
                Self::new(Code::FileTooLarge, message).with(json!({ "max_bytes": largest }))
            }
            UploadError::Empty => {
                Self::new(Code::InvalidRequest, message).with(json!({ "parameter": FIELD }))
            }
            UploadError::Unsupported { kinds } => {
                let types: Vec<_> = kinds.iter().map(|kind| kind.media_type()).collect();
                Self::new(Code::UnsupportedMediaType, message).with(json!({ "supported": types }))
            }
            UploadError::UnknownSchema { known, .. } => {
                Self::new(Code::UnknownSchema, message).with(json!({ "parameter": "schema", "known": known }))
            }
            UploadError::KeyReused => Self::conflict(Reason::IdempotencyKeyReused, message),
            UploadError::Store(error) => error.into(),
        }
    }
}

fn receipt(taken: &DocumentView) -> Receipt {
    let document = &taken.overview.document;
    let status = taken.standing.status.as_str();
    Receipt { document_id: document.id, status, created_at: document.created_at }
}

fn file_receipt(outcome: Outcome) -> FileReceipt {
    match outcome.taken {
        Ok(taken) => {
            let Receipt { document_id, status, created_at } = receipt(&taken);
            let original_filename = taken.overview.document.original_filename;
            FileReceipt::Taken(TakenFile { original_filename, document_id, status, created_at })
        }
        Err(error) => FileReceipt::Refused(RefusedFile {
            original_filename: outcome.name,
            error_code: error.code.as_str(),
            message: error.message,
            details: error.details,
        }),
    }
}

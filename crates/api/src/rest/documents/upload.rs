//! `POST /documents` and `POST /documents/upload`: one file or several files of a form.

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

use self::form::{FILE_FIELD, FileOutcome, receive_files};
use super::detail::DocumentResponse;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::Parameters;
use crate::rest::openapi::{Binary, errors, names};
use crate::{ApiError, Code, Reason};

/// A stored document.
#[derive(Serialize, ToSchema)]
#[schema(as = Receipt)]
struct ReceiptResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    #[schema(value_type = names::DocumentStatus)]
    status: &'static str,
    created_at: Timestamp,
}

/// The outcome of each of several files, in their order.
#[derive(Serialize, ToSchema)]
#[schema(as = Receipts)]
struct ReceiptsResponse {
    files: Vec<FileReceiptResponse>,
}

/// The outcome of one of several files.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = FileReceipt)]
enum FileReceiptResponse {
    Taken(TakenFileResponse),
    Refused(RefusedFileResponse),
}

/// A file that was stored.
#[derive(Serialize, ToSchema)]
#[schema(as = TakenFile)]
struct TakenFileResponse {
    original_filename: String,
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    #[schema(value_type = names::DocumentStatus)]
    status: &'static str,
    created_at: Timestamp,
}

/// A file that was refused.
#[derive(Serialize, ToSchema)]
#[schema(as = RefusedFile)]
struct RefusedFileResponse {
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

/// The response to one file, or to several.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Only the description reads it.
#[schema(as = Uploaded)]
enum UploadResponse {
    One(ReceiptResponse),
    Several(ReceiptsResponse),
}

/// The response to one file, or to several.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Only the description reads it.
#[schema(as = Added)]
enum AddResponse {
    One(Box<DocumentResponse>),
    Several(ReceiptsResponse),
}

/// Uploads documents.
///
/// One file, or several fields `file`; each is accepted or refused on its own. The response does not wait for processing.
#[utoipa::path(
    post,
    path = "/documents/upload",
    tag = "documents",
    operation_id = "upload_document",
    params(
        ("priority" = Option<names::Priority>, Query, description = "The priority of the first run (default: normal)."),
        ("schema" = Option<String>, Query, description = "The schema that interprets the documents (default: the configured one).",
            max_length = 64),
        ("Idempotency-Key" = Option<String>, Header, description = "Identifies a retry of this request.",
            pattern = "^[!-~]{1,255}$"),
    ),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "All files were accepted.", body = UploadResponse,
            headers(("Location" = String, description = "The URL of the document, if there was one file."))),
        (status = 207, description = "Some of several files were refused.", body = ReceiptsResponse),
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
    let outcomes = receive_files(&batch, request).await?;
    response(StatusCode::CREATED, outcomes, |taken| Json(receipt(&taken)).into_response())
}

/// Uploads documents and returns their details.
///
/// The same as `POST /documents/upload` with another response.
#[utoipa::path(
    post,
    path = "/documents",
    tag = "documents",
    operation_id = "add_document",
    params(
        ("priority" = Option<names::Priority>, Query, description = "The priority of the first run (default: normal)."),
        ("schema" = Option<String>, Query, description = "The schema that interprets the documents (default: the configured one).",
            max_length = 64),
        ("Idempotency-Key" = Option<String>, Header, description = "Identifies a retry of this request.",
            pattern = "^[!-~]{1,255}$"),
    ),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "All files were accepted.", body = AddResponse,
            headers(("Location" = String, description = "The URL of the document, if there was one file."))),
        (status = 207, description = "Some of several files were refused.", body = ReceiptsResponse),
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
    let outcomes = receive_files(&batch, request).await?;
    response(StatusCode::OK, outcomes, |taken| Json(DocumentResponse::of(taken)).into_response())
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

/// The response to one file is its document or its error. The response to several lists each outcome; `status` is the status
/// if all files were accepted.
fn response(
    status: StatusCode,
    mut outcomes: Vec<FileOutcome>,
    one: impl FnOnce(DocumentView) -> Response,
) -> Result<Response, ApiError> {
    if outcomes.len() > 1 {
        let all = outcomes.iter().all(|outcome| outcome.taken.is_ok());
        let files = outcomes.into_iter().map(file_receipt).collect();
        let status = if all { status } else { StatusCode::MULTI_STATUS };
        return Ok((status, Json(ReceiptsResponse { files })).into_response());
    }
    let outcome = outcomes.pop().ok_or_else(|| ApiError::internal("an upload form has no outcome"))?;
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
                Self::new(Code::InvalidRequest, message).with(json!({ "parameter": FILE_FIELD }))
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

fn receipt(taken: &DocumentView) -> ReceiptResponse {
    let document = &taken.overview.document;
    let status = taken.standing.status.as_str();
    ReceiptResponse { document_id: document.id, status, created_at: document.created_at }
}

fn file_receipt(outcome: FileOutcome) -> FileReceiptResponse {
    match outcome.taken {
        Ok(taken) => {
            let ReceiptResponse { document_id, status, created_at } = receipt(&taken);
            let original_filename = taken.overview.document.original_filename;
            FileReceiptResponse::Taken(TakenFileResponse {
                original_filename,
                document_id,
                status,
                created_at,
            })
        }
        Err(error) => FileReceiptResponse::Refused(RefusedFileResponse {
            original_filename: outcome.name,
            error_code: error.code.as_str(),
            message: error.message,
            details: error.details,
        }),
    }
}

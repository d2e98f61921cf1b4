//! `POST /documents` and `POST /documents/upload`: one file or several files of a form.

mod description;
mod form;
mod form_overhead;
mod idempotency_key;

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::DocumentView;
use quire_application::document::upload::{UploadBatch, UploadError, UploadRequest};
use quire_domain::DocumentId;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use self::description::{
    UploadDetailsResponse, UploadForm, UploadHeaders, UploadQuery, UploadRefusals, UploadResponse,
};
use self::form::{FILE_FIELD, FileOutcome, receive_files};
use super::detail::DocumentResponse;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::Parameters;
use crate::rest::openapi::names;
use crate::{ApiError, Code, ConflictReason};

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
    Stored(StoredFileResponse),
    Refused(RefusedFileResponse),
}

/// A file that was stored.
#[derive(Serialize, ToSchema)]
#[schema(as = StoredFile)]
struct StoredFileResponse {
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

/// Uploads documents.
///
/// One file, or several fields `file`; each is accepted or refused on its own. The response does not wait for processing.
#[utoipa::path(
    post,
    path = "/documents/upload",
    tag = "documents",
    operation_id = "upload_document",
    params(UploadQuery, UploadHeaders),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "All files were accepted.", body = UploadResponse,
            headers(("Location" = String, description = "The URL of the document, if there was one file."))),
        (status = 207, description = "Some of several files were refused.", body = ReceiptsResponse),
        UploadRefusals,
    ),
)]
pub(crate) async fn upload(upload: IncomingUpload) -> Result<Response, ApiError> {
    upload.store(StatusCode::CREATED, |document| Json(receipt(&document)).into_response()).await
}

/// Uploads documents and returns their details.
///
/// The same as `POST /documents/upload` with another response.
#[utoipa::path(
    post,
    path = "/documents",
    tag = "documents",
    operation_id = "add_document",
    params(UploadQuery, UploadHeaders),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "All files were accepted.", body = UploadDetailsResponse,
            headers(("Location" = String, description = "The URL of the document, if there was one file."))),
        (status = 207, description = "Some of several files were refused.", body = ReceiptsResponse),
        UploadRefusals,
    ),
)]
pub(crate) async fn upload_with_details(upload: IncomingUpload) -> Result<Response, ApiError> {
    upload.store(StatusCode::OK, |document| Json(DocumentResponse::of(document)).into_response()).await
}

/// An upload whose form is not read yet.
pub(crate) struct IncomingUpload {
    app: Arc<App>,
    upload: UploadRequest,
    request: Request,
}

impl<S: Send + Sync> FromRequest<S> for IncomingUpload
where
    Arc<App>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let parameters = Parameters::parse(request.uri().query().unwrap_or_default());
        let key = idempotency_key::from_headers(request.headers())?;
        let correlation_id = request.extensions().get::<RequestId>().map(|RequestId(id)| id.clone());
        let upload = UploadRequest {
            actor: Caller::of(request.extensions()).0,
            priority: parameters.priority()?,
            correlation_id: correlation_id.unwrap_or_default(),
            key,
            schema: parameters.non_empty("schema").map(str::to_owned),
            extractor: parameters.extractor()?,
        };
        Ok(Self { app: Arc::from_ref(state), upload, request })
    }
}

impl IncomingUpload {
    /// Stores the files of the form. The response to one file is its document, as `one` writes it, or its error. The response
    /// to several lists each outcome; `status` is the status if all files were accepted.
    async fn store(
        self,
        status: StatusCode,
        one: impl FnOnce(DocumentView) -> Response,
    ) -> Result<Response, ApiError> {
        let mut batch = UploadBatch::begin(&self.app, self.upload).await?;
        let mut outcomes = receive_files(&mut batch, self.request).await?;
        if outcomes.len() > 1 {
            let all = outcomes.iter().all(|outcome| outcome.result.is_ok());
            let files = outcomes.into_iter().map(file_receipt).collect();
            let status = if all { status } else { StatusCode::MULTI_STATUS };
            return Ok((status, Json(ReceiptsResponse { files })).into_response());
        }
        let outcome = outcomes.pop().ok_or_else(|| ApiError::internal("an upload form has no outcome"))?;
        let document = outcome.result?;
        let location = format!("/documents/{}", document.overview.document.id);
        Ok((status, [(header::LOCATION, location)], one(document)).into_response())
    }
}

impl From<UploadError> for ApiError {
    fn from(error: UploadError) -> Self {
        let message = error.to_string();
        match error {
            UploadError::TooLarge { max_bytes } => {
                Self::new(Code::FileTooLarge, message).with(json!({ "max_bytes": max_bytes }))
            }
            UploadError::Empty => {
                Self::new(Code::InvalidRequest, message).with(json!({ "parameter": FILE_FIELD }))
            }
            UploadError::Unsupported { kinds } => {
                let types: Vec<_> = kinds.iter().map(|kind| kind.media_type()).collect();
                Self::new(Code::UnsupportedMediaType, message).with(json!({ "supported": types }))
            }
            UploadError::UnknownSchema(error) => error.into(),
            UploadError::NotConfigured(error) => error.into(),
            UploadError::BelowReserve { .. } | UploadError::DiskFull => Self::new(Code::StorageFull, message),
            UploadError::KeyReused => Self::conflict(ConflictReason::IdempotencyKeyReused, message),
            UploadError::Other(error) => error.into(),
        }
    }
}

fn receipt(view: &DocumentView) -> ReceiptResponse {
    let document = &view.overview.document;
    let status = view.processing.status.as_str();
    ReceiptResponse { document_id: document.id, status, created_at: document.created_at }
}

fn file_receipt(outcome: FileOutcome) -> FileReceiptResponse {
    match outcome.result {
        Ok(view) => {
            let ReceiptResponse { document_id, status, created_at } = receipt(&view);
            let original_filename = view.overview.document.original_filename;
            FileReceiptResponse::Stored(StoredFileResponse {
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

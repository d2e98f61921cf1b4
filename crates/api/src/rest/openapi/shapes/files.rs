//! Files as they come, and what became of them.

use jiff::Timestamp;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::rest::openapi::{Binary, names};

/// A form with documents.
#[derive(ToSchema)]
pub(crate) struct UploadForm {
    /// The document; several documents are several fields of this name.
    #[schema(min_items = 1, max_items = 100)]
    file: Vec<Binary>,
}

/// What became of one of several files.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum FileReceipt {
    Taken(TakenFile),
    Refused(RefusedFile),
}

/// A file that was taken in.
#[derive(ToSchema)]
pub(crate) struct TakenFile {
    original_filename: String,
    document_id: Uuid,
    status: names::DocumentStatus,
    created_at: Timestamp,
}

/// A file that was not.
#[derive(ToSchema)]
pub(crate) struct RefusedFile {
    original_filename: String,
    error_code: names::ErrorCode,
    message: String,
    #[schema(value_type = Option<Object>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<()>,
}

/// An attempt of a run that failed.
#[derive(ToSchema)]
pub(crate) struct JobError {
    at: Option<String>,
    attempt: u32,
    stage: Option<String>,
    error_code: Option<String>,
    message: Option<String>,
}

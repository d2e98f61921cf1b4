//! Taking documents in: one file in a form, passed on piece by piece as it arrives.

mod outside;

use std::fmt::Write as _;

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::document::DocumentView;
use quire_application::document::upload::{FirstRun, Upload, UploadError};
use quire_domain::DocumentId;
use serde::Serialize;
use serde_json::json;

use self::outside::Outside;
use super::detail::Detail;
use crate::request::Parameters;
use crate::request_id::RequestId;
use crate::{ApiError, Code, Product};

/// Bytes that a form may have around its file: boundaries, names and small fields that are passed over.
const AROUND_THE_FILE: u64 = 16 << 10;
/// The field with the file.
const FIELD: &str = "file";

#[derive(Serialize)]
struct Receipt {
    document_id: DocumentId,
    status: &'static str,
    created_at: Timestamp,
}

/// All that is known of a document that has just come.
#[derive(Serialize)]
struct Metadata {
    #[serde(flatten)]
    detail: Detail,
    content_hash: String,
}

/// `POST /documents/upload`
pub(crate) async fn create(
    State(product): State<Product>,
    Extension(RequestId(id)): Extension<RequestId>,
    parameters: Parameters,
    request: Request,
) -> Result<Response, ApiError> {
    let taken = take(&product, &parameters, id, request).await?;
    Ok(answer(StatusCode::CREATED, taken.overview.document.id, receipt(&taken)))
}

/// `POST /documents`: the same, answered as another generation of clients expects it.
pub(crate) async fn add(
    State(product): State<Product>,
    Extension(RequestId(id)): Extension<RequestId>,
    parameters: Parameters,
    request: Request,
) -> Result<Response, ApiError> {
    let taken = take(&product, &parameters, id, request).await?;
    Ok(answer(StatusCode::OK, taken.overview.document.id, metadata(taken)))
}

/// Takes the file of a form in. It does not wait for anything to become of it.
async fn take(
    product: &Product,
    parameters: &Parameters,
    correlation_id: String,
    mut request: Request,
) -> Result<DocumentView, ApiError> {
    let priority = parameters.priority()?;
    let largest = product.uploads.largest;
    refuse_by_length(request.headers(), largest)?;
    // Also for a form that does not say how long it is, and for fields that are passed over.
    let most = usize::try_from(largest + AROUND_THE_FILE).unwrap_or(usize::MAX);
    DefaultBodyLimit::max(most).apply(&mut request);
    let (request, outside) = Outside::watch(request);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| {
        ApiError::invalid("body", "must be multipart/form-data with the document in the field `file`")
    })?;
    let (upload, name) = match receive(product, &mut form, &outside).await {
        Err(Stopped::Upload(error @ UploadError::Unsupported { .. })) => {
            // A client that is still sending would lose the answer with the connection; the rest is not much.
            while let Ok(Some(_)) = form.next_field().await {}
            return Err(error.into());
        }
        Err(Stopped::Upload(error)) => return Err(error.into()),
        Err(Stopped::Form(error)) => return Err(broken(&error, largest)),
        Ok(None) => return Err(ApiError::invalid(FIELD, "is missing; send the document in this field")),
        Ok(Some(received)) => received,
    };
    only_one(&mut form, largest).await?;
    let first = product.processing.then_some(FirstRun { priority, correlation_id: Some(correlation_id) });
    Ok(upload.finish(&name, first).await?)
}

/// Why a form was not read to its end.
enum Stopped {
    Upload(UploadError),
    Form(MultipartError),
}

impl From<UploadError> for Stopped {
    fn from(error: UploadError) -> Self {
        Self::Upload(error)
    }
}

impl From<MultipartError> for Stopped {
    fn from(error: MultipartError) -> Self {
        Self::Form(error)
    }
}

/// The file of the form, if there is one, and its name.
async fn receive(
    product: &Product,
    form: &mut Multipart,
    outside: &Outside,
) -> Result<Option<(Upload, String)>, Stopped> {
    while let Some(mut field) = form.next_field().await? {
        if field.name() == Some(FIELD) {
            let name = field.file_name().unwrap_or_default().to_owned();
            let begun =
                Upload::begin(product.store.clone(), product.blobs.clone(), product.uploads.clone()).await;
            let mut upload = begun.map_err(UploadError::from)?;
            outside.leave();
            pass_on(&mut field, &mut upload).await?;
            outside.enter();
            return Ok(Some((upload, name)));
        }
    }
    Ok(None)
}

async fn pass_on(field: &mut Field<'_>, upload: &mut Upload) -> Result<(), Stopped> {
    while let Some(piece) = field.chunk().await? {
        upload.write(&piece).await?;
    }
    Ok(())
}

/// Reads the form to its end: a second file would be lost, and a form that breaks off was not sent whole.
async fn only_one(form: &mut Multipart, largest: u64) -> Result<(), ApiError> {
    while let Some(field) = form.next_field().await.map_err(|error| broken(&error, largest))? {
        if field.name() == Some(FIELD) {
            return Err(ApiError::invalid(FIELD, "is there twice; send one document at a time"));
        }
    }
    Ok(())
}

/// What says itself that it is too long is not even read.
fn refuse_by_length(headers: &HeaderMap, largest: u64) -> Result<(), ApiError> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > largest + AROUND_THE_FILE) {
        return Err(UploadError::TooLarge { largest }.into());
    }
    Ok(())
}

fn broken(error: &MultipartError, largest: u64) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return UploadError::TooLarge { largest }.into();
    }
    ApiError::invalid("body", "is not a whole form; send it again as multipart/form-data")
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
            UploadError::Port(error) => error.into(),
        }
    }
}

fn receipt(taken: &DocumentView) -> Receipt {
    let document = &taken.overview.document;
    let status = taken.standing.status.as_str();
    Receipt { document_id: document.id, status, created_at: document.created_at }
}

fn metadata(taken: DocumentView) -> Metadata {
    let mut content_hash = String::new();
    for byte in taken.overview.document.content_hash {
        // Nothing can be wrong with writing to a string.
        let _ = write!(content_hash, "{byte:02x}");
    }
    Metadata { detail: Detail::of(taken), content_hash }
}

fn answer(status: StatusCode, id: DocumentId, body: impl Serialize) -> Response {
    (status, [(header::LOCATION, format!("/documents/{id}"))], Json(body)).into_response()
}

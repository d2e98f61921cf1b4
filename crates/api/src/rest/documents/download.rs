//! `GET /documents/{id}/download`: the original file.

mod description;

use std::fmt::Write;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use quire_application::document::{self, DownloadError, OriginalFile};
use quire_application::{App, Error};
use quire_domain::{Document, DocumentId};

use self::description::FileResponses;
use super::conditional::{IfNoneMatch, RequestedPart};
use crate::request::{Id, Parameters};
use crate::rest::openapi::errors;
use crate::{ApiError, Code};

/// Browsers must not guess another type.
const NO_SNIFFING: (HeaderName, HeaderValue) =
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
const ANY_TYPE: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Downloads the original file of a document, or a part of it.
#[utoipa::path(
    get,
    path = "/documents/{id}/download",
    tag = "documents",
    operation_id = "download_document",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("download" = Option<bool>, Query, description = "Whether a browser saves the file instead of showing it."),
        ("Range" = Option<String>, Header, description = "One part of the file, such as `bytes=0-999`."),
        ("If-Range" = Option<String>, Header, description = "The ETag of the file that the part must be of."),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of the file that the client has."),
    ),
    responses(
        FileResponses,
        (status = 304, description = "The client has this file already.",
            headers(("ETag" = String, description = "The ETag of the file."))),
        errors::OutsideOfFile,
        errors::NotFound,
        errors::FileMissing,
        errors::TooMany,
    ),
)]
pub(crate) async fn download(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
    given: HeaderMap,
) -> Result<Response, ApiError> {
    let save = parameters.value("download", "must be true or false")?.unwrap_or(false);
    let document = document::find(&app, DocumentId(id)).await?;
    let (tag, size) = (quire_domain::hex(&document.content_hash), document.file_size);
    let quoted = HeaderValue::from_str(&format!("\"{tag}\""));
    let common = [
        (header::ETAG, quoted.map_err(|_| ApiError::internal("an ETag is not a valid header value"))?),
        (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        // Stored for speed. Browsers must revalidate: the document may have been purged, and the login may have ended.
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
        NO_SNIFFING,
    ];
    if IfNoneMatch::from_headers(&given).includes(&tag) {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    let (status, part) = match RequestedPart::from_headers(&given, &tag, size) {
        RequestedPart::Whole => (StatusCode::OK, 0..size),
        RequestedPart::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
        RequestedPart::Outside => return Ok(outside(size)),
    };
    let content = [
        (header::CONTENT_TYPE, HeaderValue::from_str(&document.content_type).unwrap_or(ANY_TYPE)),
        (header::CONTENT_LENGTH, (part.end - part.start).into()),
        (header::CONTENT_DISPOSITION, disposition(&document, save)?),
    ];
    let file = document::download(&app, &document, part.clone()).await?;
    let mut response = (status, common, content, stream(file)).into_response();
    if status == StatusCode::PARTIAL_CONTENT {
        let range = format!("bytes {}-{}/{size}", part.start, part.end - 1);
        response
            .headers_mut()
            .extend(HeaderValue::from_str(&range).map(|range| (header::CONTENT_RANGE, range)));
    }
    Ok(response)
}

/// The answer to a part that the file does not have.
fn outside(size: u64) -> Response {
    let message = format!("the file has {size} bytes; ask for a part of them");
    let mut response = ApiError::new(Code::RangeNotSatisfiable, message).into_response();
    let range = HeaderValue::from_str(&format!("bytes */{size}"));
    response.headers_mut().extend(range.map(|range| (header::CONTENT_RANGE, range)));
    response
}

/// The file as a stream. If a later piece cannot be read, the connection ends before the announced length.
fn stream(file: OriginalFile) -> Body {
    let pieces = stream::try_unfold(file, |mut file| async move {
        let piece = file.next().await.inspect_err(|error| {
            tracing::warn!(%error, "download aborted: the file cannot be read");
        })?;
        Ok::<_, Error>(piece.map(|piece| (piece, file)))
    });
    Body::from_stream(pieces)
}

impl From<DownloadError> for ApiError {
    fn from(error: DownloadError) -> Self {
        match error {
            DownloadError::FileMissing => Self::new(Code::ArtifactMissing, error.to_string()),
            DownloadError::Other(error) => error.into(),
        }
    }
}

/// Whether to show or save the file, and its name twice: in ASCII for old clients, and in UTF-8.
fn disposition(document: &Document, save: bool) -> Result<HeaderValue, ApiError> {
    let how = if save { "attachment" } else { "inline" };
    let (plain, encoded) = (plain(&document.original_filename), encoded(&document.original_filename));
    let value = format!("{how}; filename=\"{plain}\"; filename*=UTF-8''{encoded}");
    HeaderValue::from_str(&value).map_err(|_| ApiError::internal("a file name is not a valid header value"))
}

/// Replaces characters that could end the quotes or the header, or that are not ASCII, by underscores.
fn plain(name: &str) -> String {
    let keep = |letter: char| (letter.is_ascii_graphic() || letter == ' ') && !"\"\\%;".contains(letter);
    name.chars().map(|letter| if keep(letter) { letter } else { '_' }).collect()
}

/// Percent-encodes a name as in RFC 5987.
fn encoded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes().filter(|byte| !byte.is_ascii_control()) {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Proves R062 and R066 for the names of files.
    #[test]
    fn no_name_ends_the_quotes_or_the_header() {
        for (name, ascii, full) in [
            ("record.pdf", "record.pdf", "record.pdf"),
            ("análisis 2.pdf", "an_lisis 2.pdf", "an%C3%A1lisis%202.pdf"),
            (
                "a\"; x=\"b\r\nSet-Cookie: c.pdf",
                "a__ x=_b__Set-Cookie: c.pdf",
                "a%22%3B%20x%3D%22bSet-Cookie%3A%20c.pdf",
            ),
            ("", "", ""),
        ] {
            assert_eq!((plain(name).as_str(), encoded(name).as_str()), (ascii, full));
        }
    }

    proptest! {
        /// Proves R062 for every name: one header, whose quotes are the two around the plain name.
        #[test]
        fn every_name_fits_into_the_header(name in any::<String>()) {
            let value = format!("inline; filename=\"{}\"; filename*=UTF-8''{}", plain(&name), encoded(&name));
            prop_assert!(HeaderValue::from_str(&value).is_ok(), "{value:?}");
            prop_assert_eq!(value.matches('"').count(), 2);
            prop_assert!(!value.contains('\\'));
        }
    }
}

//! `GET /documents/{id}/pages`, the words of one page, and its image.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quire_application::App;
use quire_application::document::pages::{self, ImageRequest, ImageResponse, PageEntry, PageError};
use quire_domain::reading::Table;
use quire_domain::{DocumentId, RunId};
use serde::Serialize;
use utoipa::ToSchema;

use super::conditional::IfNoneMatch;
use super::page_content::{PageContent, UnreadPageResponse};
use super::page_tables::TableResponse;
use crate::request::{Id, PagePath, Parameters};
use crate::rest::openapi::{Binary, errors};
use crate::{ApiError, Code};

/// Pixels per point by default.
const DEFAULT_SCALE: f32 = 1.0;

/// The pages of a document.
#[derive(Serialize, ToSchema)]
#[schema(as = PageList)]
pub(crate) struct PageListResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    /// The run that read them.
    #[schema(value_type = Uuid)]
    run_id: RunId,
    /// What is known about the text and did not keep it from being used: `few_words`, `mostly_figures`, `form`,
    /// `other_script`, `some_unmapped_glyphs`.
    text_properties: Vec<&'static str>,
    /// The share of the text that is in order, from 0 to 1. Null if the run is older than this measure.
    text_reliability: Option<f32>,
    pages: Vec<ListedPageResponse>,
}

/// A page.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedPage)]
struct ListedPageResponse {
    /// From 1.
    page: usize,
    /// In points.
    width: f32,
    /// In points.
    height: f32,
    /// Whether OCR recognised its words.
    recognised: bool,
    /// The number of its words.
    words: usize,
    /// The number of words that an opaque mark hides, such as a black bar. They are not among `words`,
    /// unless `reading.covered_text` is `read`.
    covered_words: usize,
    /// Why the page could not be read. Null if it was read.
    unread: Option<UnreadPageResponse>,
}

/// The words of a page, each with its rectangle in points from the top left corner.
#[derive(Serialize, ToSchema)]
#[schema(as = PageWords)]
pub(crate) struct PageWordsResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    page: usize,
    #[serde(flatten)]
    content: PageContent,
    /// The tables of the page.
    tables: Vec<TableResponse>,
}

/// Lists the pages of a document as its latest run read them.
#[utoipa::path(
    get,
    path = "/documents/{id}/pages",
    tag = "documents",
    operation_id = "list_pages",
    params(("id" = Uuid, Path, description = "The document.")),
    responses((status = 200, description = "The pages.", body = PageListResponse), errors::NotFound),
)]
pub(crate) async fn pages(
    State(app): State<Arc<App>>,
    Id(id): Id,
) -> Result<Json<PageListResponse>, ApiError> {
    let document_id = DocumentId(id);
    let (run_id, index) = pages::list(&app, document_id).await?;
    let listed = |(place, entry): (usize, &PageEntry)| ListedPageResponse {
        page: place + 1,
        width: entry.width,
        height: entry.height,
        recognised: entry.recognised,
        words: entry.words,
        covered_words: entry.covered_words,
        unread: entry.unread.clone().map(Into::into),
    };
    Ok(Json(PageListResponse {
        document_id,
        run_id,
        text_properties: index.text_properties.iter().map(|property| property.as_str()).collect(),
        text_reliability: index.text_reliability,
        pages: index.pages.iter().enumerate().map(listed).collect(),
    }))
}

/// Returns the words of a page with their rectangles.
#[utoipa::path(
    get,
    path = "/documents/{id}/pages/{number}",
    tag = "documents",
    operation_id = "show_page",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("number" = u32, Path, description = "The page number, from 1.", minimum = 1, maximum = 1_000_000),
    ),
    responses(
        (status = 200, description = "The words of the page.", body = PageWordsResponse),
        errors::NotFound,
        errors::FileMissing,
    ),
)]
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    PagePath(id, page): PagePath,
) -> Result<Json<PageWordsResponse>, ApiError> {
    let document_id = DocumentId(id);
    let content = pages::page(&app, document_id, page).await?;
    let tables = Table::find(std::slice::from_ref(&content)).into_iter().map(Into::into).collect();
    Ok(Json(PageWordsResponse { document_id, page, content: content.into(), tables }))
}

impl From<PageError> for ApiError {
    fn from(error: PageError) -> Self {
        match error {
            PageError::FileMissing => Self::new(Code::ArtifactMissing, error.to_string()),
            PageError::Other(error) => error.into(),
        }
    }
}

/// Returns the image of a page.
#[utoipa::path(
    get,
    path = "/documents/{id}/pages/{number}/image",
    tag = "documents",
    operation_id = "draw_page",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("number" = u32, Path, description = "The page number, from 1.", minimum = 1, maximum = 1_000_000),
        ("scale" = Option<f32>, Query, description = "Pixels per point, at least (default: 1). The image has the next of 0.5, 1, 1.5, 2, 3 and 4.",
            minimum = 0.1, maximum = 4),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of the image that the client has."),
    ),
    responses(
        (status = 200, description = "The image.", body = Binary, content_type = "image/png",
            headers(("ETag" = String, description = "The ETag of the image."))),
        (status = 304, description = "The client has this image already.",
            headers(("ETag" = String, description = "The ETag of the image."))),
        errors::NotFound,
        errors::DocumentUnreadable,
        errors::FileMissing,
    ),
)]
pub(crate) async fn page_image(
    State(app): State<Arc<App>>,
    PagePath(id, page): PagePath,
    parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let scale = parameters.value("scale", "must be a number of pixels per point, such as 1.5")?;
    let tags = IfNoneMatch::from_headers(&headers);
    let request = ImageRequest {
        document: DocumentId(id),
        page,
        scale: scale.unwrap_or(DEFAULT_SCALE),
        known: tags.tags.first().cloned(),
    };
    let image = pages::image(&app, request).await?;
    image_response(image, &tags)
}

fn image_response(image: ImageResponse, tags: &IfNoneMatch) -> Result<Response, ApiError> {
    let (tag, png) = match image {
        ImageResponse::Unchanged { tag } => (tag, None),
        ImageResponse::Image { tag, png } => {
            let has_it = tags.includes(&tag);
            (tag, (!has_it).then_some(png))
        }
    };
    let tag = HeaderValue::from_str(&format!("\"{tag}\""));
    let headers = [
        (header::ETAG, tag.map_err(|_| ApiError::internal("an ETag is not a valid header value"))?),
        // Stored for speed, because drawing is slow. Browsers must revalidate: the document may have been purged, and the
        // login may have ended.
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
    ];
    Ok(match png {
        None => (StatusCode::NOT_MODIFIED, headers).into_response(),
        Some(png) => {
            let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static("image/png"))];
            (headers, content_type, Body::from(Bytes::from_owner(png))).into_response()
        }
    })
}

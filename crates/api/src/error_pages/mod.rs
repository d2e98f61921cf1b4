//! `GET /errors` and `GET /errors/{code}`: what each error code means and what to do.
//!
//! The pages are the files of `docs/errors`, built into the program.

mod codes;
pub(crate) mod html;

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header;
use axum::response::{Html, IntoResponse};

use crate::rest::openapi::errors;
use crate::{ApiError, Code};

/// The page of a code from `docs/errors`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors/", $name, ".md"))
    };
}
pub(crate) use text;

#[cfg(test)]
pub(crate) use codes::run_codes;

/// A separate file: the content security policy forbids inline styles.
const STYLE: &str = include_str!("style.css");

/// Lists all error codes.
#[utoipa::path(
    get,
    path = "/errors",
    tag = "service",
    operation_id = "list_errors",
    responses((status = 200, description = "A page for people.", body = String, content_type = "text/html")),
)]
pub(crate) async fn list() -> Html<String> {
    Html(html::list(&codes::all()))
}

/// Explains a code and says what to do.
#[utoipa::path(
    get,
    path = "/errors/{code}",
    tag = "service",
    operation_id = "show_error",
    params(("code" = String, Path, description = "The code.", example = json!("CONFLICT"))),
    responses(
        (status = 200, description = "A page for people.", body = String, content_type = "text/html"),
        errors::NotFound,
    ),
)]
pub(crate) async fn show(code: Result<Path<String>, PathRejection>) -> Result<Html<String>, ApiError> {
    let all = codes::all();
    // Pages link to each other by file name, so that the links also work on a code host.
    let found = code.ok().and_then(|Path(code)| all.get_key_value(code.strip_suffix(".md").unwrap_or(&code)));
    let (code, text) = found.ok_or_else(|| {
        ApiError::new(Code::NotFound, "there is no such error code; /errors lists all of them")
    })?;
    Ok(Html(html::page(code, text)))
}

/// Returns the style sheet of these pages.
#[utoipa::path(
    get,
    path = "/errors/style.css",
    tag = "service",
    operation_id = "error_style",
    responses((status = 200, description = "A style sheet.", body = String, content_type = "text/css")),
)]
pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

//! Error pages: what went wrong, and what to do.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use quire_domain::EventId;
use serde_json::Value;

use super::frame::{Frame, NavigationItem, page};
use super::visitor::Visitor;
use super::words::Words;
use crate::{ApiError, AppState, Code};

#[derive(Template)]
#[template(path = "error_page.html")]
struct ErrorPage {
    frame: Frame,
    title: &'static str,
    message: String,
    code: &'static str,
}

/// Answers a browser with an error page, and scripts with JSON.
pub(crate) async fn show(
    State(_): State<AppState>,
    visitor: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let wants_page = wants_page(request.headers());
    let response = next.run(request).await;
    let error = response.extensions().get::<ApiError>().cloned();
    match error {
        Some(error) if wants_page => error_page(visitor, &error, &response).unwrap_or(response),
        _ => response,
    }
}

/// Whether the client is a browser that shows a page; scripts ask for another type.
pub(super) fn wants_page(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accepts.is_some_and(|accept| accept.contains("text/html"))
}

/// The message in the reader's language, chosen by the reason of a conflict, or else by the error code. Only an invalid
/// request gets the API's own message, because it names the parameter. `http.js` does the same for scripts.
fn message(error: &ApiError, words: &Words) -> String {
    let named = |name: &str| words.find(&format!("errors.{name}"));
    let detail = |name: &str| error.details.as_ref().and_then(|details| details.get(name));
    let reason = detail("reason").and_then(Value::as_str).filter(|_| error.code == Code::Conflict);
    let text = reason.and_then(named).or_else(|| named(error.code.as_str())).unwrap_or(&error.message);
    let megabytes = detail("max_bytes").and_then(Value::as_u64).map(|bytes| (bytes >> 20).to_string());
    text.replacen("{}", megabytes.as_deref().unwrap_or(&error.message), 1)
}

/// The page for an error.
pub(super) fn error_page(visitor: Visitor, error: &ApiError, response: &Response) -> Option<Response> {
    let words = visitor.language.words();
    let name =
        if response.status() == StatusCode::NOT_FOUND { "error_page.not_found" } else { "error_page.failed" };
    let content = ErrorPage {
        title: words.get(name),
        message: message(error, words),
        code: error.code.as_str(),
        frame: Frame::new(visitor, NavigationItem::Inbox, &[], EventId(0)),
    };
    let mut shown = page(&content).ok()?;
    *shown.status_mut() = response.status();
    Some(shown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ConflictReason;
    use crate::pages::words::Language;

    #[test]
    fn an_error_page_is_in_the_language_of_the_reader() {
        let spanish = |error: &ApiError| message(error, Language::Spanish.words());
        let too_large = ApiError::new(Code::FileTooLarge, "x").with(json!({ "max_bytes": 20 << 20 }));
        assert!(spanish(&too_large).contains("el límite es de 20 MB"), "{}", spanish(&too_large));
        let stale = ApiError::conflict(ConflictReason::StaleInterpretationVersion, "x");
        assert!(spanish(&stale).starts_with("Otra persona ha guardado"), "{}", spanish(&stale));
        let invalid = ApiError::invalid("page", "must be a number");
        assert_eq!(spanish(&invalid), "No se ha aceptado la petición: page: must be a number");
    }
}

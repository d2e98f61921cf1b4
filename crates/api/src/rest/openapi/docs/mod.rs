//! `GET /docs`: the same description for people, as one page that needs neither scripts nor anything from elsewhere.

mod curl;
mod fields;
mod text;

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{Html, IntoResponse};

use super::DOCUMENT;
use crate::error_pages::html;

/// A file of its own: pages may not bring styles along inside themselves.
const STYLE: &str = include_str!("style.css");
const NAVIGATION: &str = "<a href=\"/openapi.json\">For programs</a> · <a href=\"/errors\">All errors</a> · <a href=\"#contents\">Contents</a>";

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let content = html::rendered(&text::page(&DOCUMENT));
    html::framed("All that can be asked", &[html::STYLE, "/docs/style.css"], NAVIGATION, &content)
});

/// Shows this interface to people.
#[utoipa::path(
    get,
    path = "/docs",
    tag = "service",
    operation_id = "docs",
    responses((status = 200, description = "A page for people.", body = String, content_type = "text/html")),
)]
pub(crate) async fn show() -> Html<&'static str> {
    Html(&PAGE)
}

/// Gives the style of that page.
#[utoipa::path(
    get,
    path = "/docs/style.css",
    tag = "service",
    operation_id = "docs_style",
    responses((status = 200, description = "A style sheet.", body = String, content_type = "text/css")),
)]
pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_operation_and_brings_neither_scripts_nor_styles_along() {
        for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let heading = format!(
                    "<span class=\"method {method}\">{}</span> <code>{path}</code>",
                    method.to_uppercase()
                );
                assert!(PAGE.contains(&heading), "{heading}");
                let anchor = operation["operationId"].as_str().unwrap();
                assert!(PAGE.contains(&format!("id=\"{anchor}\"")), "{anchor}");
                assert!(PAGE.contains(&format!("href=\"#{anchor}\"")), "{anchor}");
            }
        }
        for inline in ["<script", "<style", "style=\"", "onclick", "src=\"http", "href=\"http"] {
            assert!(!PAGE.contains(inline), "{inline}");
        }
    }

    #[test]
    fn tables_become_tables_and_codes_lead_to_their_pages() {
        assert!(PAGE.contains("<a href=\"/errors/STALE_INTERPRETATION_VERSION\">"));
        assert!(PAGE.contains("<td><code>limit</code></td>"));
        assert!(!PAGE.contains("|---|"), "a table was not recognised");
    }
}

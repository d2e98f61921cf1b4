//! `GET /docs`: the description as one page, without scripts or external resources.

mod curl;
mod fields;
mod text;

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{Html, IntoResponse};

use super::DOCUMENT;
use crate::error_pages::html;

/// A separate file: the content security policy forbids inline styles.
const STYLE: &str = include_str!("style.css");
const NAVIGATION: &str = "<a href=\"/openapi.json\">openapi.json</a> · <a href=\"/errors\">All errors</a> · <a href=\"#contents\">Contents</a>";

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let content = html::rendered(&text::page(&DOCUMENT));
    html::framed("REST API reference", &[html::STYLE, "/docs/style.css"], NAVIGATION, &content)
});

/// Shows this description as a page.
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

/// Returns the style sheet of that page.
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
    fn the_page_has_every_operation_and_no_inline_scripts_or_styles() {
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
    fn tables_are_rendered_and_codes_link_to_their_pages() {
        assert!(PAGE.contains("<a href=\"/errors/STALE_INTERPRETATION_VERSION\">"));
        assert!(PAGE.contains("<td><code>limit</code></td>"));
        assert!(!PAGE.contains("|---|"), "a table was not recognised");
    }
}

//! Refuses unknown query parameters: a misspelt filter must not return everything. The `OpenAPI` description lists the known ones,
//! so an undescribed parameter cannot be used either.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::ApiError;
use crate::rest::openapi::DOCUMENT;
use crate::rest::openapi::SERVICE;

/// Characters of an unknown name in the error message.
const LONGEST_NAME: usize = 64;
/// The known parameters by path and method.
static KNOWN: LazyLock<BTreeMap<(String, String), BTreeSet<String>>> = LazyLock::new(known);

pub(crate) async fn refuse_unknown(request: Request, next: Next) -> Response {
    match refused(&request) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    }
}

fn refused(request: &Request) -> Option<ApiError> {
    let query = request.uri().query()?;
    let path = request.extensions().get::<MatchedPath>()?.as_str().to_owned();
    // A HEAD request has the parameters of GET.
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let known = KNOWN.get(&(path, method.as_str().to_ascii_lowercase()))?;
    let mut seen = BTreeSet::new();
    for (name, _) in form_urlencoded::parse(query.as_bytes()) {
        let shortened: String = name.chars().take(LONGEST_NAME).collect();
        if !known.contains(&*name) {
            return Some(ApiError::invalid(&shortened, &unknown(known)));
        }
        if !seen.insert(name) {
            return Some(ApiError::invalid(&shortened, "is given twice; remove one"));
        }
    }
    None
}

fn unknown(known: &BTreeSet<String>) -> String {
    if known.is_empty() {
        return "unknown parameter; this address has none".to_owned();
    }
    let names: Vec<_> = known.iter().map(String::as_str).collect();
    format!("unknown parameter; this address has {}", names.join(", "))
}

fn known() -> BTreeMap<(String, String), BTreeSet<String>> {
    let items = DOCUMENT["paths"].as_object().into_iter().flatten();
    let operations = items.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| ((path.clone(), method.clone()), operation))
    });
    // Health, metrics and pages for people accept any parameter.
    let strict = operations.filter(|(_, operation)| operation["tags"][0] != SERVICE);
    strict.map(|(place, operation)| (place, of_query(operation))).collect()
}

fn of_query(operation: &Value) -> BTreeSet<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let of_query = parameters.filter(|parameter| parameter["in"] == "query");
    of_query.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::middleware;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    async fn status(method: Method, address: &str) -> StatusCode {
        let router = Router::new()
            .route("/reviewer/structural-changes", get(|| async {}))
            .route("/documents/{id}/pages", get(|| async {}))
            .route("/errors", get(|| async {}))
            .layer(middleware::from_fn(refuse_unknown));
        let request = Request::builder().method(method).uri(address).body(Body::empty()).unwrap();
        router.oneshot(request).await.unwrap().status()
    }

    #[tokio::test]
    async fn a_misspelt_parameter_is_refused_and_so_is_one_given_twice() {
        for (address, good) in [
            ("/reviewer/structural-changes", true),
            ("/reviewer/structural-changes?limit=1&status=PENDING", true),
            ("/reviewer/structural-changes?", true),
            ("/reviewer/structural-changes?stauts=PENDING", false),
            ("/reviewer/structural-changes?limit=1&limit=2", false),
            ("/documents/7/pages", true),
            ("/documents/7/pages?a", false),
            ("/errors?from=mail", true),
        ] {
            for method in [Method::GET, Method::HEAD] {
                assert_eq!(status(method, address).await.is_success(), good, "{address}");
            }
        }
    }

    #[test]
    fn the_message_names_the_known_parameters() {
        let known = BTreeSet::from(["limit".to_owned(), "status".to_owned()]);
        assert!(unknown(&known).ends_with("has limit, status"));
    }
}

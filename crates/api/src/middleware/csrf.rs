//! From which site's page a request was sent, as far as browsers say. A browser adds its cookies to whatever any page sends
//! here, so that a request that has them must also come from one of our own.

use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};
use serde_json::json;

use crate::{ApiError, Code};

/// What browsers say of the page: none of its scripts can write this.
const SITE: &str = "sec-fetch-site";

/// Refuses what a page of another site sends. Programs name no site.
pub(crate) fn refuse_other_sites(request: &Parts) -> Result<(), ApiError> {
    if is_from_here(request) {
        return Ok(());
    }
    let message = "this was sent by a page of another site; do it on a page of this server";
    Err(ApiError::new(Code::Forbidden, message).with(json!({ "reason": "OTHER_SITE" })))
}

/// A browser that knows the relation says it, whatever a proxy made of our name; others tell at least where the page is from.
fn is_from_here(request: &Parts) -> bool {
    match text(&request.headers, SITE) {
        Some(site) => matches!(site, "same-origin" | "none"),
        None => text(&request.headers, header::ORIGIN.as_str()).is_none_or(|origin| {
            let host = request.uri.authority().map(Authority::as_str);
            let host = host.or_else(|| text(&request.headers, header::HOST.as_str()));
            origin.split_once("://").is_some_and(|(_, authority)| Some(authority) == host)
        }),
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    // What cannot be read names nobody that we know.
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn is_taken(headers: &[(&str, &str)]) -> bool {
        let mut request = Request::post("/app/login").header("host", "records.example:8443");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        refuse_other_sites(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn only_our_own_pages_and_programs_are_taken() {
        assert!(is_taken(&[]), "a program");
        assert!(is_taken(&[("origin", "https://records.example:8443")]));
        for other in [
            "https://evil.example",
            "https://records.example",
            "null",
            "",
            "https://records.example:8443.evil.example",
        ] {
            assert!(!is_taken(&[("origin", other)]), "{other}");
        }
    }

    #[test]
    fn what_a_browser_says_of_the_site_counts_more_than_names() {
        let (ours, theirs) = (("origin", "https://records.example:8443"), ("origin", "https://evil.example"));
        for site in ["cross-site", "same-site", "", "naïve"] {
            assert!(!is_taken(&[ours, (SITE, site)]), "{site}");
        }
        assert!(is_taken(&[ours, (SITE, "same-origin")]) && is_taken(&[(SITE, "none")]));
        assert!(is_taken(&[theirs, (SITE, "same-origin")]), "a proxy calls us by another name");
    }
}

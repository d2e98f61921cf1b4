//! CSRF protection by the site of the sending page. A browser adds its cookies to requests from any page, so a request with
//! cookies must come from a page of this server.

use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};
use serde_json::json;

use crate::middleware::auth::refusal::count;
use crate::{ApiError, Code};

/// Set by browsers; scripts cannot change it.
const SITE: &str = "sec-fetch-site";
const MODE: &str = "sec-fetch-mode";
const DESTINATION: &str = "sec-fetch-dest";

/// Refuses a request that another site reads with: a picture, a script or a frame of its page. A link to this server is
/// followed; the browser then shows our page and not theirs.
pub(crate) fn refuse_reads_of_other_sites(request: &Parts) -> Result<(), ApiError> {
    let is_of_other_site = matches!(text(&request.headers, SITE), Some("cross-site" | "same-site"));
    let is_link = text(&request.headers, MODE) == Some("navigate")
        && matches!(text(&request.headers, DESTINATION), None | Some("document"));
    if is_of_other_site && !is_link { Err(other_site()) } else { Ok(()) }
}

/// Refuses a request from a page of another site. Programs send neither header.
pub(crate) fn refuse_other_sites(request: &Parts) -> Result<(), ApiError> {
    if is_own_site(request) { Ok(()) } else { Err(other_site()) }
}

fn other_site() -> ApiError {
    count("other_site");
    let message = "this request comes from a page of another site; use the pages of this server";
    ApiError::new(Code::Forbidden, message).with(json!({ "reason": "OTHER_SITE" }))
}

/// `Sec-Fetch-Site` holds behind proxies that change our host name. Older browsers send only `Origin`.
fn is_own_site(request: &Parts) -> bool {
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
    // An unreadable header matches no site.
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn is_accepted(headers: &[(&str, &str)]) -> bool {
        let mut request = Request::post("/app/login").header("host", "records.example:8443");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        refuse_other_sites(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn only_programs_and_pages_of_this_server_are_accepted() {
        assert!(is_accepted(&[]), "a program");
        assert!(is_accepted(&[("origin", "https://records.example:8443")]));
        for other in [
            "https://evil.example",
            "https://records.example",
            "null",
            "",
            "https://records.example:8443.evil.example",
        ] {
            assert!(!is_accepted(&[("origin", other)]), "{other}");
        }
    }

    #[test]
    fn other_sites_may_link_to_pages_and_embed_nothing() {
        let is_accepted = |headers: &[(&str, &str)]| {
            let mut request = Request::get("/documents/1/download");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            refuse_reads_of_other_sites(&request.body(()).unwrap().into_parts().0).is_ok()
        };
        assert!(is_accepted(&[]), "a program");
        assert!(is_accepted(&[(SITE, "same-origin"), (MODE, "no-cors"), (DESTINATION, "image")]));
        assert!(is_accepted(&[(SITE, "none"), (MODE, "navigate"), (DESTINATION, "document")]), "typed");
        for site in ["cross-site", "same-site"] {
            assert!(is_accepted(&[(SITE, site), (MODE, "navigate"), (DESTINATION, "document")]), "a link");
            for destination in ["image", "script", "iframe", "embed", "object", "empty"] {
                let mode = if destination == "iframe" { "navigate" } else { "no-cors" };
                assert!(
                    !is_accepted(&[(SITE, site), (MODE, mode), (DESTINATION, destination)]),
                    "{destination}"
                );
            }
        }
    }

    #[test]
    fn sec_fetch_site_takes_precedence_over_the_origin() {
        let (ours, theirs) = (("origin", "https://records.example:8443"), ("origin", "https://evil.example"));
        for site in ["cross-site", "same-site", "", "naïve"] {
            assert!(!is_accepted(&[ours, (SITE, site)]), "{site}");
        }
        assert!(is_accepted(&[ours, (SITE, "same-origin")]) && is_accepted(&[(SITE, "none")]));
        assert!(is_accepted(&[theirs, (SITE, "same-origin")]), "a proxy changed our host name");
    }
}

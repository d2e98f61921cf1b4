//! Which role each route needs: [`TABLE`] for the API and [`PAGES`] for the pages. docs/guide/roles.md is a copy. What needs no
//! credential is in [`HEALTH_CHECKS`](super::HEALTH_CHECKS) and [`OPEN_PAGES`](crate::pages::OPEN_PAGES).

use axum::http::Method;
use quire_domain::Role;
use quire_domain::Role::{Export, Govern, Metrics, Operate, Read, Review};

/// Method, route and role. The names of segments in braces do not matter.
pub(crate) const TABLE: &[(&str, &str, Role)] = &[
    ("GET", "/documents", Read),
    ("GET", "/documents/export", Export),
    ("GET", "/documents/{id}", Read),
    ("GET", "/documents/{id}/download", Read),
    ("GET", "/documents/{id}/processing-history", Read),
    ("GET", "/documents/{id}/review", Read),
    ("GET", "/documents/{id}/compare", Read),
    ("GET", "/documents/{id}/jobs", Read),
    ("GET", "/documents/{id}/hits", Read),
    ("GET", "/documents/{id}/similar", Read),
    ("GET", "/documents/{id}/pages", Read),
    ("GET", "/documents/{id}/pages/{number}", Read),
    ("GET", "/documents/{id}/pages/{number}/image", Read),
    ("GET", "/runs/{id}", Read),
    ("GET", "/runs/{id}/artifacts/raw-text", Read),
    ("GET", "/runs/{id}/interpretations", Read),
    ("GET", "/calibration", Read),
    ("GET", "/search", Read),
    ("POST", "/ask", Read),
    ("GET", "/events", Read),
    ("GET", "/lanes", Read),
    ("GET", "/model-usage", Read),
    ("GET", "/metrics", Metrics),
    ("GET", "/version", Read),
    ("GET", "/openapi.json", Read),
    ("GET", "/docs", Read),
    ("GET", "/docs/style.css", Read),
    ("GET", "/errors", Read),
    ("GET", "/errors/style.css", Read),
    ("GET", "/errors/{code}", Read),
    ("POST", "/documents", Operate),
    ("POST", "/documents/upload", Operate),
    ("POST", "/documents/{id}/reprocess", Operate),
    ("PATCH", "/documents/{id}/language", Operate),
    ("POST", "/documents/{id}/hide", Operate),
    ("DELETE", "/documents/{id}/hide", Operate),
    ("POST", "/runs/{id}/withdraw", Operate),
    ("POST", "/runs/{id}/cancel", Operate),
    ("POST", "/runs/{id}/retry", Operate),
    ("POST", "/lanes/{name}/pause", Operate),
    ("POST", "/lanes/{name}/resume", Operate),
    ("GET", "/v1/runs", Read),
    ("GET", "/v1/runs/{id}", Read),
    ("GET", "/v1/runs/{first}/diff/{second}", Read),
    ("POST", "/v1/full-review", Operate),
    ("POST", "/v1/expand-idea", Operate),
    ("POST", "/v1/review-idea", Operate),
    ("POST", "/v1/runs/{id}/retry", Operate),
    ("POST", "/v1/runs/{id}/revisions", Operate),
    ("GET", "/v1/requests/{id}", Read),
    ("GET", "/v1/requests/{id}/status", Read),
    ("GET", "/v1/summaries", Read),
    ("GET", "/v1/summaries/{id}", Read),
    ("POST", "/v1/requests", Operate),
    ("POST", "/v1/requests/{id}/retry", Operate),
    ("PATCH", "/v1/summaries/{id}", Operate),
    ("DELETE", "/v1/summaries/{id}", Operate),
    ("POST", "/documents/{id}/reviewed", Review),
    ("DELETE", "/documents/{id}/reviewed", Review),
    ("POST", "/runs/{id}/interpretations", Review),
    ("GET", "/reviewer/structural-changes", Govern),
    ("GET", "/reviewer/schema/current", Govern),
    ("GET", "/reviewer/governance/audit-trail", Govern),
    ("POST", "/reviewer/structural-changes/{id}/decision", Govern),
];

/// The same for the pages of the web interface.
pub(crate) const PAGES: &[(&str, &str, Role)] = &[
    ("GET", "/app/governance", Govern),
    ("GET", "/app/governance/candidates", Govern),
    ("GET", "/app/governance/schemas", Govern),
    ("GET", "/app/governance/trail", Govern),
    ("GET", "/app/governance/reliability", Govern),
    ("GET", "/app", Read),
    ("GET", "/app/documents/{id}/runs", Read),
    ("GET", "/app/documents/{id}/runs/list", Read),
    ("GET", "/app/proposals", Read),
    ("GET", "/app/proposals/rows", Read),
    ("GET", "/app/proposals/{id}", Read),
    ("GET", "/app/proposals/{id}/now", Read),
    ("GET", "/app/proposals/{first}/compare/{second}", Read),
    ("GET", "/app/model-usage", Read),
    ("GET", "/app/links", Read),
    ("GET", "/app/links/rows", Read),
    ("GET", "/app/links/{id}", Read),
    ("GET", "/app/links/{id}/now", Read),
    ("GET", "/app/operations", Read),
    ("GET", "/app/operations/now", Read),
    ("GET", "/app/documents/{id}", Read),
    ("GET", "/app/documents/{id}/work", Read),
    ("GET", "/app/documents/{id}/versions", Read),
    ("GET", "/app/documents/{id}/compare", Read),
    ("GET", "/app/documents/{id}/next", Read),
    ("GET", "/app/rows", Read),
    ("GET", "/app/search", Read),
    ("GET", "/app/search/results", Read),
];

/// The role that a route needs. A route that is not in the table needs `admin`, so that a forgotten one is closed.
pub(crate) fn needed(method: &Method, route: &str) -> Role {
    let method = if method == Method::HEAD { Method::GET } else { method.clone() };
    let listed =
        TABLE.iter().chain(PAGES).find(|(verb, path, _)| *verb == method.as_str() && is_same(path, route));
    listed.map_or(Role::Admin, |(_, _, role)| *role)
}

fn is_same(listed: &str, route: &str) -> bool {
    let same = |(one, other): (&str, &str)| one == other || (one.starts_with('{') && other.starts_with('{'));
    listed.split('/').count() == route.split('/').count() && listed.split('/').zip(route.split('/')).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::middleware::auth::HEALTH_CHECKS;
    use crate::pages::OPEN_PAGES;
    use crate::routes::tests::routes_in_source;

    #[test]
    fn a_route_that_is_not_in_the_table_needs_admin() {
        for (method, path, role) in [
            (Method::GET, "/documents", Read),
            (Method::HEAD, "/documents", Read),
            (Method::GET, "/documents/{document_id}", Read),
            (Method::POST, "/documents", Operate),
            (Method::DELETE, "/documents", Role::Admin),
            (Method::GET, "/documents/{id}/forgotten", Role::Admin),
            (Method::GET, "/{anything}", Role::Admin),
            (Method::GET, "/reviewer/structural-changes", Govern),
            (Method::DELETE, "/documents/{id}/reviewed", Review),
        ] {
            assert_eq!(needed(&method, path), role, "{method} {path}");
        }
    }

    #[test]
    fn every_route_has_a_role_or_needs_no_credential() {
        let is_open = |path: &str| OPEN_PAGES.contains(&path) || HEALTH_CHECKS.contains(&path);
        let is_listed = |method: &str, path: &str| {
            TABLE.iter().chain(PAGES).any(|(verb, listed, _)| (*verb, *listed) == (method, path))
        };
        for (method, path) in routes_in_source() {
            assert!(is_open(&path) != is_listed(&method, &path), "{method} {path}");
        }
    }

    #[test]
    fn the_guide_shows_this_table() {
        let guide = include_str!("../../../../../docs/guide/roles.md");
        let rows: Vec<String> =
            guide.lines().filter(|line| line.contains("| `/")).map(str::to_owned).collect();
        let expected: Vec<String> = TABLE
            .iter()
            .chain(PAGES)
            .map(|(method, path, role)| format!("| {method} | `{path}` | {} |", role.as_str()))
            .collect();
        assert_eq!(rows, expected, "docs/guide/roles.md must have these rows:\n{}", expected.join("\n"));
    }
}

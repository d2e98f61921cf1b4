//! The description is complete: every route, reference and name.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::*;
use crate::Code;
use crate::middleware::auth::{HEALTH_CHECKS, roles};

/// Set to write the file instead of comparing it; `cargo xtask openapi` does.
const RENEW: &str = "QUIRE_RENEW_OPENAPI";

/// Every operation with its path and method.
fn operations() -> impl Iterator<Item = (String, String, &'static Value)> {
    let items = DOCUMENT["paths"].as_object().unwrap().iter();
    items.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (path.clone(), method.clone(), operation))
    })
}

/// The routes of the API.
fn routes() -> BTreeSet<(String, String)> {
    let is_page = |path: &str| path == "/" || path.starts_with("/app") || path.starts_with("/assets/");
    let routes = crate::routes::tests::routes_in_source().into_iter();
    routes.filter(|(_, path)| !is_page(path)).map(|(method, path)| (path, method.to_lowercase())).collect()
}

#[test]
fn every_route_is_described_and_everything_described_is_routed() {
    let described: BTreeSet<_> = operations().map(|(path, method, _)| (path, method)).collect();
    assert_eq!(described, routes());
}

#[test]
fn the_committed_description_matches_the_program() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let built = super::description::build();
    if std::env::var_os(RENEW).is_some() {
        std::fs::write(&file, &built).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == built, "docs/openapi.json is outdated; renew it with `cargo xtask openapi`");
}

#[test]
fn every_operation_has_a_unique_name_and_a_summary() {
    let known: BTreeSet<_> =
        DOCUMENT["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    let mut names = BTreeSet::new();
    for (path, method, operation) in operations() {
        let place = format!("{method} {path}");
        assert!(names.insert(operation["operationId"].as_str().unwrap()), "{place} has a name twice");
        assert!(operation["summary"].as_str().unwrap().ends_with('.'), "{place} has no sentence");
        assert!(known.contains(operation["tags"][0].as_str().unwrap()), "{place} has no tag");
        let inside = path.matches('{').count();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        assert_eq!(parameters.filter(|parameter| parameter["in"] == "path").count(), inside, "{place}");
    }
}

/// The table of roles and the description list the same operations.
#[test]
fn every_operation_is_in_the_table_of_roles_or_public() {
    let listed = roles::TABLE.iter().map(|(method, path, _)| ((*path).to_owned(), method.to_lowercase()));
    let open = HEALTH_CHECKS.iter().map(|path| ((*path).to_owned(), "get".to_owned()));
    let known: BTreeSet<_> = listed.chain(open).collect();
    let described: BTreeSet<_> = operations().map(|(path, method, _)| (path, method)).collect();
    assert_eq!(described, known);
}

#[test]
fn every_reference_resolves() {
    fn walk(value: &Value) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref") {
                    let place = reference.strip_prefix('#').unwrap();
                    assert!(DOCUMENT.pointer(place).is_some(), "{reference}");
                }
                members.values().for_each(walk);
            }
            Value::Array(items) => items.iter().for_each(walk),
            _ => {}
        }
    }
    walk(&DOCUMENT);
}

/// Proves R074 for the description: one body for every error, with every code. A refused edit says more in its `details`.
#[test]
fn every_error_has_the_one_body_and_every_code_is_listed() {
    for (name, response) in DOCUMENT["components"]["responses"].as_object().unwrap() {
        let body = response["content"]["application/json"]["schema"]["$ref"].as_str().unwrap();
        let extended = &DOCUMENT.pointer(body.trim_start_matches('#')).unwrap()["allOf"][0]["$ref"];
        let body = extended.as_str().unwrap_or(body);
        assert_eq!(body, "#/components/schemas/Error", "{name}");
        assert!(response["headers"]["X-Request-ID"].is_object(), "{name}");
    }
    let listed = DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"].as_array().unwrap();
    assert_eq!(listed.len(), Code::ALL.len());
}

//! The parts that all operations share: common errors, response headers and authentication.

use axum::http::Method;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{Operation, Parameter, PathItem};
use utoipa::openapi::schema::{Object, Schema, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, OpenApi, RefOr};
use utoipa::{IntoResponses, Modify};

use super::super::{ROLE, SERVICE, errors};
use super::headers;
use crate::middleware::auth::{self, roles};

const BEARER: &str = "bearer";
const ABOUT_BEARER: &str = "A key from `quire keys create`, or the `AUTH_TOKEN`. Without either, the server needs no \
                            credential and serves only clients on its own machine.";

/// Completes each operation.
pub(super) struct EveryOperation;

impl Modify for EveryOperation {
    fn modify(&self, api: &mut OpenApi) {
        let components = api.components.get_or_insert_with(Components::new);
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(ABOUT_BEARER));
        components.add_security_scheme(BEARER, SecurityScheme::Http(bearer.build()));
        components.headers.extend(headers::all());
        for (name, mut response) in errors::all() {
            headers::of_error(name, &mut response);
            components.responses.insert(name.to_owned(), response.into());
        }
        for (path, item) in &mut api.paths.paths {
            for (method, operation) in operations(item) {
                complete(path, &method, operation);
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    let all = [
        (Method::GET, get),
        (Method::PUT, put),
        (Method::POST, post),
        (Method::DELETE, delete),
        (Method::PATCH, patch),
    ];
    all.into_iter().filter_map(|(method, operation)| operation.as_mut().map(|operation| (method, operation)))
}

fn complete(path: &str, method: &Method, operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(Parameter { schema: Some(RefOr::T(Schema::Object(schema))), .. }) = parameter {
            never_null(schema);
        }
    }
    headers::of_responses(operation);
    // All other operations refuse unknown parameters.
    if operation.tags.iter().flatten().all(|tag| tag != SERVICE) {
        add::<errors::Invalid>(operation);
    }
    if *method != Method::GET {
        add::<errors::BodyTooLarge>(operation);
        add::<errors::TooSlow>(operation);
    }
    add::<errors::InternalError>(operation);
    add::<errors::Unavailable>(operation);
    if auth::HEALTH_CHECKS.contains(&path) {
        operation.security = Some(Vec::new());
        return;
    }
    add::<errors::Unauthorized>(operation);
    add::<errors::Forbidden>(operation);
    add::<errors::Throttled>(operation);
    // Whether a credential is needed depends on the server.
    let bearer = SecurityRequirement::new(BEARER, [] as [&str; 0]);
    operation.security = Some(vec![SecurityRequirement::default(), bearer]);
    let role = Extensions::from_iter([(ROLE, roles::needed(method, path).as_str())]);
    operation.extensions.get_or_insert_default().merge(role);
}

/// A query parameter is never null.
fn never_null(schema: &mut Object) {
    if let SchemaType::Array(types) = &mut schema.schema_type {
        types.retain(|one| *one != Type::Null);
        if let [only] = types.as_slice() {
            schema.schema_type = SchemaType::Type(only.clone());
        }
    }
}

/// The responses that an operation describes itself take precedence.
fn add<R: IntoResponses>(operation: &mut Operation) {
    for (status, response) in R::responses() {
        operation.responses.responses.entry(status).or_insert(response);
    }
}

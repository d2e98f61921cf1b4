//! Middleware, one file per concern. `routes.rs` has their order.

pub(crate) mod access_audit;
pub(crate) mod auth;
pub(crate) mod body_limit;
pub(crate) mod client_limit;
pub(crate) mod compression;
pub(crate) mod cors;
pub(crate) mod csrf;
pub(crate) mod drain_body;
pub(crate) mod host_check;
pub(crate) mod hsts;
pub(crate) mod panic;
pub(crate) mod query_parameters;
pub(crate) mod rate_limit;
pub(crate) mod request_id;
pub(crate) mod security_headers;
pub(crate) mod slow_body;
pub(crate) mod trusted_proxies;

//! The REST API, one file per operation: parse the request, call a use case, build the response.

pub(crate) mod calibration;
pub(crate) mod documents;
pub(crate) mod events;
pub(crate) mod governance;
pub(crate) mod health;
pub(crate) mod lanes;
pub(crate) mod links;
pub(crate) mod metrics;
pub(crate) mod model_usage;
pub(crate) mod openapi;
pub(crate) mod proposals;
pub(crate) mod review;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod value;
pub(crate) mod version;

//! Adapters to external services, one module each: file storage, HTTP, language models.

pub mod blob;
pub mod http;
pub mod model;
mod retry;

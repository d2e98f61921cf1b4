//! Adapters to external services, one module each: file storage, HTTP, locks on Redis, language models, web pages.

pub mod blob;
pub mod http;
pub mod lock;
pub mod model;
mod retry;
pub mod web;

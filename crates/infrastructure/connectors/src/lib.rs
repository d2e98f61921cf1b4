//! Adapters to external services, one module each: file storage, HTTP, language models, web pages.

pub mod blob;
pub mod http;
pub mod model;
mod retry;
pub mod web;

//! Adapters to external services, one module each: file storage, HTTP, locks on Redis, language models, Document
//! Intelligence, web pages; and embedding models on this machine.

pub mod archive;
pub mod blob;
pub mod document_intelligence;
pub mod http;
pub mod local_embedder;
pub mod lock;
pub mod model;
mod retry;
pub mod web;

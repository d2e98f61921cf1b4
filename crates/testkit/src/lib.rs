//! The test kit: conformance suites for every store and blob store, planned failures, a fake clock, a checker of event
//! histories, a browser, a Redis server of a test's own, and fake services: models, DNS, web pages, Firecrawl, Document Intelligence. It depends on
//! the domain and the ports alone, so it cannot favour an implementation.

// Only tests call this crate, and a panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::missing_panics_doc)]

pub mod breakpoints;
pub mod browser;
pub mod call_gate;
pub mod captured_log;
pub mod checker;
pub mod clock;
pub mod conformance;
pub mod connect_proxy;
pub mod cutting_proxy;
pub mod dns_server;
pub mod document_intelligence_server;
pub mod documents;
pub mod faulty_blobs;
pub mod firecrawl_server;
pub mod fixture;
mod json_schema;
pub mod model_server;
pub mod object_services;
pub mod observed_store;
pub mod page_server;
pub mod personas;
pub mod recorded_calls;
pub mod redis_server;
pub mod silent_proxy;
pub mod snapshot;
pub mod steps;
pub mod web_pages;
pub mod web_server;

pub use breakpoints::ScriptedBreakpoints;
pub use call_gate::{CallGate, FreeCalls};
pub use captured_log::CapturedLog;
pub use checker::{CheckReport, Violation};
pub use clock::FakeClock;
pub use conformance::blobs::BlobStoreFixture;
pub use connect_proxy::ConnectProxy;
pub use cutting_proxy::CuttingProxy;
pub use dns_server::DnsServer;
pub use document_intelligence_server::DocumentIntelligenceServer;
pub use faulty_blobs::{BlobFault, FaultyBlobs};
pub use firecrawl_server::FirecrawlServer;
pub use fixture::{RawSql, StoreFixture};
pub use model_server::{ModelReply, ModelServer};
pub use observed_store::{Fault, StoreObserver};
pub use page_server::PageServer;
pub use recorded_calls::RecordedCalls;
pub use redis_server::RedisServer;
pub use silent_proxy::SilentProxy;
pub use web_server::{WebRequest, WebResponse, WebServer};

//! What proves Quire: suites that every adapter passes, rehearsed failures, a clock that stands still, a checker of
//! histories. It stands on the domain and the ports alone, so it cannot favour an implementation.

// Everything here is called by tests, where a panic is the verdict.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::missing_panics_doc)]

pub mod browser;
pub mod checker;
pub mod clock;
pub mod conformance;
pub mod documents;
pub mod fixture;
pub mod model_server;
pub mod observed_store;
pub mod probe;
pub mod snapshot;
pub mod steps;

pub use checker::{CheckReport, Violation};
pub use clock::FakeClock;
pub use conformance::blobs::BlobStoreFixture;
pub use fixture::{RawSql, StoreFixture};
pub use model_server::{ModelReply, ModelServer};
pub use observed_store::{Fault, StoreObserver};
pub use probe::ScriptedProbe;

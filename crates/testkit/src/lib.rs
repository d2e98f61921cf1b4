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
pub mod observed;
pub mod probe;
pub mod snapshot;
pub mod steps;

pub use checker::{Checked, Violation};
pub use clock::FakeClock;
pub use conformance::blobs::BlobsBed;
pub use fixture::{Bed, RawSql};
pub use model_server::{ModelServer, Reply};
pub use observed::{Fault, Observer};
pub use probe::Rehearsal;

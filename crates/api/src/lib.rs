//! Quire over HTTP. [`router`] is the whole surface on one page, [`error`] the whole contract for what goes wrong.
//!
//! This crate knows ports and never an adapter: whoever wires the program hands in what it needs as a [`Surface`].

pub mod error;
mod health;
mod metrics;
mod request_id;
pub mod router;
mod serve;
mod version;

use std::sync::Arc;

pub use error::ApiError;
pub use health::{DatabaseCheck, StorageCheck};
pub use metrics::Exposition;
pub use router::router;
pub use serve::serve;

/// What the handlers work with.
#[derive(Clone)]
pub struct Surface {
    /// Whether the database answers.
    pub database: Arc<dyn DatabaseCheck>,
    /// Whether files can be kept.
    pub storage: StorageCheck,
    /// The metrics of this process.
    pub metrics: Arc<dyn Exposition>,
    /// The version of the program.
    pub version: &'static str,
}

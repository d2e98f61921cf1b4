//! What Quire does: one function per verb of a user, and the engine that runs what was accepted.
//!
//! Use cases take an [`App`] and return plain data or an [`Error`]. Some also exist in a form that takes a bare store, for
//! the command line, which opens a database without a server around it.

pub mod app;
pub mod ask;
pub mod audit;
pub mod calibration;
pub mod credential;
pub mod document;
pub mod engine;
mod error;
pub mod event_telemetry;
pub mod events;
pub mod export;
pub mod governance;
pub mod health;
pub mod lanes;
pub mod link;
pub mod model_usage;
pub mod operations;
pub mod proposal;
mod purge;
pub mod review;
pub mod run;
mod run_write;
pub mod search;
pub mod session;
pub mod steps;
pub mod storage;

pub use app::{App, AppSettings};
pub use error::{Error, Result};
pub use purge::purge;

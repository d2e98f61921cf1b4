//! Reads documents: what stands on their pages, and where.
//!
//! Everything in here parses what strangers send. It is meant to run in a process of its own, with limits, and never
//! inside the server.

pub mod pdf;

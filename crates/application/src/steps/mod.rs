//! The work of the steps, in terms of ports.

mod extraction;

pub use extraction::Extraction;

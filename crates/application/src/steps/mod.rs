//! The work of the steps, in terms of ports.

mod extraction;
mod recognised;

pub use extraction::Extraction;

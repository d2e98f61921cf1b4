//! The work of the steps, in terms of ports.

mod by_labels;
mod code;
mod extraction;
mod interpretation;
mod recognised;

pub use by_labels::ByLabels;
pub use code::StepCode;
pub use extraction::Extraction;
pub use interpretation::Interpretation;

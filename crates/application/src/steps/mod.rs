//! The work of the steps, in terms of ports.

mod by_model;
mod by_rules;
mod calibrate;
mod code;
mod extraction;
mod interpretation;
mod recognised;

pub use by_model::{Budget, ByModel, ModelUse, PROMPT_VERSION};
pub use by_rules::ByRules;
pub use calibrate::Calibrate;
pub use code::StepCode;
pub use extraction::Extraction;
pub use interpretation::Interpretation;

//! The steps of the pipelines. Each uses ports only.

mod calibrator;
mod error_code;
mod extraction;
mod interpretation;
pub mod link;
mod model_answer;
mod model_interpreter;
pub mod proposal;
mod recognised_pages;
mod rule_interpreter;

pub use quire_ports::{ModelErrorKind, ReadErrorKind, WebErrorKind};

pub use calibrator::ConfidenceCalibrator;
pub use error_code::StepErrorCode;
pub use extraction::ExtractionStep;
pub use interpretation::{InterpretationStep, UnreadableSchema};
pub use model_interpreter::{ModelInterpreter, ModelInterpreterSettings, PROMPT_VERSION, TokenBudget};
pub use rule_interpreter::RuleInterpreter;

//! The work of the steps, in terms of ports.

mod calibrator;
mod code;
mod extraction;
mod interpretation;
mod model_interpreter;
mod recognised;
mod rule_interpreter;

pub use quire_ports::{ModelErrorKind, ReadErrorKind};

pub use calibrator::ConfidenceCalibrator;
pub use code::StepErrorCode;
pub use extraction::ExtractionStep;
pub use interpretation::InterpretationStep;
pub use model_interpreter::{ModelInterpreter, ModelInterpreterSettings, PROMPT_VERSION, TokenBudget};
pub use rule_interpreter::RuleInterpreter;

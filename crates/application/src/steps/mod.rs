//! The steps of the pipelines. Each uses ports only.

mod analysis_artifact;
mod calibrator;
mod day_budget;
mod document_intelligence;
mod embedding;
mod error_code;
mod extraction;
mod interpretation;
mod kept_answers;
mod kept_pages;
mod limited;
pub mod link;
mod model_answer;
mod model_interpreter;
pub mod proposal;
mod recognised_pages;
mod rule_interpreter;
mod run_artifacts;
mod run_pages;

pub use quire_ports::{AnalysisErrorKind, ModelErrorKind, ReadErrorKind, WebErrorKind};

pub use calibrator::ConfidenceCalibrator;
pub use day_budget::DayBudgetModel;
pub(crate) use day_budget::needed_tokens;
pub use document_intelligence::{DocumentIntelligenceOptions, DocumentIntelligenceReader};
pub use embedding::EmbeddingStep;
pub(crate) use embedding::{add_vectors, indexed_text};
pub use error_code::StepErrorCode;
pub use extraction::ExtractionStep;
pub use interpretation::{InterpretationStep, UnreadableSchema};
pub use kept_pages::KeptPages;
pub use limited::LimitedStep;
pub use model_interpreter::{ModelInterpreter, ModelInterpreterSettings, PROMPT_VERSION};
pub use rule_interpreter::RuleInterpreter;
pub(crate) use run_pages::load_pages;

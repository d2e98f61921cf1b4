//! How the schema changes: what people's edits suggest, and what is decided about it.

mod decide;

pub use decide::{DecisionError, DecisionRequest, decide};

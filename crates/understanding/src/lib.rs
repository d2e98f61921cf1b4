//! What was understood of a document: fields with their values, where each was found, and every version of them.
//!
//! One form is stored, a flat list of fields in which a field that belongs to a visit names it. Grouped by visit it
//! is only ever shown ([`visits`]), and it is changed by [`edit`] alone.

pub mod calibration;
mod certainty;
pub mod claims;
pub mod compare;
pub mod edit;
mod field;
mod found_by;
mod made_by;
pub mod normal;
pub mod redaction;
pub mod rules;
mod schema;
pub mod shown;
pub mod structure;
mod value;
pub mod visits;

pub use certainty::certainty;
pub use field::{Evidence, Field, Interpretation, Origin, Suggestion};
pub use found_by::{found_by, sought};
pub use made_by::{InterpreterKind, MadeBy};
pub use normal::Normaliser;
pub use schema::{
    ANY, BadSchema, Bound, Format, Heading, OF_A_VISIT, Part, Problem, Schema, SchemaFile, SchemaKey, Scope,
    Titles, VISIT_DATE, Validators, Words,
};
pub use value::{Value, ValueType};

/// Confidence of a value that a person put in where nothing was found.
pub const NEUTRAL_CONFIDENCE: f64 = 0.5;

//! What was understood of a document: fields with their values, where each was found, and every version of them.
//!
//! One form is stored, a flat list of fields in which a field that belongs to a visit names it. Grouped by visit it
//! is only ever shown ([`visits`]), and it is changed by [`edit`] alone.

pub mod calibration;
pub mod claims;
pub mod compare;
mod document_confidence;
pub mod edit;
mod field;
mod made_by;
pub mod normal;
pub mod redaction;
pub mod rules;
mod schema;
mod search_text;
pub mod structure;
mod value;
pub mod view;
pub mod visits;

pub use document_confidence::document_confidence;
pub use field::{Evidence, Field, Interpretation, Origin, Suggestion};
pub use made_by::{InterpreterKind, MadeBy};
pub use normal::Normaliser;
pub use schema::{
    ANY_LANGUAGE, Bound, InvalidSchema, Schema, SchemaFile, SchemaFormat, SchemaKey, SchemaProblem, Scope,
    Section, SectionHeading, Titles, VISIT_DATE, VISIT_METADATA_KEYS, Validators, WordList,
};
pub use search_text::{search_query, search_text};
pub use value::{Value, ValueType};

/// Confidence of a value that a person put in where nothing was found.
pub const NEUTRAL_CONFIDENCE: f64 = 0.5;

//! Interpretation: from the text of a document to fields, and everything that happens to fields afterwards.
//!
//! [`rules`] extract fields by a [`Schema`], [`claims`] verify what a language model claims, and [`normal`] has the
//! normal forms of values. [`calibration`] adjusts confidence by reviews, [`edit`] applies what reviewers change,
//! [`structural_change`] collects what edits suggest about the schema. An interpretation is stored as a flat list of fields;
//! [`visits`] groups it for display.
//!
//! This crate does no I/O.

pub mod calibration;
pub mod claims;
pub mod compare;
mod critical;
mod document_confidence;
pub mod edit;
mod field;
mod made_by;
pub mod normal;
pub mod redaction;
pub mod rules;
mod schema;
mod search_text;
pub mod seeding;
pub mod structural_change;
pub mod summary;
mod value;
pub mod view;
pub mod visits;

pub use critical::empty_critical_keys;
pub use document_confidence::document_confidence;
pub use field::{Evidence, Field, Interpretation, Origin, Suggestion};
pub use made_by::{InterpreterKind, MadeBy};
pub use normal::Normaliser;
pub use schema::{
    ANY_LANGUAGE, Bound, InvalidSchema, Schema, SchemaFile, SchemaFormat, SchemaKey, SchemaProblem, Scope,
    Section, SectionHeading, Titles, VISIT_DATE, VISIT_METADATA_KEYS, Validators, WordList,
};
pub use search_text::{search_query, search_text};
pub use seeding::{NewestVersion, SchemaVersion, SeedOutcome, SeededFile};
pub use value::{Value, ValueType};

/// The confidence of a value that a person added where nothing was found.
pub const NEUTRAL_CONFIDENCE: f64 = 0.5;

//! Interpretation: from the text of a document to fields, and everything that happens to fields afterwards.
//!
//! [`rules`] find fields by a [`Schema`], [`claims`] verify what a language model claims, and [`normal`] has the
//! normal forms of values. `confidence` is the probability that a value is right; [`calibration`] adjusts it by reviews,
//! [`edit`] applies what reviewers change, [`structural_change`] collects what edits suggest about the schema. [`search`]
//! has the pure parts of search. An interpretation is stored as a flat list of fields;
//! [`visits`] groups it for display, [`review_form`] arranges it for review.
//!
//! This crate does no I/O.

pub mod calibration;
pub mod claims;
pub mod compare;
mod confidence;
mod critical;
mod document_confidence;
pub mod edit;
mod embedded;
pub mod evaluation;
mod field;
mod field_row;
mod made_by;
#[cfg(test)]
mod made_documents;
pub mod normal;
pub mod redaction;
pub mod review_form;
pub mod rules;
mod schema;
mod schema_draft;
mod schema_fit;
pub mod search;
pub mod seeding;
mod service_pairs;
pub mod structural_change;
pub mod summary;
mod table_value;
mod tables;
mod value;
pub mod view;
pub mod visits;

pub use confidence::{Feature, FixedReason, Reason};
pub use critical::empty_critical_keys;
pub use document_confidence::document_confidence;
pub use embedded::apply_embedded_data;
pub use field::{Evidence, Field, Interpretation, MAX_SUGGESTIONS, Origin, Suggestion};
pub use field_row::{FieldRow, field_rows, folded_value};
pub use made_by::{InterpreterKind, MadeBy};
pub use normal::Normaliser;
pub use schema::{
    ANY_LANGUAGE, Bound, InvalidSchema, Schema, SchemaFile, SchemaFormat, SchemaKey, SchemaProblem, Scope,
    Section, SectionHeading, TableColumn, Titles, VISIT_DATE, VISIT_METADATA_KEYS, Validators, WordList,
};
pub use schema_draft::{draft_schema, label_of_value};
pub use schema_fit::{SchemaFit, schema_fits};
pub use seeding::{NewestVersion, SchemaVersion, SeedOutcome, SeededFile};
pub use service_pairs::add_pairs;
pub use table_value::TableRow;
pub use tables::{add_analysed_tables, add_tables};
pub use value::{Value, ValueType};

/// The confidence of a value that a person added where nothing was found, unless `confidence.human_edit_neutral` sets another.
pub const NEUTRAL_CONFIDENCE: f64 = 0.5;

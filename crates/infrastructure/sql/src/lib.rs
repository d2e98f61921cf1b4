//! The code that the SQL stores share.
//!
//! Each store talks to its own database and binds its own parameters. All stores share the column lists of the
//! queries, the mapping of rows to domain types, the values of derived columns and the order of migrations. This crate
//! holds them once, and depends on no database driver.

mod columns;
mod document_filter;
mod error;
pub mod migrations;
pub mod row;
pub mod search;
pub mod tables;
mod values;

pub use columns::expand;
pub use document_filter::{BEFORE_FIRST_DOCUMENT, BEFORE_LEAST_CONFIDENT, DocumentFilterColumns};
pub use error::{
    another_run_has_the_id, bad_json, candidate_not_found, corrupt, document_not_found,
    key_changed_meanwhile, key_name_taken, key_not_found, lane_not_found, panicked, run_is_running,
    run_not_found, schema_not_found, schema_version_not_found, subject_not_found, summary_not_found,
};
pub use row::ColumnReader;
pub use values::{
    LinkColumns, ProposalInputColumns, RunColumns, SummaryColumns, VersionColumns, json_text, like_pattern,
    step_progress_after,
};

//! Maps rows to domain and port types, with one mapping for each entity.
//!
//! A store implements [`ColumnReader`] for its driver's row. The mappings read columns by the names that the lists in
//! [`expand`](crate::expand) give them.

mod access;
mod calibration;
mod documents;
mod governance;
mod history;
mod links;
mod model_calls;
mod operations;
mod proposals;
mod reviews;
mod runs;
mod search;

use jiff::Timestamp;
use quire_ports::PortResult;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::error::{bad_json, corrupt};

pub use access::{SeenKey, api_key, seen_key, session};
pub use calibration::{
    calibration_entry, calibration_key, field_reliability, review_counts, review_signals, stored_mapping,
};
pub use documents::{document, document_overview, hidden, latest_version, presence, review_mark};
pub use governance::{
    audit_trail_entry, candidate, candidate_sample, decision, newest_version, schema_summary, schema_version,
    seeded_file,
};
pub use history::{
    artifact, attempt, event, job, queue_depth, step_failures, step_progress, step_record, with_steps,
};
pub use links::link_run;
pub use model_calls::{daily_model_usage, model_call, model_usage};
pub use operations::{installation_id, lane_overview, minute_metrics, stored_slots_and_scope, worker};
pub use proposals::{ordered_reviews, proposal_run, proposal_summary, stored_review};
pub use reviews::{
    document_review, field_change, field_rows, interpretation_version, version_history_entry, with_changes,
};
pub use runs::{orphaned_run, run, subject_queue, waiting_queue};
pub use search::{
    field_facet, fingerprint, found_document, found_total, outdated_document, signed_document, stored_chunk,
};

/// A row whose columns are read by name. Text, bytes and JSON are borrowed from the row, so that reading a column
/// allocates nothing.
pub trait ColumnReader {
    /// An id that may be NULL.
    fn optional_uuid(&self, column: &str) -> PortResult<Option<Uuid>>;
    /// A text that may be NULL.
    fn optional_text(&self, column: &str) -> PortResult<Option<&str>>;
    /// A whole number of any width that may be NULL.
    fn optional_integer(&self, column: &str) -> PortResult<Option<i64>>;
    /// A fraction that may be NULL.
    fn optional_float(&self, column: &str) -> PortResult<Option<f64>>;
    /// A truth value.
    fn boolean(&self, column: &str) -> PortResult<bool>;
    /// A time that may be NULL.
    fn optional_timestamp(&self, column: &str) -> PortResult<Option<Timestamp>>;
    /// Bytes that may be NULL.
    fn optional_bytes(&self, column: &str) -> PortResult<Option<&[u8]>>;
    /// The bytes of a JSON text that may be NULL.
    fn optional_json_bytes(&self, column: &str) -> PortResult<Option<&[u8]>>;
}

impl dyn ColumnReader + '_ {
    /// An id.
    pub fn uuid(&self, column: &str) -> PortResult<Uuid> {
        required(self.optional_uuid(column)?, column)
    }

    /// A text.
    pub fn text(&self, column: &str) -> PortResult<&str> {
        required(self.optional_text(column)?, column)
    }

    /// A text that outlives the row.
    pub fn string(&self, column: &str) -> PortResult<String> {
        self.text(column).map(str::to_owned)
    }

    /// A text that outlives the row and may be NULL.
    pub fn optional_string(&self, column: &str) -> PortResult<Option<String>> {
        Ok(self.optional_text(column)?.map(str::to_owned))
    }

    /// A text, or None if it is empty: in a column of a unique index an empty text stands for None.
    pub fn string_unless_empty(&self, column: &str) -> PortResult<Option<String>> {
        Ok(Some(self.text(column)?).filter(|text| !text.is_empty()).map(str::to_owned))
    }

    /// A whole number that fits its type.
    pub fn integer<T: TryFrom<i64>>(&self, column: &str) -> PortResult<T> {
        required(self.optional_number(column)?, column)
    }

    /// A whole number that fits its type and may be NULL.
    pub fn optional_number<T: TryFrom<i64>>(&self, column: &str) -> PortResult<Option<T>> {
        let Some(number) = self.optional_integer(column)? else { return Ok(None) };
        T::try_from(number).map(Some).map_err(|_| corrupt(format!("column {column} holds {number}")))
    }

    /// A time.
    pub fn timestamp(&self, column: &str) -> PortResult<Timestamp> {
        required(self.optional_timestamp(column)?, column)
    }

    /// Bytes of a fixed length, such as a SHA-256 hash.
    pub fn bytes<const N: usize>(&self, column: &str) -> PortResult<[u8; N]> {
        required(self.optional_fixed_bytes(column)?, column)
    }

    /// Bytes of a fixed length that may be NULL.
    pub fn optional_fixed_bytes<const N: usize>(&self, column: &str) -> PortResult<Option<[u8; N]>> {
        let Some(bytes) = self.optional_bytes(column)? else { return Ok(None) };
        let length = bytes.len();
        let fixed = bytes.try_into().map_err(|_| corrupt(format!("column {column} has {length} bytes")))?;
        Ok(Some(fixed))
    }

    /// A value that is stored as JSON.
    pub fn json<T: DeserializeOwned>(&self, column: &str) -> PortResult<T> {
        required(self.optional_json(column)?, column)
    }

    /// A value that is stored as JSON and may be NULL.
    pub fn optional_json<T: DeserializeOwned>(&self, column: &str) -> PortResult<Option<T>> {
        let json = self.optional_json_bytes(column)?;
        json.map(serde_json::from_slice).transpose().map_err(bad_json)
    }
}

fn required<T>(value: Option<T>, column: &str) -> PortResult<T> {
    value.ok_or_else(|| corrupt(format!("column {column} is NULL")))
}

/// A member of a closed set, by its stored name.
fn known<T>(member: Option<T>, set: &str, name: &str) -> PortResult<T> {
    member.ok_or_else(|| corrupt(format!("unknown {set} {name:?}")))
}

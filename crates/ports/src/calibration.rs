//! What reviews have shown about confidence, as counts. [`Reviews`](crate::Reviews) changes them with each mark; this port
//! reads them.

use async_trait::async_trait;
use quire_understanding::calibration::{BINS, CalibrationEntry, ReviewCounts};

use crate::PortResult;

/// Which counts to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationQuery {
    /// The context in which documents were interpreted.
    pub context_key: String,
    /// The version of the confidence policy.
    pub policy_version: String,
    /// Field keys, each with the mapping that found it.
    pub found: Vec<(String, Option<String>)>,
}

/// Which counts to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationFilter {
    /// Only of this version of the confidence policy.
    pub policy_version: String,
    /// Only of this key.
    pub field_key: Option<String>,
    /// Only of this context.
    pub context_key: Option<String>,
    /// The most counts to list.
    pub limit: u32,
    /// The number of counts to skip.
    pub skip: u32,
}

/// The reliability of a field key that one mapping finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldReliability {
    /// The context in which documents were interpreted.
    pub context_key: String,
    /// The field key.
    pub field_key: String,
    /// The mapping that found it, if it is known.
    pub mapping_id: Option<String>,
    /// Its counts and its state.
    pub entry: CalibrationEntry,
    /// The counts of the key in this context over all mappings.
    pub of_key: ReviewCounts,
    /// The counts of `entry`, by tenths of the confidence with which values were shown.
    pub bins: [ReviewCounts; BINS as usize],
}

/// Reads the counts of reviews.
#[async_trait]
pub trait Calibration: Send + Sync {
    /// The counts of exactly these keys. Keys without counts are left out.
    async fn review_counts(
        &self,
        wanted: CalibrationQuery,
    ) -> PortResult<Vec<((String, Option<String>), ReviewCounts)>>;

    /// Counts in the order of context, key and mapping.
    async fn reliability(&self, filter: CalibrationFilter) -> PortResult<Vec<FieldReliability>>;
}

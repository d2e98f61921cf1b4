//! What reviews have taught about confidence. It is learnt with the marks of [`Reviews`](crate::Reviews) and read here.

use async_trait::async_trait;
use quire_understanding::calibration::{BINS, CalibrationEntry, ReviewCounts};

use crate::PortResult;

/// Ways of finding a key, of which something may be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationQuery {
    /// The surroundings.
    pub context_key: String,
    /// The policy.
    pub policy_version: String,
    /// Keys, each with what found it.
    pub found: Vec<(String, Option<String>)>,
}

/// Which of all that is known is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationFilter {
    /// What was learnt under this policy.
    pub policy_version: String,
    /// Only of this key.
    pub field_key: Option<String>,
    /// Only in these surroundings.
    pub context_key: Option<String>,
    /// At most so many.
    pub limit: u32,
    /// Past so many.
    pub skip: u32,
}

/// What is known of a key that is found one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldReliability {
    /// The surroundings.
    pub context_key: String,
    /// The key.
    pub field_key: String,
    /// What found it, if that is known.
    pub mapping_id: Option<String>,
    /// What was learnt.
    pub learnt: CalibrationEntry,
    /// What was learnt of the key in these surroundings, whatever found it.
    pub of_key: ReviewCounts,
    /// The same as `learnt`, by the tenth of the confidence with which it was shown.
    pub bins: [ReviewCounts; BINS as usize],
}

/// What reviews have taught.
#[async_trait]
pub trait Calibration: Send + Sync {
    /// What is known of exactly these; those of which nothing is known are left out.
    async fn learnt(
        &self,
        wanted: CalibrationQuery,
    ) -> PortResult<Vec<((String, Option<String>), ReviewCounts)>>;

    /// All that is known, by surroundings, key and what found it.
    async fn reliability(&self, filter: CalibrationFilter) -> PortResult<Vec<FieldReliability>>;
}

//! `[uploads]`

use serde::Deserialize;

/// `[uploads]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct UploadsSection {
    pub max_mb: u64,
    pub min_free_mb: u64,
    pub processing: bool,
}

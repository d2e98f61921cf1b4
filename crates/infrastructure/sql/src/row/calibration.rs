//! Calibration: the counts of reviews, and the signals of each reviewed document.

use quire_ports::{FieldReliability, PortResult};
use quire_understanding::calibration::{BINS, CalibrationEntry, ReviewCounts, ReviewSignals, Standing};

use super::{ColumnReader, known};

/// The stored id of the mapping that found a key. An empty text stands for an unknown mapping.
pub fn stored_mapping(mapping: Option<&str>) -> &str {
    mapping.unwrap_or_default()
}

/// The key of a row of `{calibration}`, and the mapping that found it.
pub fn calibration_key(row: &dyn ColumnReader) -> PortResult<(String, Option<String>)> {
    Ok((row.string("calibration_field_key")?, row.string_unless_empty("calibration_mapping_id")?))
}

/// The counts of a row of `{calibration}`.
pub fn review_counts(row: &dyn ColumnReader) -> PortResult<ReviewCounts> {
    Ok(ReviewCounts {
        accepts: row.integer("calibration_accepts")?,
        edits: row.integer("calibration_edits")?,
    })
}

/// The counts of a row of `{calibration}` and the values that are derived from them.
pub fn calibration_entry(row: &dyn ColumnReader) -> PortResult<CalibrationEntry> {
    let name = row.text("calibration_standing")?;
    let standing = known(Standing::parse(name), "standing", name)?;
    Ok(CalibrationEntry { counts: review_counts(row)?, standing })
}

/// A row of `calibration/revert_snapshot.sql`.
pub fn review_signals(row: &dyn ColumnReader) -> PortResult<ReviewSignals> {
    Ok(ReviewSignals {
        context_key: row.string("snapshot_context_key")?,
        policy_version: row.string("snapshot_policy_version")?,
        signals: row.json("snapshot_signals")?,
    })
}

/// A row of `calibration/list.sql`.
pub fn field_reliability(row: &dyn ColumnReader) -> PortResult<FieldReliability> {
    let (field_key, mapping_id) = calibration_key(row)?;
    let counted: Vec<(usize, u32, u32)> = row.json("calibration_bins")?;
    Ok(FieldReliability {
        context_key: row.string("calibration_context_key")?,
        field_key,
        mapping_id,
        entry: calibration_entry(row)?,
        of_key: ReviewCounts {
            accepts: row.integer("calibration_key_accepts")?,
            edits: row.integer("calibration_key_edits")?,
        },
        bins: bins(&counted),
    })
}

/// All bins, made from the stored bins that are not empty. Each stored bin has a number, accepts and edits.
fn bins(counted: &[(usize, u32, u32)]) -> [ReviewCounts; BINS as usize] {
    let mut bins = [ReviewCounts::default(); BINS as usize];
    for (number, accepts, edits) in counted.iter().copied() {
        if let Some(bin) = bins.get_mut(number) {
            *bin = ReviewCounts { accepts, edits };
        }
    }
    bins
}

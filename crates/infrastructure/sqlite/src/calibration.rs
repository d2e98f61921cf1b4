//! The signals of reviews: added and removed with review marks, and read as counts.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::DocumentId;
use quire_ports::{Calibration, CalibrationFilter, CalibrationQuery, FieldReliability, PortResult};
use quire_sql::{ColumnReader, corrupt, row};
use quire_understanding::calibration::{
    CalibrationEntry, ConfidencePolicy, FieldSignal, ReviewCounts, ReviewSignals, SignalDirection,
};
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::row::{execute, first, micros};
use crate::{SqliteStore, sql};

#[async_trait]
impl Calibration for SqliteStore {
    async fn review_counts(
        &self,
        wanted: CalibrationQuery,
    ) -> PortResult<Vec<((String, Option<String>), ReviewCounts)>> {
        let pairs: Vec<_> = wanted
            .found
            .iter()
            .map(|(key, mapping)| (key, row::stored_mapping(mapping.as_deref())))
            .collect();
        let pairs = serde_json::to_string(&pairs).map_err(corrupt)?;
        let parameters = (wanted.policy_version, wanted.context_key, pairs);
        let counted = |row: &dyn ColumnReader| Ok((row::calibration_key(row)?, row::review_counts(row)?));
        self.rows(sql!("calibration/review_counts"), parameters, counted).await
    }

    async fn reliability(&self, filter: CalibrationFilter) -> PortResult<Vec<FieldReliability>> {
        let parameters =
            (filter.policy_version, filter.field_key, filter.context_key, filter.limit, filter.skip);
        self.rows(sql!("calibration/list"), parameters, row::field_reliability).await
    }
}

/// Adds and stores the signals of a document that was just marked.
pub(crate) fn add_signals(
    connection: &Connection,
    document: DocumentId,
    policy: &ConfidencePolicy,
    at: Timestamp,
) -> PortResult<()> {
    let reviewed = first(connection, sql!("calibration/reviewed"), [document.0.as_bytes()], |row| {
        Ok((row.uuid("version_run_id")?, row.json("version_data")?))
    })?;
    let Some((run, version)) = reviewed else { return Ok(()) };
    let Some(review) = ReviewSignals::of(&version, policy) else {
        return Ok(());
    };
    let signals = serde_json::to_string(&review.signals).map_err(corrupt)?;
    let id = Uuid::now_v7();
    let values = params![
        id.as_bytes(),
        document.0.as_bytes(),
        run.as_bytes(),
        review.context_key,
        review.policy_version,
        signals,
        micros(at),
    ];
    execute(connection, sql!("calibration/insert_snapshot"), values)?;
    count(connection, &review, SignalDirection::Add, policy)
}

/// Removes the signals of a document, if they still count.
pub(crate) fn remove_signals(
    connection: &Connection,
    document: DocumentId,
    policy: &ConfidencePolicy,
    at: Timestamp,
) -> PortResult<()> {
    let values = params![document.0.as_bytes(), micros(at)];
    let review = first(connection, sql!("calibration/revert_snapshot"), values, row::review_signals)?;
    let Some(review) = review else { return Ok(()) };
    count(connection, &review, SignalDirection::Remove, policy)
}

fn count(
    connection: &Connection,
    review: &ReviewSignals,
    direction: SignalDirection,
    policy: &ConfidencePolicy,
) -> PortResult<()> {
    for signal in &review.signals {
        let before = find(connection, review, signal)?;
        let after = before.after(signal, direction, policy);
        let (counts, standing) = (after.counts, after.standing.as_str());
        let mapping = row::stored_mapping(signal.mapping_id.as_deref());
        let (policy, context, key) = (&review.policy_version, &review.context_key, &signal.field_key);
        let values = params![policy, context, key, mapping, counts.accepts, counts.edits, standing];
        execute(connection, sql!("calibration/upsert"), values)?;
        let Some(bin) = signal.bin else { continue };
        let values = params![policy, context, key, mapping, bin];
        execute(connection, sql!("calibration/reserve_bin"), values)?;
        let (accepts, edits) = signal.delta(direction);
        let values = params![policy, context, key, mapping, bin, accepts, edits];
        execute(connection, sql!("calibration/add_to_bin"), values)?;
    }
    Ok(())
}

fn find(
    connection: &Connection,
    review: &ReviewSignals,
    signal: &FieldSignal,
) -> PortResult<CalibrationEntry> {
    let mapping = row::stored_mapping(signal.mapping_id.as_deref());
    let values = params![review.policy_version, review.context_key, signal.field_key, mapping];
    let found = first(connection, sql!("calibration/find"), values, row::calibration_entry)?;
    Ok(found.unwrap_or_default())
}

//! The signals of reviews: added and removed with review marks, and read as counts.

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::DocumentId;
use quire_ports::{Calibration, CalibrationFilter, CalibrationQuery, FieldReliability, PortResult};
use quire_sql::{corrupt, row};
use quire_understanding::calibration::{
    CalibrationEntry, ConfidencePolicy, FieldSignal, ReviewCounts, ReviewSignals, SignalDirection,
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::translate;
use crate::row::{StoredTime, first, int, mapped, text};
use crate::{PgStore, sql};

#[async_trait]
impl Calibration for PgStore {
    async fn review_counts(
        &self,
        wanted: CalibrationQuery,
    ) -> PortResult<Vec<((String, Option<String>), ReviewCounts)>> {
        let keys: Vec<_> = wanted.found.iter().map(|(key, _)| text(key)).collect();
        let mappings: Vec<_> =
            wanted.found.iter().map(|(_, mapping)| stored_mapping(mapping.as_deref())).collect();
        let query = || {
            sqlx::query(sql!("calibration/review_counts"))
                .bind(text(&wanted.policy_version))
                .bind(text(&wanted.context_key))
                .bind(keys.clone())
                .bind(mappings.clone())
        };
        self.rows(query, |row| Ok((row::calibration_key(row)?, row::review_counts(row)?))).await
    }

    async fn reliability(&self, filter: CalibrationFilter) -> PortResult<Vec<FieldReliability>> {
        let query = || {
            sqlx::query(sql!("calibration/list"))
                .bind(text(&filter.policy_version))
                .bind(filter.field_key.as_deref().map(text))
                .bind(filter.context_key.as_deref().map(text))
                .bind(i64::from(filter.limit))
                .bind(i64::from(filter.skip))
        };
        self.rows(query, row::field_reliability).await
    }
}

/// Adds and stores the signals of a document that was just marked. The caller has locked the document.
pub(crate) async fn add_signals(
    connection: &mut PgConnection,
    document: DocumentId,
    policy: &ConfidencePolicy,
    at: Timestamp,
) -> PortResult<()> {
    let reviewed = sqlx::query(sql!("calibration/reviewed"))
        .bind(document.0)
        .fetch_optional(&mut *connection)
        .await
        .map_err(translate)?;
    let reviewed =
        first(reviewed.as_ref(), |row| Ok((row.uuid("version_run_id")?, row.json("version_data")?)))?;
    let Some((run, version)) = reviewed else { return Ok(()) };
    let Some(review) = ReviewSignals::of(&version, policy) else { return Ok(()) };
    sqlx::query(sql!("calibration/insert_snapshot"))
        .bind(Uuid::now_v7())
        .bind(document.0)
        .bind(run)
        .bind(text(&review.context_key))
        .bind(text(&review.policy_version))
        .bind(serde_json::to_string(&review.signals).map_err(corrupt)?)
        .bind(StoredTime(at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    add(connection, &review, SignalDirection::Add, policy).await
}

/// Removes the signals of a document, if they still count. The caller has locked the document.
pub(crate) async fn remove_signals(
    connection: &mut PgConnection,
    document: DocumentId,
    policy: &ConfidencePolicy,
    at: Timestamp,
) -> PortResult<()> {
    let snapshot = sqlx::query(sql!("calibration/revert_snapshot"))
        .bind(document.0)
        .bind(StoredTime(at))
        .fetch_optional(&mut *connection)
        .await
        .map_err(translate)?;
    let review = first(snapshot.as_ref(), row::review_signals)?;
    let Some(review) = review else { return Ok(()) };
    add(connection, &review, SignalDirection::Remove, policy).await
}

/// Adds or removes signals. It first locks the aggregates in a fixed order, so that transactions that count for the
/// same keys wait for each other and do not deadlock.
async fn add(
    connection: &mut PgConnection,
    review: &ReviewSignals,
    direction: SignalDirection,
    policy: &ConfidencePolicy,
) -> PortResult<()> {
    let columns = SignalColumns::of(review);
    columns.query(sql!("calibration/reserve")).execute(&mut *connection).await.map_err(translate)?;
    let locked =
        columns.query(sql!("calibration/lock")).fetch_all(&mut *connection).await.map_err(translate)?;
    let before = mapped(&locked, |row| {
        let key = (row.string("calibration_field_key")?, row.string("calibration_mapping_id")?);
        Ok((key, row::calibration_entry(row)?))
    })?;
    let before: HashMap<_, CalibrationEntry> = before.into_iter().collect();
    let after = |(index, signal): (usize, &FieldSignal)| {
        let key = (columns.keys[index].clone(), columns.mappings[index].clone());
        before.get(&key).copied().unwrap_or_default().after(signal, direction, policy)
    };
    let after: Vec<CalibrationEntry> = review.signals.iter().enumerate().map(after).collect();
    columns
        .query(sql!("calibration/update"))
        .bind(after.iter().map(|entry| int(entry.counts.accepts)).collect::<Vec<_>>())
        .bind(after.iter().map(|entry| int(entry.counts.edits)).collect::<Vec<_>>())
        .bind(after.iter().map(|entry| entry.standing.as_str()).collect::<Vec<_>>())
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    add_to_bins(connection, review, direction).await
}

async fn add_to_bins(
    connection: &mut PgConnection,
    review: &ReviewSignals,
    direction: SignalDirection,
) -> PortResult<()> {
    let mut shown = review.clone();
    shown.signals.retain(|signal| signal.bin.is_some());
    let columns = SignalColumns::of(&shown);
    let bins: Vec<_> = shown.signals.iter().filter_map(|signal| signal.bin.map(i32::from)).collect();
    let (accepts, edits): (Vec<_>, Vec<_>) =
        shown.signals.iter().map(|signal| signal.delta(direction)).unzip();
    columns
        .query(sql!("calibration/reserve_bins"))
        .bind(bins.clone())
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    columns
        .query(sql!("calibration/add_to_bins"))
        .bind(bins)
        .bind(accepts)
        .bind(edits)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// The first parameters of every query about signals.
struct SignalColumns<'s> {
    review: &'s ReviewSignals,
    keys: Vec<String>,
    mappings: Vec<String>,
}

impl<'s> SignalColumns<'s> {
    fn of(review: &'s ReviewSignals) -> Self {
        let signals = &review.signals;
        Self {
            review,
            keys: signals.iter().map(|signal| text(&signal.field_key)).collect(),
            mappings: signals.iter().map(|signal| stored_mapping(signal.mapping_id.as_deref())).collect(),
        }
    }

    fn query(
        &self,
        query: &'static str,
    ) -> sqlx::query::Query<'static, sqlx::Postgres, sqlx::postgres::PgArguments> {
        sqlx::query(query)
            .bind(text(&self.review.policy_version))
            .bind(text(&self.review.context_key))
            .bind(self.keys.clone())
            .bind(self.mappings.clone())
    }
}

/// The id of the mapping that found a key, in its stored form.
fn stored_mapping(mapping: Option<&str>) -> String {
    text(row::stored_mapping(mapping))
}

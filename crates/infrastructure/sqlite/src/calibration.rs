//! What reviews teach: learnt and taken back with the marks, and read.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{ArtifactId, DocumentId};
use quire_ports::{
    Calibration, CalibrationFilter, CalibrationQuery, FieldReliability, PortError, PortResult,
};
use quire_understanding::calibration::{
    CalibrationEntry, CalibrationState, ConfidencePolicy, FieldSignal, LearningDirection, ReviewCounts,
    ReviewSignals,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{bad_json, corrupt, translate};
use crate::row::{get, micros};
use crate::{SqliteStore, sql};

#[async_trait]
impl Calibration for SqliteStore {
    async fn learnt(
        &self,
        wanted: CalibrationQuery,
    ) -> PortResult<Vec<((String, Option<String>), ReviewCounts)>> {
        let pairs: Vec<_> =
            wanted.found.iter().map(|(key, mapping)| (key, named(mapping.as_deref()))).collect();
        let pairs = serde_json::to_string(&pairs).map_err(corrupt)?;
        let parameters = (wanted.policy_version, wanted.context_key, pairs);
        let counted = |row: &Row<'_>| Ok(((get(row, 0)?, name(get(row, 1)?)), counts(row, 2)?));
        self.rows(sql!("calibration/learnt"), parameters, counted).await
    }

    async fn reliability(&self, filter: CalibrationFilter) -> PortResult<Vec<FieldReliability>> {
        let parameters =
            (filter.policy_version, filter.field_key, filter.context_key, filter.limit, filter.skip);
        self.rows(sql!("calibration/list"), parameters, reliability).await
    }
}

/// Learns what a document that was just marked teaches, and keeps what that was.
pub(crate) fn learn(
    connection: &Connection,
    document: DocumentId,
    policy: &ConfidencePolicy,
    at: Timestamp,
) -> PortResult<()> {
    let reviewed = connection
        .prepare_cached(sql!("calibration/reviewed"))
        .and_then(|mut statement| {
            let found = |row: &Row<'_>| Ok((row.get::<_, [u8; 16]>(0)?, row.get::<_, String>(1)?));
            statement.query_row([document.0.as_bytes()], found).optional()
        })
        .map_err(translate)?;
    let Some((run, data)) = reviewed else { return Ok(()) };
    let Some(lesson) = ReviewSignals::of(&serde_json::from_str(&data).map_err(bad_json)?, policy) else {
        return Ok(());
    };
    let signals = serde_json::to_string(&lesson.signals).map_err(corrupt)?;
    let id = ArtifactId::new();
    let values = params![
        id.0.as_bytes(),
        document.0.as_bytes(),
        run,
        lesson.context_key,
        lesson.policy_version,
        signals,
        micros(at),
    ];
    connection.execute(sql!("calibration/insert_snapshot"), values).map_err(translate)?;
    count(connection, &lesson, LearningDirection::Apply, policy)
}

/// Takes back what a document teaches, if it still does.
pub(crate) fn unlearn(
    connection: &Connection,
    document: DocumentId,
    policy: &ConfidencePolicy,
    at: Timestamp,
) -> PortResult<()> {
    let taught = connection
        .query_row(sql!("calibration/revert_snapshot"), params![document.0.as_bytes(), micros(at)], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?))
        })
        .optional()
        .map_err(translate)?;
    let Some((context_key, policy_version, signals)) = taught else { return Ok(()) };
    let signals = serde_json::from_str(&signals).map_err(bad_json)?;
    count(
        connection,
        &ReviewSignals { context_key, policy_version, signals },
        LearningDirection::Revert,
        policy,
    )
}

fn count(
    connection: &Connection,
    lesson: &ReviewSignals,
    way: LearningDirection,
    policy: &ConfidencePolicy,
) -> PortResult<()> {
    for signal in &lesson.signals {
        let before = find(connection, lesson, signal)?;
        let after = before.after(signal, way, policy);
        let (counts, standing) = (after.counts, after.state.as_str());
        let mapping = named(signal.mapping_id.as_deref());
        let (policy, context, key) = (&lesson.policy_version, &lesson.context_key, &signal.field_key);
        let write = |query: &str, values: &[&dyn rusqlite::ToSql]| {
            connection
                .prepare_cached(query)
                .and_then(|mut statement| statement.execute(values))
                .map(|_| ())
                .map_err(translate)
        };
        let values = params![policy, context, key, mapping, counts.accepts, counts.edits, standing];
        write(sql!("calibration/upsert"), values)?;
        let Some(bin) = signal.bin else { continue };
        write(sql!("calibration/reserve_bin"), params![policy, context, key, mapping, bin])?;
        let (accepts, edits) = signal.delta(way);
        let values = params![policy, context, key, mapping, bin, accepts, edits];
        write(sql!("calibration/add_to_bin"), values)?;
    }
    Ok(())
}

fn find(
    connection: &Connection,
    lesson: &ReviewSignals,
    signal: &FieldSignal,
) -> PortResult<CalibrationEntry> {
    let mapping = named(signal.mapping_id.as_deref());
    let values = params![lesson.policy_version, lesson.context_key, signal.field_key, mapping];
    let found = connection
        .prepare_cached(sql!("calibration/find"))
        .and_then(|mut statement| statement.query_row(values, |row| Ok(learnt(row, 0))).optional())
        .map_err(translate)?;
    found.unwrap_or_else(|| Ok(CalibrationEntry::default()))
}

/// What found a key, as it is stored.
fn named(mapping: Option<&str>) -> &str {
    mapping.unwrap_or_default()
}

fn name(stored: String) -> Option<String> {
    Some(stored).filter(|name| !name.is_empty())
}

fn counts(row: &Row<'_>, first: usize) -> PortResult<ReviewCounts> {
    Ok(ReviewCounts { accepts: get(row, first)?, edits: get(row, first + 1)? })
}

fn learnt(row: &Row<'_>, first: usize) -> PortResult<CalibrationEntry> {
    let standing = CalibrationState::parse(&get::<String>(row, first + 2)?);
    let standing = standing.ok_or_else(|| PortError::Corrupt("a standing is unknown".to_owned()))?;
    Ok(CalibrationEntry { counts: counts(row, first)?, state: standing })
}

fn reliability(row: &Row<'_>) -> PortResult<FieldReliability> {
    let bins: Vec<_> = serde_json::from_str(&get::<String>(row, 8)?).map_err(bad_json)?;
    Ok(FieldReliability {
        context_key: get(row, 0)?,
        field_key: get(row, 1)?,
        mapping_id: name(get(row, 2)?),
        learnt: learnt(row, 3)?,
        of_key: counts(row, 6)?,
        bins: FieldReliability::bins(&bins),
    })
}

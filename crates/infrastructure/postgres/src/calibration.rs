//! What reviews teach: learnt and taken back with the marks, and read.

use std::collections::HashMap;

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
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::error::{bad_json, corrupt, translate};
use crate::row::{At, count, get, int, text};
use crate::{PgStore, sql};

#[async_trait]
impl Calibration for PgStore {
    async fn learnt(
        &self,
        wanted: CalibrationQuery,
    ) -> PortResult<Vec<((String, Option<String>), ReviewCounts)>> {
        let keys: Vec<_> = wanted.found.iter().map(|(key, _)| text(key)).collect();
        let mappings: Vec<_> = wanted.found.iter().map(|(_, mapping)| named(mapping.as_deref())).collect();
        let query = || {
            sqlx::query(sql!("calibration/learnt"))
                .bind(text(&wanted.policy_version))
                .bind(text(&wanted.context_key))
                .bind(keys.clone())
                .bind(mappings.clone())
        };
        self.rows(query, |row| Ok(((get(row, 0)?, name(get(row, 1)?)), counts(row, 2)?))).await
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
        self.rows(query, reliability).await
    }
}

/// Learns what a document that was just marked teaches, and keeps what that was. The document is locked.
pub(crate) async fn learn(
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
    let Some(reviewed) = reviewed else { return Ok(()) };
    let version = serde_json::from_str(get(&reviewed, 1)?).map_err(bad_json)?;
    let Some(lesson) = ReviewSignals::of(&version, policy) else { return Ok(()) };
    sqlx::query(sql!("calibration/insert_snapshot"))
        .bind(ArtifactId::new().0)
        .bind(document.0)
        .bind(get::<Uuid>(&reviewed, 0)?)
        .bind(text(&lesson.context_key))
        .bind(text(&lesson.policy_version))
        .bind(serde_json::to_string(&lesson.signals).map_err(corrupt)?)
        .bind(At(at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    add(connection, &lesson, LearningDirection::Apply, policy).await
}

/// Takes back what a document teaches, if it still does. The document is locked.
pub(crate) async fn unlearn(
    connection: &mut PgConnection,
    document: DocumentId,
    policy: &ConfidencePolicy,
    at: Timestamp,
) -> PortResult<()> {
    let taught = sqlx::query(sql!("calibration/revert_snapshot"))
        .bind(document.0)
        .bind(At(at))
        .fetch_optional(&mut *connection)
        .await
        .map_err(translate)?;
    let Some(taught) = taught else { return Ok(()) };
    let lesson = ReviewSignals {
        context_key: get(&taught, 0)?,
        policy_version: get(&taught, 1)?,
        signals: serde_json::from_str(get(&taught, 2)?).map_err(bad_json)?,
    };
    add(connection, &lesson, LearningDirection::Revert, policy).await
}

/// Adds the signals of a lesson, or takes them away. What is counted is locked first, in one order, so that whoever
/// learns of the same at the same time waits, and nobody in a circle.
async fn add(
    connection: &mut PgConnection,
    lesson: &ReviewSignals,
    way: LearningDirection,
    policy: &ConfidencePolicy,
) -> PortResult<()> {
    let columns = Columns::of(lesson);
    columns.query(sql!("calibration/reserve")).execute(&mut *connection).await.map_err(translate)?;
    let locked =
        columns.query(sql!("calibration/lock")).fetch_all(&mut *connection).await.map_err(translate)?;
    let mut before = HashMap::with_capacity(locked.len());
    for row in &locked {
        before.insert((get::<String>(row, 0)?, get::<String>(row, 1)?), learnt(row, 2)?);
    }
    let after = |(place, signal): (usize, &FieldSignal)| {
        let key = (columns.keys[place].clone(), columns.mappings[place].clone());
        before.get(&key).copied().unwrap_or_default().after(signal, way, policy)
    };
    let after: Vec<CalibrationEntry> = lesson.signals.iter().enumerate().map(after).collect();
    columns
        .query(sql!("calibration/update"))
        .bind(after.iter().map(|learnt| int(learnt.counts.accepts)).collect::<Vec<_>>())
        .bind(after.iter().map(|learnt| int(learnt.counts.edits)).collect::<Vec<_>>())
        .bind(after.iter().map(|learnt| learnt.state.as_str()).collect::<Vec<_>>())
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    add_to_bins(connection, lesson, way).await
}

async fn add_to_bins(
    connection: &mut PgConnection,
    lesson: &ReviewSignals,
    way: LearningDirection,
) -> PortResult<()> {
    let mut shown = lesson.clone();
    shown.signals.retain(|signal| signal.bin.is_some());
    let columns = Columns::of(&shown);
    let bins: Vec<_> = shown.signals.iter().filter_map(|signal| signal.bin.map(i32::from)).collect();
    let (accepts, edits): (Vec<_>, Vec<_>) = shown.signals.iter().map(|signal| signal.delta(way)).unzip();
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

/// The first parameters of every query about the signals of a lesson.
struct Columns<'l> {
    lesson: &'l ReviewSignals,
    keys: Vec<String>,
    mappings: Vec<String>,
}

impl<'l> Columns<'l> {
    fn of(lesson: &'l ReviewSignals) -> Self {
        let signals = &lesson.signals;
        Self {
            lesson,
            keys: signals.iter().map(|signal| text(&signal.field_key)).collect(),
            mappings: signals.iter().map(|signal| named(signal.mapping_id.as_deref())).collect(),
        }
    }

    fn query(
        &self,
        query: &'static str,
    ) -> sqlx::query::Query<'static, sqlx::Postgres, sqlx::postgres::PgArguments> {
        sqlx::query(query)
            .bind(text(&self.lesson.policy_version))
            .bind(text(&self.lesson.context_key))
            .bind(self.keys.clone())
            .bind(self.mappings.clone())
    }
}

/// What found a key, as it is stored.
fn named(mapping: Option<&str>) -> String {
    text(mapping.unwrap_or_default())
}

fn name(stored: String) -> Option<String> {
    Some(stored).filter(|name| !name.is_empty())
}

fn counts(row: &PgRow, first: usize) -> PortResult<ReviewCounts> {
    Ok(ReviewCounts { accepts: count(row, first)?, edits: count(row, first + 1)? })
}

fn learnt(row: &PgRow, first: usize) -> PortResult<CalibrationEntry> {
    let standing = CalibrationState::parse(get(row, first + 2)?);
    let standing = standing.ok_or_else(|| PortError::Corrupt("a standing is unknown".to_owned()))?;
    Ok(CalibrationEntry { counts: counts(row, first)?, state: standing })
}

fn reliability(row: &PgRow) -> PortResult<FieldReliability> {
    let sum = |place| Ok(u32::try_from(get::<i64>(row, place)?).unwrap_or(u32::MAX));
    let bins: Vec<_> = serde_json::from_str(get(row, 8)?).map_err(bad_json)?;
    Ok(FieldReliability {
        context_key: get(row, 0)?,
        field_key: get(row, 1)?,
        mapping_id: name(get(row, 2)?),
        learnt: learnt(row, 3)?,
        of_key: ReviewCounts { accepts: sum(6)?, edits: sum(7)? },
        bins: FieldReliability::bins(&bins),
    })
}

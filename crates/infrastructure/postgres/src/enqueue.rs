//! Adds runs to the queue.
//!
//! A run goes behind the front of its subject, or becomes the front if there is none. Other transactions can change
//! the front at the same time. So this module locks a front that it finds: the front cannot end before the run behind
//! it is visible. If it finds none and another transaction makes one first, the unique index reports the conflict, and
//! this module looks again.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::reading::Extractor;
use quire_domain::run::create;
use quire_domain::{Event, NewRun, Run, RunId, Turn};
use quire_ports::{PortResult, SubjectQueue};
use quire_sql::{another_run_has_the_id, row, run_not_found};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::batcher::BatchHandler;
use crate::database::{Database, commit};
use crate::error::{translate, unavailable};
use crate::row::{StoredTime, int, mapped, text};
use crate::sql;
use crate::transition::append;

/// How often to look again after another transaction has changed a subject's front, before giving up.
const MAX_RETRIES: usize = 50;

/// A run to insert, and its creation time.
#[derive(Clone, Debug)]
pub(crate) struct TimedRun {
    pub(crate) new: NewRun,
    pub(crate) at: Timestamp,
}

pub(crate) struct InsertRuns(pub(crate) Database);

#[async_trait]
impl BatchHandler for InsertRuns {
    type Input = TimedRun;
    type Output = Run;

    async fn run(&self, new: &[TimedRun]) -> PortResult<Vec<PortResult<Run>>> {
        self.0
            .with_timeout(async {
                let mut transaction = self.0.begin().await?;
                let (runs, events) = insert(&mut transaction, new).await?;
                append(&mut transaction, &events, true).await?;
                commit(transaction).await?;
                Ok(runs)
            })
            .await
    }
}

/// Inserts runs and returns each as it is stored, with the events that the caller must append. A run that exists
/// already is returned unchanged.
pub(crate) async fn insert(
    connection: &mut PgConnection,
    new: &[TimedRun],
) -> PortResult<(Vec<PortResult<Run>>, Vec<Event>)> {
    let created: Vec<(Run, Event)> = new.iter().map(|timed| create(&timed.new, timed.at)).collect();
    let mut inserted = insert_all(connection, created.iter().map(|(run, _)| run).collect()).await?;
    // If one batch asks for the same run twice, the first request inserts it and the second finds it.
    let stored: Vec<Option<Run>> = created.iter().map(|(run, _)| inserted.remove(&run.id)).collect();
    let is_known = |(_, stored): &(&(Run, Event), &Option<Run>)| stored.is_none();
    let known: Vec<RunId> =
        created.iter().zip(&stored).filter(is_known).map(|((run, _), _)| run.id).collect();
    let known = find_all(connection, &known).await?;
    let mut runs = Vec::with_capacity(created.len());
    let mut events = Vec::with_capacity(created.len());
    for ((run, event), stored) in created.into_iter().zip(stored) {
        if let Some(stored) = stored {
            events.push(event);
            runs.push(Ok(stored));
        } else {
            runs.push(existing_or_conflict(&run, &known));
        }
    }
    Ok((runs, events))
}

/// The stored run with that id, if it has the requested subject and pipeline.
fn existing_or_conflict(wanted: &Run, stored: &[Run]) -> PortResult<Run> {
    let found = stored.iter().find(|run| run.id == wanted.id);
    let found = found.ok_or_else(|| run_not_found(wanted.id))?;
    if found.subject == wanted.subject && found.pipeline == wanted.pipeline {
        Ok(found.clone())
    } else {
        Err(another_run_has_the_id(wanted.id))
    }
}

/// Inserts the runs that do not exist yet, and returns them as they are stored.
async fn insert_all(
    connection: &mut PgConnection,
    mut pending: Vec<&Run>,
) -> PortResult<HashMap<RunId, Run>> {
    // Every batch uses the same order, so that no two batches deadlock. Within a subject the oldest run comes first.
    pending.sort_by_key(|run| (run.subject, run.pipeline, run.created_at, run.id));
    let mut ids = HashSet::new();
    pending.retain(|run| ids.insert(run.id));
    let mut inserted = HashMap::new();
    for _ in 0..MAX_RETRIES {
        if pending.is_empty() {
            return Ok(inserted);
        }
        let fronts = lock_fronts(connection, &pending).await?;
        let round = places(&pending, &fronts);
        let new = insert_round(connection, &round).await?;
        let missed: Vec<RunId> =
            round.iter().map(|(run, _)| run.id).filter(|id| !new.contains_key(id)).collect();
        let there: HashSet<RunId> =
            find_all(connection, &missed).await?.into_iter().map(|run| run.id).collect();
        pending.retain(|run| !new.contains_key(&run.id) && !there.contains(&run.id));
        inserted.extend(new);
    }
    Err(unavailable("others are writing to the same subjects", true))
}

/// The runs to insert now, and their places. If a subject has a front, all its runs go behind it. If it has none, only
/// its first run is inserted, as the front.
fn places<'r>(pending: &[&'r Run], fronts: &HashSet<SubjectQueue>) -> Vec<(&'r Run, Turn)> {
    let mut begun = HashSet::new();
    let mut places = Vec::with_capacity(pending.len());
    for run in pending {
        let subject = (run.subject, run.pipeline);
        if fronts.contains(&subject) {
            places.push((*run, Turn::Behind));
        } else if begun.insert(subject) {
            places.push((*run, Turn::Ready));
        }
    }
    places
}

async fn lock_fronts(connection: &mut PgConnection, pending: &[&Run]) -> PortResult<HashSet<SubjectQueue>> {
    let mut subjects: Vec<SubjectQueue> = pending.iter().map(|run| (run.subject, run.pipeline)).collect();
    subjects.dedup();
    let rows = sqlx::query(sql!("runs/lock_fronts_for_share"))
        .bind(subjects.iter().map(|(subject, _)| subject.0).collect::<Vec<_>>())
        .bind(subjects.iter().map(|(_, pipeline)| pipeline.as_str()).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    Ok(mapped(&rows, row::subject_queue)?.into_iter().collect())
}

async fn insert_round(
    connection: &mut PgConnection,
    round: &[(&Run, Turn)],
) -> PortResult<HashMap<RunId, Run>> {
    let runs = || round.iter().map(|(run, _)| run);
    let rows = sqlx::query(sql!("runs/insert"))
        .bind(runs().map(|run| run.id.0).collect::<Vec<_>>())
        .bind(runs().map(|run| run.pipeline.as_str()).collect::<Vec<_>>())
        .bind(runs().map(|run| run.subject.0).collect::<Vec<_>>())
        .bind(round.iter().map(|(_, turn)| turn.as_str()).collect::<Vec<_>>())
        .bind(runs().map(|run| run.priority.rank()).collect::<Vec<_>>())
        .bind(runs().map(|run| run.correlation_id.as_deref().map(text)).collect::<Vec<_>>())
        .bind(runs().map(|run| StoredTime(run.created_at)).collect::<Vec<_>>())
        .bind(runs().map(|run| run.continues.map(|continued| continued.run.0)).collect::<Vec<_>>())
        .bind(runs().map(|run| run.continues.map(|continued| int(continued.number))).collect::<Vec<_>>())
        .bind(runs().map(|run| run.requested_by.as_deref().map(text)).collect::<Vec<_>>())
        .bind(runs().map(|run| run.extractor.map(Extractor::as_str)).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await
        .map_err(translate)?;
    let stored = mapped(&rows, |row| Ok((row::run(row)?, row.boolean("has_earlier")?)))?;
    let followers = stored.iter().filter(|(_, has_earlier)| *has_earlier).map(|(run, _)| run.id.0).collect();
    clear_previous_listing(connection, followers).await?;
    Ok(stored.into_iter().map(|(run, _)| (run.id, run)).collect())
}

/// The list of documents shows each document by its latest run, and one of these runs is the latest now.
async fn clear_previous_listing(connection: &mut PgConnection, followers: Vec<Uuid>) -> PortResult<()> {
    if followers.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("runs/clear_previous_listing"))
        .bind(followers)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn find_all(connection: &mut PgConnection, ids: &[RunId]) -> PortResult<Vec<Run>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(sql!("runs/find_all"))
        .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    mapped(&rows, row::run)
}

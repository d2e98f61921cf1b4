//! The writes of owners about their runs. Each write also returns whether there may be work to claim now.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use quire_domain::run::{last_event, late_write_refused};
use quire_domain::{Effect, Event, RunId, SchemaRef, StepName};
use quire_ports::{PortResult, RunWrite, RunWriteOutcome};
use quire_sql::VersionColumns;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::batcher::BatchHandler;
use crate::database::{Database, commit};
use crate::error::translate;
use crate::row::{StoredTime, int, mapped, text};
use crate::steps::write_step_progress;
use crate::transition::{Performed, TimedTransition, append, apply_effects, update};
use crate::{document_fields, links, proposals, reviews, search_entry, sql};

pub(crate) struct RunWriter(pub(crate) Database);

#[async_trait]
impl BatchHandler for RunWriter {
    type Input = RunWrite;
    type Output = (RunWriteOutcome, bool);

    async fn run(&self, writes: &[RunWrite]) -> PortResult<Vec<PortResult<(RunWriteOutcome, bool)>>> {
        self.0
            .with_timeout(async {
                let mut transaction = self.0.begin_planned_once().await?;
                let mut events = Vec::new();
                let mut written: HashMap<usize, RunWriteOutcome> = HashMap::new();
                let mut notify = false;
                for round in rounds(writes) {
                    notify |= write(&mut transaction, writes, &round, &mut written, &mut events).await?;
                }
                append(&mut transaction, &events, notify).await?;
                commit(transaction).await?;
                let mut outcome = |index: usize| written.remove(&index).unwrap_or(RunWriteOutcome::Refused);
                Ok((0..writes.len()).map(|index| Ok((outcome(index), notify))).collect())
            })
            .await
    }
}

/// Splits the writes into rounds with at most one write for each run. A second write about a run must follow the
/// first, because it is checked against the fence that the first leaves. This is rare, so there is almost always one
/// round.
fn rounds(writes: &[RunWrite]) -> Vec<Vec<usize>> {
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let mut seen: HashMap<RunId, usize> = HashMap::new();
    for (index, write) in writes.iter().enumerate() {
        let times = seen.entry(write.run.id).or_default();
        if *times == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*times].push(index);
        *times += 1;
    }
    rounds
}

/// Writes the requests at the indexes in `round`, except their events.
async fn write(
    connection: &mut PgConnection,
    writes: &[RunWrite],
    round: &[usize],
    written: &mut HashMap<usize, RunWriteOutcome>,
    events: &mut Vec<Event>,
) -> PortResult<bool> {
    let mut indexes = round.to_vec();
    indexes.sort_by_key(|index| writes[*index].run.id);
    let group: Vec<&RunWrite> = indexes.iter().map(|index| &writes[*index]).collect();
    let fence_matches = lock_and_check_fence(connection, &group).await?;
    // This query runs after the locks were taken, so an earlier try that was still committing has ended by now.
    let done = done_before(connection, &group).await?;
    let mut accepted = Vec::with_capacity(group.len());
    for (index, write) in indexes.iter().zip(&group) {
        if done.contains(&write.run.id) {
            written.insert(*index, RunWriteOutcome::Accepted(Vec::new()));
        } else if fence_matches.contains(&write.run.id) {
            accepted.push((*index, *write));
        } else {
            written.insert(*index, RunWriteOutcome::Refused);
            let last = last_event(&write.events, write.transition.as_ref());
            events.push(late_write_refused(&write.run, last, write.at));
        }
    }
    let (indexes, accepted): (Vec<usize>, Vec<&RunWrite>) = accepted.into_iter().unzip();
    let mut performed = store(connection, &accepted, events).await?;
    for (index, write) in indexes.into_iter().zip(accepted) {
        let added = performed.added_events.remove(&write.run.id).unwrap_or_default();
        written.insert(index, RunWriteOutcome::Accepted(added));
    }
    Ok(performed.notify)
}

/// Locks the runs so that they keep their owners, and returns the runs whose fence still matches. Runs that end are
/// updated at once, which locks them too. The other runs get a lock that lets new runs queue up behind them.
async fn lock_and_check_fence(
    connection: &mut PgConnection,
    group: &[&RunWrite],
) -> PortResult<HashSet<RunId>> {
    lock_documents(connection, group).await?;
    lock_reviewed(connection, group).await?;
    let mut fence_matches = lock(connection, group).await?;
    choose_schemas_of_runs(connection, group).await?;
    fence_matches.extend(update(connection, &transitions(group)).await?);
    Ok(fence_matches)
}

/// Locks the documents that get another embedding or their schema with these writes. Every transaction locks documents before
/// runs.
async fn lock_documents(connection: &mut PgConnection, group: &[&RunWrite]) -> PortResult<()> {
    let changed = group.iter().filter(|write| write.text.is_some() || chosen_schema(write).is_some());
    let documents: Vec<Uuid> = changed.map(|write| write.run.subject.0).collect();
    if documents.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("documents/lock_all")).bind(documents).execute(connection).await.map_err(translate)?;
    Ok(())
}

/// Locks the documents whose review may end with these writes.
async fn lock_reviewed(connection: &mut PgConnection, group: &[&RunWrite]) -> PortResult<()> {
    let ends_review = |effect: &Effect| matches!(effect, Effect::EndReview(_));
    let ending = group.iter().filter_map(|write| write.transition.as_ref());
    let ending = ending.filter(|end| end.effects.iter().any(ends_review));
    let documents: Vec<Uuid> = ending.map(|end| end.run.subject.0).collect();
    if documents.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("documents/lock_reviewed"))
        .bind(documents)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

fn transitions<'a>(group: &[&'a RunWrite]) -> Vec<TimedTransition<'a>> {
    let transitions = group.iter().filter_map(|write| {
        write.transition.as_ref().map(|transition| TimedTransition { transition, at: write.at })
    });
    transitions.collect()
}

/// Locks the runs that do not end with this write. A repeated write takes a lock that the first try cannot share: it waits
/// until that try has been committed or rolled back.
async fn lock(connection: &mut PgConnection, group: &[&RunWrite]) -> PortResult<HashSet<RunId>> {
    let going_on: Vec<_> = group.iter().filter(|write| write.transition.is_none()).collect();
    if going_on.is_empty() {
        return Ok(HashSet::new());
    }
    let is_repeated = going_on.iter().any(|write| write.repeated);
    let query = if is_repeated { sql!("runs/lock_fenced_alone") } else { sql!("runs/lock_fenced") };
    let rows = sqlx::query(query)
        .bind(going_on.iter().map(|write| write.run.id.0).collect::<Vec<_>>())
        .bind(going_on.iter().map(|write| write.run.fence.0).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    Ok(mapped(&rows, |row| row.uuid("run_id").map(RunId))?.into_iter().collect())
}

/// Stores the effects of the writes whose fence matches: steps, artifacts, turns. The caller appends their events at
/// the end.
async fn store(
    connection: &mut PgConnection,
    accepted: &[&RunWrite],
    events: &mut Vec<Event>,
) -> PortResult<Performed> {
    write_step_progress(connection, accepted.iter().flat_map(|write| &write.events)).await?;
    let mut performed = apply_effects(connection, &transitions(accepted)).await?;
    insert_artifacts(connection, accepted).await?;
    insert_interpretations(connection, accepted).await?;
    choose_schemas_of_documents(connection, accepted).await?;
    document_fields::refresh(connection, &completed_documents(accepted)).await?;
    search_entry::complete(connection, accepted).await?;
    proposals::insert_results(connection, accepted).await?;
    links::insert_summaries(connection, accepted).await?;
    for write in accepted {
        events.extend(write.events.iter().cloned());
        events.extend(performed.recorded.remove(&write.run.id).unwrap_or_default());
    }
    Ok(performed)
}

/// The runs for which an earlier attempt at the same write was committed, although its caller got no answer.
async fn done_before(connection: &mut PgConnection, group: &[&RunWrite]) -> PortResult<HashSet<RunId>> {
    let repeated: Vec<(&RunWrite, &Event)> = group
        .iter()
        .filter(|write| write.repeated)
        .filter_map(|write| Some((*write, last_event(&write.events, write.transition.as_ref())?)))
        .collect();
    if repeated.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = sqlx::query(sql!("events/exists"))
        .bind(repeated.iter().map(|(write, _)| write.run.id.0).collect::<Vec<_>>())
        .bind(repeated.iter().map(|(write, _)| write.run.fence.0).collect::<Vec<_>>())
        .bind(repeated.iter().map(|(_, last)| last.event_type.as_str()).collect::<Vec<_>>())
        .bind(repeated.iter().map(|(_, last)| last.step.map(StepName::as_str)).collect::<Vec<_>>())
        .bind(repeated.iter().map(|(_, last)| last.attempt.map(int)).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    Ok(mapped(&rows, |row| row.uuid("run_id").map(RunId))?.into_iter().collect())
}

/// The documents of the runs that complete with these writes.
fn completed_documents(accepted: &[&RunWrite]) -> Vec<Uuid> {
    let ends = accepted.iter().filter_map(|write| write.transition.as_ref()).map(|end| &end.run);
    ends.filter(|run| run.is_completed_document()).map(|run| run.subject.0).collect()
}

async fn insert_interpretations(connection: &mut PgConnection, accepted: &[&RunWrite]) -> PortResult<()> {
    let versions = accepted.iter().filter_map(|write| Some((write, write.interpretation.as_ref()?)));
    let columns = versions.map(|(write, first)| VersionColumns::of_first(write.run.id, first, write.at));
    reviews::insert_versions(connection, &columns.collect::<PortResult<Vec<_>>>()?).await
}

/// The schema that was chosen with this write, if the run left the choice open.
fn chosen_schema(write: &RunWrite) -> Option<&SchemaRef> {
    write.interpretation.as_ref()?.schema.as_ref()
}

fn chosen_schemas<'a>(group: &[&'a RunWrite]) -> Vec<(&'a RunWrite, &'a SchemaRef)> {
    group.iter().filter_map(|write| Some((*write, chosen_schema(write)?))).collect()
}

/// Binds runs whose fence holds to the schemas that were chosen for them. This comes before the end of a run, because a run that
/// has ended does not change.
async fn choose_schemas_of_runs(connection: &mut PgConnection, group: &[&RunWrite]) -> PortResult<()> {
    let chosen = chosen_schemas(group);
    if chosen.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("runs/choose_schema"))
        .bind(chosen.iter().map(|(write, _)| write.run.id.0).collect::<Vec<_>>())
        .bind(chosen.iter().map(|(_, schema)| text(&schema.name)).collect::<Vec<_>>())
        .bind(chosen.iter().map(|(_, schema)| int(schema.version)).collect::<Vec<_>>())
        .bind(chosen.iter().map(|(write, _)| write.run.fence.0).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Binds the documents of runs to the schemas that were chosen for them.
async fn choose_schemas_of_documents(
    connection: &mut PgConnection,
    accepted: &[&RunWrite],
) -> PortResult<()> {
    let chosen = chosen_schemas(accepted);
    if chosen.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("documents/choose_schema"))
        .bind(chosen.iter().map(|(write, _)| write.run.subject.0).collect::<Vec<_>>())
        .bind(chosen.iter().map(|(_, schema)| text(&schema.name)).collect::<Vec<_>>())
        .bind(chosen.iter().map(|(write, _)| StoredTime(write.at)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn insert_artifacts(connection: &mut PgConnection, accepted: &[&RunWrite]) -> PortResult<()> {
    let artifacts: Vec<_> = accepted
        .iter()
        .flat_map(|write| write.artifacts.iter().map(|artifact| (write.run.id, artifact)))
        .collect();
    if artifacts.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("artifacts/insert"))
        .bind(artifacts.iter().map(|(_, artifact)| artifact.id.0).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(run, _)| run.0).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(_, artifact)| text(&artifact.artifact_type)).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(_, artifact)| text(&artifact.payload)).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(_, artifact)| StoredTime(artifact.created_at)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

//! What owners write about their runs.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use quire_domain::{Event, RunId, StepName};
use quire_ports::{Advance, AdvanceOutcome, PortResult};
use quire_understanding::{document_confidence, search_text};
use sqlx::PgConnection;

use crate::batcher::Work;
use crate::database::{Database, commit};
use crate::error::{corrupt, translate};
use crate::row::{At, get, int, text};
use crate::steps::project;
use crate::transition::{Move, Woke, append, perform, update};
use crate::{reviews, sql};

pub(crate) struct WriteAdvances(pub(crate) Database);

#[async_trait]
impl Work for WriteAdvances {
    type Input = Advance;
    type Output = (AdvanceOutcome, Woke);

    async fn run(&self, advances: &[Advance]) -> PortResult<Vec<PortResult<(AdvanceOutcome, Woke)>>> {
        self.0
            .bounded(async {
                let mut transaction = self.0.begin().await?;
                let mut events = Vec::new();
                let mut written = HashMap::new();
                let mut woke = false;
                for round in rounds(advances) {
                    let Woke(ready) =
                        write(&mut transaction, advances, &round, &mut written, &mut events).await?;
                    woke |= ready;
                }
                append(&mut transaction, &events, Woke(woke)).await?;
                commit(transaction).await?;
                let outcome = |place: usize| written.get(&place).copied().unwrap_or(AdvanceOutcome::Refused);
                Ok((0..advances.len()).map(|place| Ok((outcome(place), Woke(woke)))).collect())
            })
            .await
    }
}

/// Two writes about one run must follow each other: the second judges by the fence that the first leaves. It is
/// rare, so almost always there is one round.
fn rounds(advances: &[Advance]) -> Vec<Vec<usize>> {
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let mut seen: HashMap<RunId, usize> = HashMap::new();
    for (place, advance) in advances.iter().enumerate() {
        let times = seen.entry(advance.run.id).or_default();
        if *times == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*times].push(place);
        *times += 1;
    }
    rounds
}

/// Writes those at the places of `round`, but for their events.
async fn write(
    connection: &mut PgConnection,
    advances: &[Advance],
    round: &[usize],
    written: &mut HashMap<usize, AdvanceOutcome>,
    events: &mut Vec<Event>,
) -> PortResult<Woke> {
    let mut places = round.to_vec();
    places.sort_by_key(|place| advances[*place].run.id);
    let group: Vec<&Advance> = places.iter().map(|place| &advances[*place]).collect();
    let held = hold(connection, &group).await?;
    // Asked after the locks were had: an earlier try that was still on its way is finished by now.
    let done = done_before(connection, &group).await?;
    let mut accepted = Vec::with_capacity(group.len());
    for (place, advance) in places.iter().zip(&group) {
        if done.contains(&advance.run.id) {
            written.insert(*place, AdvanceOutcome::Accepted);
        } else if held.contains(&advance.run.id) {
            written.insert(*place, AdvanceOutcome::Accepted);
            accepted.push(*advance);
        } else {
            written.insert(*place, AdvanceOutcome::Refused);
            events.push(advance.refusal());
        }
    }
    store(connection, &accepted, events).await
}

/// Keeps the runs from changing hands and tells whose fence still holds. Runs that end are moved at once, which
/// locks them too; the others are locked in a way that lets new runs queue up behind them.
async fn hold(connection: &mut PgConnection, group: &[&Advance]) -> PortResult<HashSet<RunId>> {
    let mut held = lock(connection, group).await?;
    held.extend(update(connection, &ends(group)).await?);
    Ok(held)
}

fn ends<'a>(group: &[&'a Advance]) -> Vec<Move<'a>> {
    let ends = group
        .iter()
        .filter_map(|advance| advance.end.as_ref().map(|end| Move { transition: end, at: advance.at }));
    ends.collect()
}

/// Locks those of the runs that go on.
async fn lock(connection: &mut PgConnection, group: &[&Advance]) -> PortResult<HashSet<RunId>> {
    let going_on: Vec<_> = group.iter().filter(|advance| advance.end.is_none()).collect();
    if going_on.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = sqlx::query(sql!("runs/hold"))
        .bind(going_on.iter().map(|advance| advance.run.id.0).collect::<Vec<_>>())
        .bind(going_on.iter().map(|advance| advance.run.fence.0).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    rows.iter().map(|row| get(row, 0).map(RunId)).collect()
}

/// What comes with the writes whose fence holds: steps, artifacts, turns. Their events are left for the end.
async fn store(
    connection: &mut PgConnection,
    accepted: &[&Advance],
    events: &mut Vec<Event>,
) -> PortResult<Woke> {
    project(connection, accepted.iter().flat_map(|advance| &advance.events)).await?;
    let (mut recorded, woke) = perform(connection, &ends(accepted)).await?;
    insert_artifacts(connection, accepted).await?;
    insert_interpretations(connection, accepted).await?;
    for advance in accepted {
        events.extend(advance.events.iter().cloned());
        events.extend(recorded.remove(&advance.run.id).unwrap_or_default());
    }
    Ok(woke)
}

/// The runs whose write was tried before and had succeeded without an answer.
async fn done_before(connection: &mut PgConnection, group: &[&Advance]) -> PortResult<HashSet<RunId>> {
    let asked: Vec<(&Advance, &Event)> = group
        .iter()
        .filter(|advance| advance.repeated)
        .filter_map(|advance| advance.marker().map(|marker| (*advance, marker)))
        .collect();
    if asked.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = sqlx::query(sql!("events/exists"))
        .bind(asked.iter().map(|(advance, _)| advance.run.id.0).collect::<Vec<_>>())
        .bind(asked.iter().map(|(advance, _)| advance.run.fence.0).collect::<Vec<_>>())
        .bind(asked.iter().map(|(_, marker)| marker.event_type.as_str()).collect::<Vec<_>>())
        .bind(asked.iter().map(|(_, marker)| marker.step.map(StepName::as_str)).collect::<Vec<_>>())
        .bind(asked.iter().map(|(_, marker)| marker.attempt.map(int)).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    rows.iter().map(|row| get(row, 0).map(RunId)).collect()
}

async fn insert_interpretations(connection: &mut PgConnection, accepted: &[&Advance]) -> PortResult<()> {
    let understood = accepted.iter().filter_map(|advance| Some((advance, advance.interpretation.as_ref()?)));
    let rows = understood.map(|(advance, first)| {
        Ok(reviews::Row {
            id: first.id,
            run: advance.run.id,
            number: 1,
            data: serde_json::to_string(&first.data).map_err(corrupt)?,
            words: search_text(&first.data.fields),
            at: advance.at,
            by: None,
            is_structural: false,
            certainty: document_confidence(&first.data.fields),
            made_by: first.made_by.clone(),
        })
    });
    reviews::insert(connection, &rows.collect::<PortResult<Vec<_>>>()?).await
}

async fn insert_artifacts(connection: &mut PgConnection, accepted: &[&Advance]) -> PortResult<()> {
    let artifacts: Vec<_> = accepted
        .iter()
        .flat_map(|advance| advance.artifacts.iter().map(|artifact| (advance.run.id, artifact)))
        .collect();
    if artifacts.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("artifacts/insert"))
        .bind(artifacts.iter().map(|(_, artifact)| artifact.id.0).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(run, _)| run.0).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(_, artifact)| text(&artifact.artifact_type)).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(_, artifact)| text(&artifact.payload)).collect::<Vec<_>>())
        .bind(artifacts.iter().map(|(_, artifact)| At(artifact.created_at)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

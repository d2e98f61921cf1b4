//! Keeps the engine busy: a bounded number of documents ahead of it, and each result written when it is done.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use quire_domain::{DocumentId, EventId, EventType, Run, RunId};
use quire_ports::{EventFilter, PortResult, RunHistory};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::inputs::{Input, Inputs};
use super::intake::{Hash, Intake, Looked};
use super::outcome::Outcome;
use super::results::Results;
use super::tally::Tally;
use crate::trouble::Trouble;

/// Files that are looked at or taken in at once: while one is written to the disk, another is read.
const AT_ONCE: usize = 4;
/// Documents that are taken in ahead, for each that is worked on: enough that none of the slots waits for a file, and few
/// enough that the copies kept meanwhile are not many.
const AHEAD: usize = 8;
/// Time between two looks for what has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Events read in one look.
const STRIDE: u32 = 1000;

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With a result for every file.
    All,
    /// Somebody told it to stop.
    Stopped,
    /// Whoever read the results has gone.
    NobodyReads,
}

/// Work on files, from the first to the last result.
pub(super) struct Work {
    intake: Intake,
    window: usize,
    stop: CancellationToken,
    watch: Watch,
    looking: JoinSet<Result<(String, Looked), Trouble>>,
    /// The runs under way, and whose bytes each works on.
    waiting: HashMap<RunId, Hash>,
}

impl Work {
    pub(super) async fn new(intake: Intake, slots: u32, stop: CancellationToken) -> PortResult<Self> {
        let history = intake.store.history.clone();
        let watch = Watch { after: history.newest_event().await?, history };
        let window = (slots as usize).saturating_mul(AHEAD);
        Ok(Self { intake, window, stop, watch, looking: JoinSet::new(), waiting: HashMap::new() })
    }

    /// Processes these files, some at a time.
    pub(super) async fn run(
        &mut self,
        inputs: &Inputs,
        results: &mut Results,
        tally: &mut Tally,
    ) -> Result<Ended, Trouble> {
        let mut files = inputs.files.iter();
        let stop = self.stop.clone();
        loop {
            while self.looking.len() < AT_ONCE && self.looking.len() + self.waiting.len() < self.window {
                let Some(file) = files.next() else { break };
                let kept = results.head(&file.name)?;
                self.look(file.clone(), kept);
            }
            if self.looking.is_empty() && self.waiting.is_empty() {
                return Ok(Ended::All);
            }
            let goes_on = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(Ended::Stopped),
                Some(looked) = self.looking.join_next() => {
                    let (name, looked) = looked??;
                    self.looked(name, looked, results, tally).await?
                }
                ended = self.watch.next() => self.ended(ended?, results, tally).await?,
            };
            if !goes_on {
                return Ok(Ended::NobodyReads);
            }
        }
    }

    fn look(&mut self, file: Input, kept: Option<super::outcome::Head>) {
        let (intake, name) = (self.intake.clone(), file.name.clone());
        self.looking.spawn(async move { Ok((name, intake.look(file, kept).await?)) });
    }

    async fn looked(
        &mut self,
        name: String,
        looked: Looked,
        results: &mut Results,
        tally: &mut Tally,
    ) -> Result<bool, Trouble> {
        match looked {
            Looked::Joined => {}
            Looked::Kept(head) => tally.kept(&head),
            Looked::PassedOver => tally.passed_over(&name),
            Looked::Known(None, outcome) => return write(results, tally, *outcome, vec![name]),
            Looked::Known(Some(hash), outcome) => return self.settle(&hash, *outcome, results, tally),
            Looked::UnderWay(hash, run) => {
                self.waiting.insert(run.id, hash);
                // It may have ended before anybody waited for it.
                let run = self.intake.store.history.run(run.id).await?;
                if run.state.is_terminal() {
                    return self.ended(vec![run.id], results, tally).await;
                }
            }
        }
        Ok(true)
    }

    /// Writes the results of runs that have ended. Nobody may wait for one of an earlier time, whose file is not meant now;
    /// it is remembered all the same.
    async fn ended(
        &mut self,
        runs: Vec<RunId>,
        results: &mut Results,
        tally: &mut Tally,
    ) -> Result<bool, Trouble> {
        for id in runs {
            let run: Run = self.intake.store.history.run(id).await?;
            let document = self.intake.store.documents.find(DocumentId(run.subject.0)).await?;
            let outcome = self.intake.result(&document, &run).await?;
            let Some(hash) = self.waiting.remove(&id) else { continue };
            if !self.settle(&hash, outcome, results, tally)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn settle(
        &mut self,
        hash: &Hash,
        outcome: Outcome,
        results: &mut Results,
        tally: &mut Tally,
    ) -> Result<bool, Trouble> {
        write(results, tally, outcome, self.intake.waiting_for(hash))
    }
}

/// Writes a result under each of these names. False when nobody reads it.
fn write(
    results: &mut Results,
    tally: &mut Tally,
    mut outcome: Outcome,
    names: Vec<String>,
) -> Result<bool, Trouble> {
    for name in names {
        outcome.file = name;
        if !tally.suspended(|| results.write(&outcome))? {
            return Ok(false);
        }
        tally.done(&outcome);
    }
    Ok(true)
}

/// Sees runs end.
struct Watch {
    history: Arc<dyn RunHistory>,
    after: EventId,
}

impl Watch {
    /// The runs that ended since. Whoever stops waiting for it misses nothing by asking again.
    async fn next(&mut self) -> PortResult<Vec<RunId>> {
        loop {
            let events = self.history.events(self.after, EventFilter::default(), STRIDE).await?;
            self.after = events.last().map_or(self.after, |last| last.id);
            let ended = events.iter().filter(|recorded| is_end(recorded.event.event_type));
            let ended: Vec<RunId> = ended.filter_map(|recorded| recorded.event.run).collect();
            if !ended.is_empty() {
                return Ok(ended);
            }
            if events.is_empty() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }
}

fn is_end(event: EventType) -> bool {
    matches!(
        event,
        EventType::RunCompleted
            | EventType::RunFailed
            | EventType::RunTimedOut
            | EventType::RunRecoveredAsFailed
            | EventType::RunWithdrawn
    )
}

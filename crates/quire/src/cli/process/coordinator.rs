//! Keeps the engine busy with a bounded number of imported documents, and writes each result when its run ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use quire_domain::{DocumentId, EventId, Run, RunId};
use quire_ports::{EventFilter, PortResult, RunReader};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::file_result::{FileResult, ResultHeader};
use super::importer::{ContentHash, Importer, Inspection};
use super::inputs::{InputFile, InputFiles};
use super::progress::ProcessProgress;
use super::results::ResultWriter;
use crate::error::CommandError;

/// Files inspected at the same time: while one is written to disk, another one is read.
const INSPECTIONS: usize = 4;
/// Documents imported per slot: enough that no slot waits for a file, few enough to limit the copies on disk.
const IMPORTED_PER_SLOT: usize = 8;
/// Time between two checks for ended runs.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Events read per query.
const EVENT_LIMIT: u32 = 1000;

/// Why processing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndReason {
    /// Every file has a result.
    Complete,
    /// A signal stopped the command.
    Stopped,
    /// The output was closed.
    OutputClosed,
}

/// Processes files, from the first to the last result.
pub(super) struct Coordinator {
    importer: Importer,
    max_pending: usize,
    stop: CancellationToken,
    watcher: RunEndWatcher,
    inspections: JoinSet<Result<(String, Inspection), CommandError>>,
    /// The running runs and the content that each processes.
    waiting: HashMap<RunId, ContentHash>,
}

impl Coordinator {
    pub(super) async fn new(importer: Importer, slots: u32, stop: CancellationToken) -> PortResult<Self> {
        let history = importer.store.run_reader.clone();
        let watcher = RunEndWatcher { after: history.newest_event().await?, history };
        let max_pending = (slots as usize).saturating_mul(IMPORTED_PER_SLOT);
        Ok(Self {
            importer,
            max_pending,
            stop,
            watcher,
            inspections: JoinSet::new(),
            waiting: HashMap::new(),
        })
    }

    /// Processes these files.
    pub(super) async fn run(
        &mut self,
        inputs: &InputFiles,
        results: &mut ResultWriter,
        progress: &mut ProcessProgress,
    ) -> Result<EndReason, CommandError> {
        let mut files = inputs.files.iter();
        let stop = self.stop.clone();
        loop {
            while self.inspections.len() < INSPECTIONS
                && self.inspections.len() + self.waiting.len() < self.max_pending
            {
                let Some(file) = files.next() else { break };
                let existing = results.header(&file.name)?;
                self.inspect(file.clone(), existing);
            }
            if self.inspections.is_empty() && self.waiting.is_empty() {
                return Ok(EndReason::Complete);
            }
            let is_open = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(EndReason::Stopped),
                Some(inspected) = self.inspections.join_next() => {
                    let (name, inspection) = inspected??;
                    self.handle(name, inspection, results, progress).await?
                }
                runs = self.watcher.next() => self.write_ended(runs?, results, progress).await?,
            };
            if !is_open {
                return Ok(EndReason::OutputClosed);
            }
        }
    }

    fn inspect(&mut self, file: InputFile, existing: Option<ResultHeader>) {
        let (importer, name) = (self.importer.clone(), file.name.clone());
        self.inspections.spawn(async move { Ok((name, importer.inspect(file, existing).await?)) });
    }

    /// Acts on an inspection. Returns false if the output is closed.
    async fn handle(
        &mut self,
        name: String,
        inspection: Inspection,
        results: &mut ResultWriter,
        progress: &mut ProcessProgress,
    ) -> Result<bool, CommandError> {
        match inspection {
            Inspection::SameContent => {}
            Inspection::UpToDate(header) => progress.up_to_date(&header),
            Inspection::Unsupported => progress.unsupported(&name),
            Inspection::Finished(None, result) => return write(results, progress, *result, vec![name]),
            Inspection::Finished(Some(hash), result) => {
                return self.write_for_content(&hash, *result, results, progress);
            }
            Inspection::Running(hash, run) => {
                self.waiting.insert(run.id, hash);
                // It may have ended before it was added to `waiting`.
                let run = self.importer.store.run_reader.run(run.id).await?;
                if run.state.is_terminal() {
                    return self.write_ended(vec![run.id], results, progress).await;
                }
            }
        }
        Ok(true)
    }

    /// Writes the results of ended runs. No file waits for a run of an earlier command whose file is not named now; its result
    /// stays in the state.
    async fn write_ended(
        &mut self,
        runs: Vec<RunId>,
        results: &mut ResultWriter,
        progress: &mut ProcessProgress,
    ) -> Result<bool, CommandError> {
        for id in runs {
            let run: Run = self.importer.store.run_reader.run(id).await?;
            let document = self.importer.store.documents.find(DocumentId(run.subject.0)).await?;
            let result = self.importer.result(&document, &run).await?;
            let Some(hash) = self.waiting.remove(&id) else { continue };
            if !self.write_for_content(&hash, result, results, progress)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn write_for_content(
        &mut self,
        hash: &ContentHash,
        result: FileResult,
        results: &mut ResultWriter,
        progress: &mut ProcessProgress,
    ) -> Result<bool, CommandError> {
        write(results, progress, result, self.importer.take_waiting(hash))
    }
}

/// Writes a result under each of these names. Returns false if the output is closed.
fn write(
    results: &mut ResultWriter,
    progress: &mut ProcessProgress,
    mut result: FileResult,
    names: Vec<String>,
) -> Result<bool, CommandError> {
    for name in names {
        result.file = name;
        if !progress.suspended(|| results.write(&result))? {
            return Ok(false);
        }
        progress.written(&result);
    }
    Ok(true)
}

/// Watches the event history for ended runs.
struct RunEndWatcher {
    history: Arc<dyn RunReader>,
    after: EventId,
}

impl RunEndWatcher {
    /// Waits for the next ended runs. Cancel safe: a dropped call loses no run.
    async fn next(&mut self) -> PortResult<Vec<RunId>> {
        loop {
            let events = self.history.events(self.after, EventFilter::default(), EVENT_LIMIT).await?;
            self.after = events.last().map_or(self.after, |last| last.id);
            let ended = events.iter().filter(|recorded| recorded.event.event_type.ends_run());
            let ended: Vec<RunId> = ended.filter_map(|recorded| recorded.event.run).collect();
            if !ended.is_empty() {
                return Ok(ended);
            }
            if events.is_empty() {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        }
    }
}

//! Follows requests until they end, and shows on a bar how many have.

use std::collections::VecDeque;
use std::time::Duration;

use indicatif::ProgressBar;
use quire_application::link::LinkRun;
use quire_domain::{RunId, StepStatus};
use quire_ports::Store;

use super::super::progress_bar;
use crate::error::CommandError;

/// Between two looks at a request.
const PAUSE: Duration = Duration::from_millis(100);
/// At how many other requests a look also looks.
const OTHERS: usize = 10;

/// The requests of a command that have not ended, as far as it knows.
pub(super) struct LinkProgress<'a> {
    store: &'a Store,
    open: VecDeque<RunId>,
    bar: ProgressBar,
}

impl<'a> LinkProgress<'a> {
    /// Of these requests. Those of `all` that are not among them have ended.
    pub(super) fn new(store: &'a Store, open: VecDeque<RunId>, all: usize) -> Self {
        let bar = progress_bar::links(all);
        bar.inc((all - open.len()) as u64);
        Self { store, open, bar }
    }

    /// The request when it has ended. Meanwhile the bar shows what is being done, and which others have ended.
    pub(super) async fn follow(&mut self, id: RunId) -> Result<LinkRun, CommandError> {
        loop {
            if self.has_ended(id).await? {
                if let Some(at) = self.open.iter().position(|one| *one == id) {
                    self.open.remove(at);
                    self.bar.inc(1);
                }
                return Ok(self.store.links.request(id).await?);
            }
            let steps = self.store.run_reader.steps(id).await?;
            let running = steps.iter().find(|step| step.status == StepStatus::Running);
            self.bar.set_message(running.map_or("waiting", |step| step.step.as_str()));
            self.look_at_others().await?;
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn look_at_others(&mut self) -> Result<(), CommandError> {
        for _ in 0..self.open.len().min(OTHERS) {
            let Some(id) = self.open.pop_front() else { break };
            if self.has_ended(id).await? {
                self.bar.inc(1);
            } else {
                self.open.push_back(id);
            }
        }
        Ok(())
    }

    async fn has_ended(&self, id: RunId) -> Result<bool, CommandError> {
        Ok(self.store.run_reader.run(id).await?.state.is_terminal())
    }

    /// Prints something above the bar.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

//! Breakpoints in the engine's loop, where a test can observe, pause or fail it.

use async_trait::async_trait;
use quire_domain::RunId;

use crate::PortError;

/// A place in the engine's loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Breakpoint {
    /// A tick is about to claim.
    BeforeClaim,
    /// Runs were claimed; none has been given to its task yet.
    AfterClaim,
    /// A step is about to be worked on.
    BeforeStep,
    /// A step's work is done and not yet recorded.
    AfterStep,
    /// What a step did was recorded.
    AfterAdvance,
    /// A run has ended.
    AfterEnd,
    /// The lease is about to be renewed.
    BeforeHeartbeat,
    /// The watchdog is about to look for orphaned and overdue runs.
    BeforeWatch,
}

/// What a test does at the breakpoints.
#[async_trait]
pub trait Probe: Send + Sync {
    /// Called at each breakpoint; the engine waits for the answer and treats an error as its store's.
    async fn reached(&self, place: Breakpoint, run: Option<RunId>) -> Result<(), PortError>;
}

/// No probe: what production uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

#[async_trait]
impl Probe for NoProbe {
    async fn reached(&self, _: Breakpoint, _: Option<RunId>) -> Result<(), PortError> {
        Ok(())
    }
}

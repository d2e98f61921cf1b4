//! Breakpoints in the engine's loop, where a test can observe, pause or fail it.

use async_trait::async_trait;
use quire_domain::RunId;

use crate::PortError;

/// A place in the engine's loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Breakpoint {
    /// Before a claim.
    BeforeClaim,
    /// After a claim, before the runs start.
    AfterClaim,
    /// Before the work of a step.
    BeforeStep,
    /// After the work of a step, before it is recorded.
    AfterStep,
    /// After the result of a step is recorded.
    AfterWrite,
    /// A run has ended.
    AfterEnd,
    /// A run was sent back to the queue to wait.
    AfterWait,
    /// Before the lease is renewed.
    BeforeHeartbeat,
    /// Before the watchdog looks for orphaned and overdue runs.
    BeforeWatch,
}

/// The actions of a test at the breakpoints.
#[async_trait]
pub trait Breakpoints: Send + Sync {
    /// Called at each breakpoint. The engine waits for it and treats an error as an error of the store.
    async fn reached(&self, place: Breakpoint, run: Option<RunId>) -> Result<(), PortError>;
}

/// Nothing happens at any breakpoint, for production.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBreakpoints;

#[async_trait]
impl Breakpoints for NoBreakpoints {
    async fn reached(&self, _: Breakpoint, _: Option<RunId>) -> Result<(), PortError> {
        Ok(())
    }
}

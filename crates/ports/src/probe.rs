//! Named places in the engine's loop where a test can stand: to look, to hold it there, or to let it fail.

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
    /// A run was settled.
    AfterEnd,
    /// The lease is about to be renewed.
    BeforeHeartbeat,
    /// The watchdog is about to look around.
    BeforeWatch,
}

/// Whoever stands at the breakpoints.
#[async_trait]
pub trait Probe: Send + Sync {
    /// Called at each breakpoint; the engine waits for the answer and treats an error as its store's.
    async fn reached(&self, place: Breakpoint, run: Option<RunId>) -> Result<(), PortError>;
}

/// Nobody: what production uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

#[async_trait]
impl Probe for NoProbe {
    async fn reached(&self, _: Breakpoint, _: Option<RunId>) -> Result<(), PortError> {
        Ok(())
    }
}

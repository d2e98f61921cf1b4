//! Follows a script at the engine's breakpoints. A test sees which breakpoints were reached, holds the engine at one, or makes it
//! fail there.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use quire_domain::RunId;
use quire_ports::{Breakpoint, Breakpoints, PortError};
use tokio::sync::{Semaphore, watch};

/// What happens at a breakpoint.
enum BreakpointAction {
    /// Return this error.
    Fail(PortError),
    /// Wait until [`ScriptedBreakpoints::release`].
    Hold,
}

/// Follows a script at the breakpoints.
pub struct ScriptedBreakpoints {
    script: Mutex<VecDeque<(Breakpoint, BreakpointAction)>>,
    reached: watch::Sender<Vec<(Breakpoint, Option<RunId>)>>,
    held: Mutex<Vec<Breakpoint>>,
    gate: Semaphore,
}

impl Default for ScriptedBreakpoints {
    fn default() -> Self {
        Self {
            script: Mutex::default(),
            reached: watch::Sender::new(Vec::new()),
            held: Mutex::default(),
            gate: Semaphore::new(0),
        }
    }
}

impl ScriptedBreakpoints {
    /// The next time the engine reaches `breakpoint`, it gets this error.
    pub fn fail_once(&self, breakpoint: Breakpoint, error: PortError) {
        self.script.lock().unwrap().push_back((breakpoint, BreakpointAction::Fail(error)));
    }

    /// The next time the engine reaches `breakpoint`, it waits there for [`ScriptedBreakpoints::release`].
    pub fn hold_once(&self, breakpoint: Breakpoint) {
        self.script.lock().unwrap().push_back((breakpoint, BreakpointAction::Hold));
    }

    /// Lets one waiting engine continue.
    pub fn release(&self) {
        self.gate.add_permits(1);
    }

    /// How often the engine has reached `breakpoint`.
    pub fn count(&self, breakpoint: Breakpoint) -> usize {
        self.reached.borrow().iter().filter(|(at, _)| *at == breakpoint).count()
    }

    /// How often the engine was held at `breakpoint`.
    pub fn held(&self, breakpoint: Breakpoint) -> usize {
        self.held.lock().unwrap().iter().filter(|at| **at == breakpoint).count()
    }

    /// Returns when the engine has reached `breakpoint` `times` times.
    pub async fn wait_for(&self, breakpoint: Breakpoint, times: usize) {
        let mut reached = self.reached.subscribe();
        let enough = reached.wait_for(|all| all.iter().filter(|(at, _)| *at == breakpoint).count() >= times);
        tokio::time::timeout(crate::observed_store::TEST_TIMEOUT, enough)
            .await
            .unwrap_or_else(|_| panic!("{breakpoint:?} was not reached {times} times"))
            .unwrap();
    }
}

#[async_trait]
impl Breakpoints for ScriptedBreakpoints {
    async fn reached(&self, breakpoint: Breakpoint, run: Option<RunId>) -> Result<(), PortError> {
        self.reached.send_modify(|all| all.push((breakpoint, run)));
        let action = {
            let mut script = self.script.lock().unwrap();
            let next = script.iter().position(|(at, _)| *at == breakpoint);
            next.and_then(|index| script.remove(index))
        };
        match action {
            None => Ok(()),
            Some((_, BreakpointAction::Fail(error))) => Err(error),
            Some((_, BreakpointAction::Hold)) => {
                self.held.lock().unwrap().push(breakpoint);
                self.gate.acquire().await.unwrap().forget();
                Ok(())
            }
        }
    }
}

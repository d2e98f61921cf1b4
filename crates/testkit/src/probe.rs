//! Standing at the engine's breakpoints: to see what was reached, to hold the engine there, to let it fail.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use quire_domain::RunId;
use quire_ports::{Breakpoint, PortError, Probe};
use tokio::sync::{Semaphore, watch};

/// What to do when a breakpoint is reached.
enum ProbeAction {
    /// Answer with this error.
    Fail(PortError),
    /// Wait until [`Rehearsal::release`].
    Hold,
}

/// A script for the breakpoints.
pub struct ScriptedProbe {
    plans: Mutex<VecDeque<(Breakpoint, ProbeAction)>>,
    reached: watch::Sender<Vec<(Breakpoint, Option<RunId>)>>,
    gate: Semaphore,
}

impl Default for ScriptedProbe {
    fn default() -> Self {
        Self { plans: Mutex::default(), reached: watch::Sender::new(Vec::new()), gate: Semaphore::new(0) }
    }
}

impl ScriptedProbe {
    /// The next time `place` is reached, the engine meets this error.
    pub fn fail_once(&self, place: Breakpoint, error: PortError) {
        self.plans.lock().unwrap().push_back((place, ProbeAction::Fail(error)));
    }

    /// The next time `place` is reached, the engine waits there.
    pub fn hold_once(&self, place: Breakpoint) {
        self.plans.lock().unwrap().push_back((place, ProbeAction::Hold));
    }

    /// Lets one held engine go on.
    pub fn release(&self) {
        self.gate.add_permits(1);
    }

    /// How often a place was reached.
    pub fn count(&self, place: Breakpoint) -> usize {
        self.reached.borrow().iter().filter(|(at, _)| *at == place).count()
    }

    /// Returns when a place has been reached `times` times.
    pub async fn wait_for(&self, place: Breakpoint, times: usize) {
        let mut reached = self.reached.subscribe();
        let enough = reached.wait_for(|all| all.iter().filter(|(at, _)| *at == place).count() >= times);
        tokio::time::timeout(crate::observed_store::TEST_TIMEOUT, enough)
            .await
            .unwrap_or_else(|_| panic!("{place:?} was not reached {times} times"))
            .unwrap();
    }
}

#[async_trait]
impl Probe for ScriptedProbe {
    async fn reached(&self, place: Breakpoint, run: Option<RunId>) -> Result<(), PortError> {
        self.reached.send_modify(|all| all.push((place, run)));
        let plan = {
            let mut plans = self.plans.lock().unwrap();
            let found = plans.iter().position(|(at, _)| *at == place);
            found.and_then(|index| plans.remove(index))
        };
        match plan {
            None => Ok(()),
            Some((_, ProbeAction::Fail(error))) => Err(error),
            Some((_, ProbeAction::Hold)) => {
                self.gate.acquire().await.unwrap().forget();
                Ok(())
            }
        }
    }
}

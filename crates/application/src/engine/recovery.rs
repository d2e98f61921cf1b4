//! What a crash does to a run:
//!
//! 1. A dead process no longer renews its worker lease, so the lease expires. Any engine that was in contact with the store
//!    for a whole lease term (`contact.rs`) ends the lease. On SQLite a lease does not expire: the process that takes the
//!    lock on the file beside the database ends all earlier leases when it registers, before it claims (`Engine::start`).
//! 2. The RUNNING runs of a worker without a lease are *orphaned runs*. The transaction that ends an expired lease recovers
//!    the first of them, up to a batch; further transactions recover the rest.
//! 3. `domain/run/transition/recover.rs` decides by the pipeline's `RecoveryPolicy`: FAILED, or requeued. Runs
//!    that were orphaned together are from then on worked on one at a time (`domain/run/orphans.rs`).
//! 4. The step that was interrupted is recorded as failed. A requeued run resumes at its first unfinished step.
//! 5. If the old worker was only suspended, it finds its lease ended, and the store refuses its late writes: recovery has
//!    moved the run's fence. If nobody has ended its lease, it renews it and goes on.

use quire_ports::PortResult;

use super::EngineCore;
use super::watchdog::BATCH;
use crate::event_telemetry;

impl EngineCore {
    /// Fails or requeues every run whose worker is gone, as the recovery policy of its pipeline says.
    pub(super) async fn recover_orphaned_runs(&self) -> PortResult<()> {
        loop {
            let now = self.store.clock.now();
            let expired = self.contact.expired_leases(now);
            let recovered =
                self.store.recovery.recover_orphaned_runs(&self.recovery_rules, expired, now, BATCH).await?;
            for transition in &recovered {
                event_telemetry::count_recovered(transition.run.pipeline);
                self.minute_counters.count_recovered(transition);
                self.report_transition(transition);
            }
            if recovered.len() < BATCH {
                return Ok(());
            }
        }
    }
}

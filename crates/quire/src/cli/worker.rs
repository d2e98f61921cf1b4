//! `quire worker`

use clap::Args;
use quire_domain::{ClaimScope, ScopePart};

use super::output;
use crate::StepFactory;
use crate::config::Config;
use crate::error::CommandError;
use crate::listen;
use crate::service::{Endpoints, run_until_stopped};
use crate::telemetry::Telemetry;

/// Run a worker on PostgreSQL, without API and pages
///
/// Any number of workers may run, on any number of machines. Stops like `quire serve`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire worker --database postgres://quire@db.internal/quire\n  \
    quire worker --listen 127.0.0.1:9100      serve health and metrics\n  \
    quire worker --only link --only proposal  leave documents to other workers\n  \
    quire worker --only ocr                   recognise the scans that other workers have no time for")]
pub(super) struct WorkerCommand {
    /// Address for health checks and metrics [default: none]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Claim only runs of this pipeline (document, proposal or link), or only runs that already wait in this lane; may be
    /// repeated [default: all]. A run waits in a lane after another worker has begun it and found no free place there: with
    /// `--only ocr` alone nobody begins a document
    #[arg(long, value_name = "PIPELINE|LANE")]
    only: Vec<ScopePart>,
}

impl WorkerCommand {
    pub(super) fn run(
        self,
        config: &Config,
        telemetry: &Telemetry,
        steps: StepFactory,
    ) -> Result<(), CommandError> {
        if config.location().is_sqlite() {
            return Err(CommandError::new(
                "workers need PostgreSQL: a SQLite database belongs to one process. Use `quire serve`, or name a database \
                 with --database postgres://…",
            ));
        }
        let listen =
            self.listen.as_deref().map(|listen| listen::parse_address("--listen", listen)).transpose()?;
        let config = Config { scope: ClaimScope::of_parts(self.only), ..config.clone() };
        let ready = |_| output::print("Quire worker is ready\n");
        super::run_multi_threaded(run_until_stopped(
            &config,
            telemetry,
            steps,
            listen,
            Endpoints::Health,
            ready,
        ))
    }
}

//! `quire worker`

use clap::Args;

use super::output;
use crate::StepFactory;
use crate::config::Config;
use crate::hosting::{Shows, host};
use crate::listening;
use crate::telemetry::Telemetry;
use crate::trouble::Trouble;

/// Run a worker on PostgreSQL, without the product's pages and API
///
/// As many as needed may run, on as many machines. Stops like `quire serve`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire worker --database postgres://quire@db.internal/quire\n  \
    quire worker --listen 127.0.0.1:9100      with health and metrics")]
pub(super) struct Worker {
    /// Answer health checks and metrics here
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
}

impl Worker {
    pub(super) fn run(
        self,
        config: &Config,
        telemetry: &Telemetry,
        steps: StepFactory,
    ) -> Result<(), Trouble> {
        if config.location().is_sqlite() {
            return Err(Trouble::new(
                "workers share a PostgreSQL database, and this one is SQLite, which one process owns: use `quire \
                 serve`, or name a database with --database postgres://…",
            ));
        }
        let listen =
            self.listen.as_deref().map(|listen| listening::address("--listen", listen)).transpose()?;
        let ready = |_| output::say("Quire worker is ready\n");
        super::staying(host(config, telemetry, steps, listen, Shows::Health, ready))
    }
}

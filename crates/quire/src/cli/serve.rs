//! `quire serve`

use clap::Args;

use super::output;
use crate::StepFactory;
use crate::config::Config;
use crate::error::CommandError;
use crate::listen;
use crate::service::{Endpoints, run_until_stopped};
use crate::telemetry::Telemetry;

/// Run the server: API, pages and workers in one process
///
/// Prints one line when it is ready. SIGTERM or Ctrl-C stops it gracefully: it starts no new runs and waits for running
/// ones (`engine.shutdown_wait`). A second signal stops it at once.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire serve\n  \
    quire serve --listen 127.0.0.1:9000 --data /srv/quire\n  \
    quire serve --database postgres://quire@db.internal/quire\n  \
    quire serve --no-workers                  beside `quire worker`")]
pub(super) struct ServeCommand {
    /// Address to listen on; port 0 picks a free one [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<String>,
    /// Serve API and pages only, and leave all runs to `quire worker`; needs PostgreSQL
    #[arg(long)]
    no_workers: bool,
}

impl ServeCommand {
    pub(super) fn run(
        self,
        config: &Config,
        telemetry: &Telemetry,
        steps: StepFactory,
    ) -> Result<(), CommandError> {
        if self.no_workers && config.location().is_sqlite() {
            return Err(CommandError::new(
                "--no-workers needs PostgreSQL: a SQLite database belongs to one process, which must do the work",
            ));
        }
        let listen = listen::parse_address("server.listen", &config.server.listen)?;
        super::run_multi_threaded(run_until_stopped(
            config,
            telemetry,
            steps,
            Some(listen),
            if self.no_workers { Endpoints::WithoutEngine } else { Endpoints::All },
            |address| {
                let address = address.unwrap_or(listen);
                output::print(&format!("Quire is ready at http://{address}/\n"))
            },
        ))
    }
}

//! `quire serve`

use clap::Args;

use super::output;
use crate::StepFactory;
use crate::config::Config;
use crate::hosting::{Shows, host};
use crate::listening;
use crate::telemetry::Telemetry;
use crate::trouble::Trouble;

/// Run the server: HTTP, scheduler and workers in one process
///
/// Prints one line when it is ready. SIGTERM or Ctrl-C stops it gracefully: it takes nothing new and gives runs
/// under way a moment to end; a second signal stops it at once.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire serve\n  \
    quire serve --listen 127.0.0.1:9000 --data /srv/quire\n  \
    quire serve --database postgres://quire@db.internal/quire")]
pub(super) struct Serve {
    /// Where to answer; port 0 takes any that is free [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<String>,
}

pub(super) fn run(config: &Config, telemetry: &Telemetry, steps: StepFactory) -> Result<(), Trouble> {
    let listen = listening::address("server.listen", &config.server.listen)?;
    super::staying(host(config, telemetry, steps, Some(listen), Shows::Everything, |address| {
        let address = address.unwrap_or(listen);
        output::say(&format!("Quire is ready at http://{address}/\n"))
    }))
}

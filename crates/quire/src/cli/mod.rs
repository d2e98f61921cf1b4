//! The command line: one file per verb. Commands that only ask work beside a running server and never start an
//! engine.

mod calibration;
mod config;
mod keys;
mod migrate;
mod output;
mod process;
mod progress;
mod purge;
mod queue;
mod read;
#[cfg(test)]
mod reference;
mod runs;
mod schema;
mod serve;
mod upload;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::StepFactory;
use crate::config::{Config, Flag, Log, LogLevel};
use crate::telemetry;
use crate::trouble::Trouble;

/// A durable document-processing engine.
///
/// Documents come in, every one gets runs made of steps, and what a run finds is kept. On one machine it needs
/// nothing but a folder; with PostgreSQL the same program runs on as many machines as needed.
#[derive(Parser)]
#[command(
    name = "quire",
    version,
    after_help = "Examples:\n  \
        quire serve                        start on SQLite in ./quire-data\n  \
        quire serve --data /srv/quire      keep everything there instead\n  \
        quire upload scans/                take documents in\n  \
        quire read invoice.pdf             what stands on its pages\n  \
        quire schema list                  by what documents are understood\n  \
        quire process scans/ --out found/  what they say, without a server\n  \
        quire queue                        what waits, what failed, who works\n  \
        quire runs list --state FAILED     which runs failed\n  \
        quire calibration                  what reviews have taught about confidence\n  \
        quire keys create --name me --role admin    ask who is asking, from now on\n  \
        quire config                       every setting and where it came from\n\n\
        Settings are described in quire.default.toml. A flag beats an environment variable (QUIRE_ENGINE_SLOTS),\n\
        which beats quire.toml, which beats the default."
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Flags that every command has.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
struct Common {
    /// Read settings from this file [default: quire.toml in the working directory, if there is one]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder where everything is kept
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<String>,
    /// The database, by its URL
    #[arg(
        long,
        global = true,
        value_name = "URL",
        help = "The database: sqlite:PATH or postgres://… [default: quire.db in the data folder]"
    )]
    database: Option<String>,
    /// How log lines look: auto, json or pretty
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<String>,
    /// How much is logged: off, error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL")]
    log_level: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Worker(worker::Worker),
    #[command(subcommand)]
    Migrate(migrate::Migrate),
    #[command(subcommand)]
    Runs(runs::Runs),
    Queue(queue::Queue),
    #[command(subcommand)]
    Keys(keys::Keys),
    Upload(upload::Upload),
    Purge(purge::Purge),
    #[command(subcommand)]
    Schema(schema::Schema),
    Read(read::Read),
    Calibration(calibration::Calibration),
    Process(process::Process),
    /// Print the settings in effect, and where each came from
    ///
    /// As TOML that can be used as a configuration file, except that passwords are masked.
    Config,
}

/// Does what a command line says.
pub(crate) fn execute(
    command_line: impl IntoIterator<Item = OsString>,
    steps: StepFactory,
) -> Result<ExitCode, Trouble> {
    let cli = match Cli::try_parse_from(command_line) {
        Ok(cli) => cli,
        Err(asked) => {
            // Help and version come this way, too. If nobody reads them, that is all right.
            let _ = asked.print();
            return Ok(ExitCode::from(u8::try_from(asked.exit_code()).unwrap_or(2)));
        }
    };
    let (config, layers) = Config::load(cli.common.config.as_deref(), &cli.flags())?;
    let telemetry = telemetry::start(cli.log(config.log));
    let said = match cli.command {
        // Its one flag is among the settings by now.
        Command::Serve(_) => {
            serve::run(&config, &telemetry, steps)?;
            String::new()
        }
        Command::Worker(worker) => {
            worker.run(&config, &telemetry, steps)?;
            String::new()
        }
        Command::Migrate(migrate) => asking(migrate.run(&config))?,
        Command::Runs(runs) => asking(runs.run(&config))?,
        Command::Calibration(calibration) => asking(calibration.run(&config))?,
        Command::Queue(queue) => asking(queue.run(&config))?,
        Command::Keys(keys) => asking(keys.run(&config))?,
        Command::Purge(purge) => asking(purge.run(&config))?,
        Command::Schema(schema) => return asking(schema.run(&config)),
        Command::Read(read) => return staying(read.run(&config)),
        Command::Upload(upload) => return staying(upload.run(&config)),
        Command::Process(process) => return staying(process.run(&config, steps, &cli.common)),
        Command::Config => config::show(&layers),
    };
    output::say(&said)?;
    Ok(ExitCode::SUCCESS)
}

impl Cli {
    /// Who sends a folder in wants to see what was refused, and not every event, unless they say so; and who sees a bar,
    /// which tells of every failure already, only what is wrong with the program.
    fn log(&self, log: Log) -> Log {
        let enough = match self.command {
            Command::Upload(_) => LogLevel::Warn,
            Command::Process(_) => LogLevel::Error,
            _ => log.level,
        };
        let is_chosen = self.common.log_level.is_some() || log.level != LogLevel::Info;
        if is_chosen { log } else { Log { level: enough, ..log } }
    }

    fn flags(&self) -> Vec<Flag> {
        let common = &self.common;
        let listen = match &self.command {
            Command::Serve(serve) => serve.listen.as_ref(),
            _ => None,
        };
        [
            ("--data", "storage.data", common.data.as_ref()),
            ("--database", "storage.database", common.database.as_ref()),
            ("--log-format", "log.format", common.log_format.as_ref()),
            ("--log-level", "log.level", common.log_level.as_ref()),
            ("--listen", "server.listen", listen),
        ]
        .into_iter()
        .filter_map(|(name, key, value)| Some(Flag { name, key, value: value?.clone() }))
        .collect()
    }
}

/// Runs a command that only asks, on this thread.
fn asking<T>(command: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(command)
}

/// How long work on other threads may hold up the end of the process.
const LAST_THREADS: Duration = Duration::from_secs(5);

/// Runs a command that stays, on as many threads as there are cores.
fn staying<T>(command: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(command);
    runtime.shutdown_timeout(LAST_THREADS);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}

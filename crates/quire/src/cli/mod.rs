//! The command line, one file per command. Commands other than `serve`, `worker` and `process` work while a
//! server is running, and start no engine; `propose` and `summarise` start one if no server is
//! running.

mod ask;
mod backup;
mod calibration;
mod config;
mod doctor;
mod evaluate;
mod gc;
mod hide;
mod keys;
mod migrate;
mod output;
mod process;
mod progress_bar;
mod propose;
mod purge;
mod queue;
mod read;
#[cfg(test)]
mod reference;
mod restore;
mod runs;
mod schema;
mod search;
mod serve;
mod store;
mod summarise;
mod upload;
mod verify;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::StepFactory;
use crate::config::{Config, Flag, LogLevel, LogSection};
use crate::error::CommandError;
use crate::{owner_only, telemetry};

/// A durable document-processing engine
///
/// Every uploaded document is processed in runs made of steps; the results are stored and can be reviewed. One machine
/// needs only a folder. With PostgreSQL, the same program runs on as many machines as needed.
#[derive(Parser)]
#[command(
    name = "quire",
    version,
    after_help = "Examples:\n  \
        quire serve                        start on SQLite in ./quire-data\n  \
        quire serve --data /srv/quire      use another data folder\n  \
        quire upload scans/                upload documents\n  \
        quire read invoice.pdf             print the text of a document\n  \
        quire search 'otitis externa'      find documents\n  \
        quire schema list                  list the schemas for documents\n  \
        quire process scans/ --out found/  extract fields without a server\n  \
        quire evaluate samples/            measure how well fields are found\n  \
        quire propose \"An idea.\"           let five personas review an idea\n  \
        quire summarise https://…          summarise a web page\n  \
        quire queue                        show queue, failures and workers\n  \
        quire runs list --state FAILED     list failed runs\n  \
        quire calibration                  show what reviews taught about confidence\n  \
        quire keys create --name me --role admin    require an API key from now on\n  \
        quire doctor                       check what this installation needs\n  \
        quire config                       print every setting and its origin\n\n\
        quire.default.toml describes the settings. A flag beats an environment variable (QUIRE_ENGINE_SLOTS), which\n\
        beats quire.toml, which beats the default."
)]
struct Cli {
    #[command(flatten)]
    common: CommonFlags,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
struct CommonFlags {
    /// Configuration file [default: quire.toml in the working directory, if it exists]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Data folder [default: ./quire-data]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<String>,
    /// Database URL: sqlite:PATH or postgres://… [default: quire.db in the data folder]
    #[arg(long, global = true, value_name = "URL")]
    database: Option<String>,
    /// Log format: auto, json or pretty [default: auto]
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<String>,
    /// Log level: off, error, warn, info, debug or trace [default: info]
    #[arg(long, global = true, value_name = "LEVEL")]
    log_level: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::ServeCommand),
    Worker(worker::WorkerCommand),
    #[command(subcommand)]
    Migrate(migrate::MigrateCommand),
    #[command(subcommand)]
    Runs(runs::RunsCommand),
    Queue(queue::QueueCommand),
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    Search(search::SearchCommand),
    Ask(ask::AskCommand),
    Upload(upload::UploadCommand),
    Doctor(doctor::DoctorCommand),
    Verify(verify::VerifyCommand),
    #[command(subcommand)]
    Store(store::StoreCommand),
    Backup(backup::BackupCommand),
    Restore(restore::RestoreCommand),
    Hide(hide::HideCommand),
    Purge(purge::PurgeCommand),
    Gc(gc::GcCommand),
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    Read(read::ReadCommand),
    Calibration(calibration::CalibrationCommand),
    Process(process::ProcessCommand),
    Evaluate(evaluate::EvaluateCommand),
    Propose(propose::ProposeCommand),
    Summarise(summarise::SummariseCommand),
    /// Print the settings in effect and where each came from
    ///
    /// Prints TOML that can be used as a configuration file, except that secrets are masked.
    Config,
}

/// Parses and runs a command line.
pub(crate) fn execute(
    command_line: impl IntoIterator<Item = OsString>,
    steps: StepFactory,
) -> Result<ExitCode, CommandError> {
    let cli = match Cli::try_parse_from(command_line) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` come this way, too. A closed output is no error.
            let _ = error.print();
            return Ok(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)));
        }
    };
    let (config, layers) = Config::load(cli.common.config.as_deref(), &cli.flags())?;
    let telemetry = telemetry::start(cli.log(config.log));
    // The results of `process` and `evaluate` belong to the person who runs it, as any file that they make.
    if !matches!(cli.command, Command::Process(_) | Command::Evaluate(_)) {
        owner_only::create_for_owner_only();
    }
    let text = match cli.command {
        Command::Serve(serve) => {
            serve.run(&config, &telemetry, steps)?;
            String::new()
        }
        Command::Worker(worker) => {
            worker.run(&config, &telemetry, steps)?;
            String::new()
        }
        Command::Migrate(migrate) => run_single_threaded(migrate.run(&config))?,
        Command::Runs(runs) => run_single_threaded(runs.run(&config))?,
        Command::Calibration(calibration) => run_single_threaded(calibration.run(&config))?,
        Command::Search(search) => run_single_threaded(search.run(&config))?,
        Command::Ask(ask) => run_multi_threaded(ask.run(&config))?,
        Command::Queue(queue) => run_single_threaded(queue.run(&config))?,
        Command::Keys(keys) => run_single_threaded(keys.run(&config))?,
        Command::Hide(hide) => run_single_threaded(hide.run(&config))?,
        Command::Purge(purge) => run_single_threaded(purge.run(&config))?,
        Command::Gc(gc) => run_single_threaded(gc.run(&config))?,
        Command::Doctor(doctor) => return run_multi_threaded(doctor.run(&config, &layers)),
        Command::Verify(verify) => return run_multi_threaded(verify.run(&config)),
        Command::Backup(backup) => return run_multi_threaded(backup.run(&config)),
        Command::Restore(restore) => return run_multi_threaded(restore.run(&config)),
        Command::Store(store) => return run_multi_threaded(store.run(&config)),
        Command::Schema(schema) => return run_single_threaded(schema.run(&config)),
        Command::Read(read) => return run_multi_threaded(read.run(&config)),
        Command::Upload(upload) => return run_multi_threaded(upload.run(&config)),
        Command::Propose(propose) => return run_multi_threaded(propose.run(&config, steps)),
        Command::Summarise(summarise) => return run_multi_threaded(summarise.run(&config, steps)),
        Command::Process(process) => return run_multi_threaded(process.run(&config, steps, &cli.common)),
        Command::Evaluate(evaluate) => return run_multi_threaded(evaluate.run(&config, steps, &cli.common)),
        Command::Config => config::print(&layers),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

impl Cli {
    /// The log settings of the command. Without a chosen level, `upload` logs no events, and `process`, `propose`, `summarise`
    /// and `doctor` only errors, because they print their own progress and failures.
    fn log(&self, log: LogSection) -> LogSection {
        let default_level = match self.command {
            Command::Upload(_) => LogLevel::Warn,
            Command::Process(_)
            | Command::Evaluate(_)
            | Command::Propose(_)
            | Command::Summarise(_)
            | Command::Doctor(_) => LogLevel::Error,
            _ => log.level,
        };
        let is_chosen = self.common.log_level.is_some() || log.level != LogLevel::Info;
        if is_chosen { log } else { LogSection { level: default_level, ..log } }
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

/// Runs a short command on this thread.
fn run_single_threaded<T>(command: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(command)
}

/// How long tasks on other threads may delay the end of the process.
const RUNTIME_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a long command on one thread per core.
fn run_multi_threaded<T>(command: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(command);
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN_TIMEOUT);
    result
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

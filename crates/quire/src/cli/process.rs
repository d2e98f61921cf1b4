//! `quire process`

mod coordinator;
mod file_result;
mod importer;
mod inputs;
mod progress;
mod results;
mod settings;
mod state_folder;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quire_application::document::is_language;
use quire_application::lanes::LanePermits;
use quire_application::storage::OriginalsPolicy;

use self::coordinator::{Coordinator, EndReason};
pub(super) use self::file_result::COMPLETED;
use self::importer::Importer;
pub(super) use self::inputs::InputFiles;
use self::progress::ProcessProgress;
use self::results::{OutputFormat, OutputTarget, ResultWriter};
use super::{CommonFlags, progress_bar};
use crate::config::Config;
use crate::error::CommandError;
use crate::{StepFactory, service, shutdown, wire};

/// The exit code for invalid arguments.
pub(super) const EXIT_USAGE: u8 = 2;
/// The exit code that a shell reports for an interrupted program.
const EXIT_INTERRUPTED: u8 = 130;

/// Extract the fields of documents in files and folders, without a server
///
/// Reads every document, extracts the fields of the schema and writes each result as soon as it is ready. After an interruption,
/// the same command continues where it stopped. A file with the same content and settings as before is not processed again.
/// Skips hidden files and unsupported files in folders. The exit code is 0 if every document was processed, 1 if one failed,
/// and 2 for invalid arguments.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire process record.pdf                          print its fields as a line of JSON\n  \
    quire process records/ --out results/             write a JSON file per document\n  \
    quire process records/ --out results.jsonl        write a line of JSON per document\n  \
    quire process records/ --out values.csv           write a line per value\n  \
    quire process records/ --out results/ --retry-failed\n\n\
    The state is kept in a folder .quire beside the results (see --state). Delete it to start over.")]
pub(super) struct ProcessCommand {
    /// Files or folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output: a folder, or a .jsonl or .csv file [default: JSON lines on standard output]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Output format [default: by --out]: json writes a file per document, jsonl a line per document, csv a line per value
    #[arg(long, value_name = "FORMAT")]
    format: Option<OutputFormat>,
    /// Schema of the documents, or auto for the one that fits best [default: schemas.default]; see `quire schema list`
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// Language of the documents (ISO 639-1), such as es [default: detected]
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// State folder [default: .quire beside the results]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Documents processed at the same time [default: two per core, because some wait for the disk]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: Option<u32>,
    /// Process failed documents again, and those with a page that could not be read
    #[arg(long)]
    retry_failed: bool,
    /// Print only failures
    #[arg(long, short)]
    quiet: bool,
}

/// Invalid arguments.
struct UsageError(String);

impl ProcessCommand {
    /// A command that writes a line of JSON per document into a file and keeps its state in a folder of its own.
    pub(super) fn into_file(paths: Vec<PathBuf>, out: PathBuf, state: PathBuf) -> Self {
        Self {
            paths,
            out: Some(out),
            format: Some(OutputFormat::Jsonl),
            schema: None,
            language: None,
            state: Some(state),
            jobs: None,
            retry_failed: false,
            quiet: false,
        }
    }

    /// The same command with these options.
    pub(super) fn with_options(
        self,
        schema: Option<String>,
        language: Option<String>,
        jobs: Option<u32>,
    ) -> Self {
        Self { schema, language, jobs, ..self }
    }

    pub(super) async fn run(
        self,
        config: &Config,
        steps: StepFactory,
        common: &CommonFlags,
    ) -> Result<ExitCode, CommandError> {
        match self.prepare(common) {
            Ok((target, inputs)) => self.process(config, steps, target, &inputs).await,
            Err(UsageError(message)) => {
                CommandError::new(message).print();
                Ok(ExitCode::from(EXIT_USAGE))
            }
        }
    }

    fn prepare(&self, common: &CommonFlags) -> Result<(OutputTarget, InputFiles), UsageError> {
        if common.data.is_some() || common.database.is_some() {
            let message =
                "this command has its own state folder: use --state instead of --data or --database";
            return Err(UsageError(message.to_owned()));
        }
        if let Some(code) = self.language.as_deref().filter(|code| !is_language(code)) {
            return Err(UsageError(format!(
                "--language {code}: must be an ISO 639-1 code of two lower-case letters, such as es"
            )));
        }
        let target = OutputTarget::new(self.out.clone(), self.format).map_err(UsageError)?;
        let inputs = InputFiles::find(&self.paths, &[target.path(), Some(&self.state_folder(&target))]);
        Ok((target, inputs.map_err(UsageError)?))
    }

    fn state_folder(&self, target: &OutputTarget) -> PathBuf {
        self.state.clone().unwrap_or_else(|| target.default_state())
    }

    async fn process(
        self,
        config: &Config,
        steps: StepFactory,
        target: OutputTarget,
        inputs: &InputFiles,
    ) -> Result<ExitCode, CommandError> {
        let state = self.state_folder(&target);
        let config = settings::configure(config, &state, self.jobs);
        state_folder::create(&state)?;
        let stop = shutdown::on_signal()?;
        let database = wire::open_for_engine(&config, OriginalsPolicy::Removed).await?;
        let schema = self.schema.unwrap_or_else(|| config.schemas.default.clone());
        let Some(settings) =
            settings::fingerprint(&config, &database.store, &schema, self.language.as_deref()).await?
        else {
            let known = database.store.governance.schema_names().await?.join(", ");
            let message = format!("there is no schema {schema}; choose one of: {known}");
            CommandError::new(message).print();
            return Ok(ExitCode::from(EXIT_USAGE));
        };
        let mut results = ResultWriter::open(target)?;
        let lanes = LanePermits::new(&database.store, config.lane_limits());
        let engine = service::start_engine(&config, &database, &lanes, steps).await?;
        let bar = progress_bar::with_failures(inputs.files.len(), self.quiet);
        let mut progress = ProcessProgress::new(bar, inputs, self.quiet);
        let importer =
            Importer::new(&config, &database.store, settings, schema, self.language, self.retry_failed)?;
        let mut coordinator = Coordinator::new(importer, config.slots(), stop).await?;
        let end = coordinator.run(inputs, &mut results, &mut progress).await;
        // Running documents get a moment to end. The others stay in the queue for the next time.
        engine.stop().await;
        // Also after an interruption: the written results must be complete.
        let finished = match &end {
            Ok(EndReason::OutputClosed) => Ok(()),
            Ok(reason) => results.finish(matches!(reason, EndReason::Complete)),
            Err(_) => results.finish(false),
        };
        progress.finish();
        match end.and_then(|reason| finished.map(|()| reason)) {
            Ok(EndReason::OutputClosed) => Ok(ExitCode::SUCCESS),
            Ok(EndReason::Complete) => {
                progress.print_summary();
                Ok(if progress.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
            }
            Ok(EndReason::Stopped) => {
                eprintln!("quire: stopped; {}. Run the same command again to continue.", progress.status());
                Ok(ExitCode::from(EXIT_INTERRUPTED))
            }
            Err(error) => Err(CommandError::new(format!(
                "{error}. The results so far are kept in {}; run the same command again to continue",
                state.display()
            ))),
        }
    }
}

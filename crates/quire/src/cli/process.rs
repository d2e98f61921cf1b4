//! `quire process`

mod inputs;
mod intake;
mod outcome;
mod results;
mod settings;
mod state;
mod tally;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quire_application::document::is_language;

use self::inputs::Inputs;
use self::results::{Format, Results, Target};
use self::tally::Tally;
use self::work::{Ended, Work};
use super::{Common, progress};
use crate::config::Config;
use crate::trouble::Trouble;
use crate::{StepFactory, hosting, shutdown, wire};

/// What the command ends with if it was asked for something that cannot be.
const BAD_USE: u8 = 2;
/// What a shell reports for a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// Understand documents: files and folders in, their fields out
///
/// The whole product in one command, without a server: every document is read, understood by the schema and written out
/// as it is done. Whatever happens meanwhile, the same command goes on where it was; a file whose bytes were understood
/// before, by the same settings, is not processed again. Hidden files in folders are passed over, and what is no document.
/// Ends with 0 if all went well, with 1 if a document failed, with 2 if it was asked for something that cannot be.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire process record.pdf                          its fields, as a line of JSON\n  \
    quire process records/ --out results/             a JSON file for each document\n  \
    quire process records/ --out results.jsonl        a line of JSON for each\n  \
    quire process records/ --out values.csv           a line for each value\n  \
    quire process records/ --out results/ --retry-failed\n\n\
    What was understood is kept in a folder .quire beside the results (see --state). Remove it to begin anew.")]
pub(super) struct Process {
    /// Files, or folders with files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Where the results go: a folder, or a file that ends in .jsonl or .csv [default: JSON Lines on standard output]
    #[arg(long, value_name = "PLACE")]
    out: Option<PathBuf>,
    /// How they are written, if that is not to be told from --out: json is a file for each document in a folder, jsonl a
    /// line for each, csv a line for each value
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The schema by which they are understood, instead of schemas.default; `quire schema list` shows them
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// The language of the documents as ISO 639-1, such as es, instead of what they seem to be in
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// The folder that knows what was done [default: .quire beside the results]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Documents worked on at once [default: two for each core, since some wait for the disk]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: Option<u32>,
    /// Try those again that failed before
    #[arg(long)]
    retry_failed: bool,
    /// Say nothing but what went wrong
    #[arg(long, short)]
    quiet: bool,
}

/// What was asked for and cannot be.
struct Misuse(String);

impl Process {
    pub(super) async fn run(
        self,
        config: &Config,
        steps: StepFactory,
        common: &Common,
    ) -> Result<ExitCode, Trouble> {
        match self.prepare(common) {
            Ok((target, inputs)) => self.process(config, steps, target, &inputs).await,
            Err(Misuse(message)) => {
                Trouble::new(message).tell();
                Ok(ExitCode::from(BAD_USE))
            }
        }
    }

    fn prepare(&self, common: &Common) -> Result<(Target, Inputs), Misuse> {
        if common.data.is_some() || common.database.is_some() {
            let message = "this command keeps a state of its own: name its folder with --state, and not --data or --database";
            return Err(Misuse(message.to_owned()));
        }
        if let Some(code) = self.language.as_deref().filter(|code| !is_language(code)) {
            return Err(Misuse(format!(
                "--language {code}: a language is two small letters as in ISO 639-1, such as es"
            )));
        }
        let target = Target::of(self.out.clone(), self.format).map_err(Misuse)?;
        let inputs = Inputs::below(&self.paths, &[target.path(), Some(&self.state_folder(&target))]);
        Ok((target, inputs.map_err(Misuse)?))
    }

    fn state_folder(&self, target: &Target) -> PathBuf {
        self.state.clone().unwrap_or_else(|| target.usual_state())
    }

    async fn process(
        self,
        config: &Config,
        steps: StepFactory,
        target: Target,
        inputs: &Inputs,
    ) -> Result<ExitCode, Trouble> {
        let state = self.state_folder(&target);
        let config = settings::of(config, &state, self.jobs);
        state::make_folder(&state)?;
        let stop = shutdown::on_signal()?;
        let opened = wire::open_for_engine(&config).await?;
        let schema = self.schema.unwrap_or_else(|| config.schemas.default.clone());
        let Some(settings) =
            settings::fingerprint(&config, &opened.store, &schema, self.language.as_deref()).await?
        else {
            let known = opened.store.governance.schema_names().await?.join(", ");
            let message = format!("there is no schema {schema}; there are {known}");
            Trouble::new(message).tell();
            return Ok(ExitCode::from(BAD_USE));
        };
        let mut results = Results::open(target)?;
        let engine = hosting::start_engine(&config, &opened, steps).await?;
        let bar = progress::process_bar(inputs.files.len(), self.quiet);
        let mut tally = Tally::new(bar, inputs, self.quiet);
        let intake =
            intake::Intake::new(&config, &opened.store, settings, schema, self.language, self.retry_failed)?;
        let mut work = Work::new(intake, config.slots(), stop).await?;
        let ended = work.run(inputs, &mut results, &mut tally).await;
        // What is under way gets a moment; what does not end in it waits in the queue for the next time.
        engine.stop().await;
        // Also when it was interrupted: what was written is to be whole.
        let finished = match &ended {
            Ok(Ended::NobodyReads) => Ok(()),
            Ok(ended) => results.finish(matches!(ended, Ended::All)),
            Err(_) => results.finish(false),
        };
        tally.end();
        match ended.and_then(|ended| finished.map(|()| ended)) {
            Ok(Ended::NobodyReads) => Ok(ExitCode::SUCCESS),
            Ok(Ended::All) => {
                tally.sum_up();
                Ok(if tally.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
            }
            Ok(Ended::Stopped) => {
                eprintln!("quire: stopped; {}. The same command goes on from here.", tally.so_far());
                Ok(ExitCode::from(INTERRUPTED))
            }
            Err(trouble) => Err(Trouble::new(format!(
                "{trouble}. Nothing that was understood is lost, it is kept in {}; the same command goes on from here",
                state.display()
            ))),
        }
    }
}

//! `quire summarise`. [`progress`] follows the requests, [`results`] prints the summaries.

mod progress;
mod results;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quire_application::credential::LOCAL_NAME;
use quire_application::engine::Engine;
use quire_application::lanes::LanePermits;
use quire_application::link::{
    LinkCreation, LinkInput, LinkRequest, SummariesNotConfigured, accept, source_of,
};
use quire_domain::link::SummaryLanguage;
use quire_domain::{ClaimScope, Pipeline, RunId, UnknownName};
use quire_ports::Store;

use self::progress::LinkProgress;
use self::results::LinkOutcome;
use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::{StepFactory, service, shutdown, wire};

/// The actor recorded for commands of this machine.
const ACTOR: &str = LOCAL_NAME;
/// The exit code if a page could not be summarised, and if the command was interrupted.
const EXIT_FAILED: u8 = 3;
const EXIT_INTERRUPTED: u8 = 130;

/// What becomes of requests whose command was interrupted.
const INTERRUPTED: &str = "interrupted; requests that have not ended stay queued: a server or worker goes on with them, or run \
                           the command again";

/// Summarise web pages
///
/// Reads each page and prints a summary: by the language model of the settings, or by sentences of the page itself if there
/// is none. The summaries are stored; a page that has one is not read again. Works with and without a running server. The
/// exit code is 0 if every page was summarised and 3 if one was not.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire summarise https://example.com/article\n  \
    quire summarise --json https://example.com/a https://example.com/b\n  \
    quire summarise --file links.txt > summaries.txt")]
pub(super) struct SummariseCommand {
    /// Addresses of pages
    #[arg(value_name = "URL", required_unless_present = "file")]
    urls: Vec<String>,
    /// Also the addresses in this file, one per line; empty lines and lines with # are skipped
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Language of the summaries: auto, en, es or ru
    #[arg(long, default_value = "auto", value_parser = language)]
    language: SummaryLanguage,
    /// Print one line of JSON per page
    #[arg(long)]
    json: bool,
}

impl SummariseCommand {
    pub(super) async fn run(self, config: &Config, steps: StepFactory) -> Result<ExitCode, CommandError> {
        let urls = self.addresses()?;
        if let Some(setting) = wire::missing_model_setting(config) {
            return Err(CommandError::new(SummariesNotConfigured(setting).to_string()));
        }
        let scope = ClaimScope::of_pipeline(Pipeline::Link);
        let mut config = Config { scope, ..config.clone() };
        let stop = shutdown::on_signal()?;
        let (store, engine) = match wire::open_for_engine_if_idle(&config, Pipeline::Link).await? {
            None => (wire::open_for_command(&config).await?, None),
            Some(database) => {
                // No other process works on this database, so the lock of this one is enough.
                config.background.redis_lock_enabled = false;
                config.background.redis_lock_required = false;
                let lanes = LanePermits::new(&database.store, config.lane_limits());
                let engine = service::start_engine(&config, &database, &lanes, steps).await?;
                (database.store.clone(), Some((engine, database)))
            }
        };
        let outcome = tokio::select! {
            outcome = self.summarise(&store, &urls) => outcome,
            () = stop.cancelled() => {
                eprintln!("{INTERRUPTED}");
                Ok(ExitCode::from(EXIT_INTERRUPTED))
            }
        };
        if let Some((engine, _database)) = engine {
            Engine::stop(engine).await;
        }
        outcome
    }

    fn addresses(&self) -> Result<Vec<String>, CommandError> {
        let mut urls = self.urls.clone();
        if let Some(path) = &self.file {
            let text = std::fs::read_to_string(path)
                .map_err(|error| CommandError::new(format!("cannot read {} ({error})", path.display())))?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            urls.extend(lines.map(str::to_owned));
        }
        Ok(urls)
    }

    async fn summarise(&self, store: &Store, urls: &[String]) -> Result<ExitCode, CommandError> {
        let mut requests = Vec::with_capacity(urls.len());
        for url in urls {
            requests.push((url, self.request(store, url).await?));
        }
        let accepted = requests.iter().filter_map(|(_, request)| request.as_ref().ok());
        let mut progress = LinkProgress::new(store, accepted.copied().collect(), urls.len());
        let mut failed = 0;
        for (url, request) in requests {
            let outcome = match request {
                Ok(id) => LinkOutcome::of(progress.follow(id).await?),
                Err(refusal) => LinkOutcome::Refused(refusal),
            };
            failed += usize::from(!outcome.is_summary());
            let text = if self.json { outcome.to_json(url) } else { outcome.to_text(url) };
            if !progress.suspend(|| output::try_print(&text))? {
                break;
            }
        }
        progress.clear();
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FAILED) })
    }

    /// The request for an address: a new one, or an earlier one for the same page. The inner error says why the address is
    /// refused.
    async fn request(&self, store: &Store, url: &str) -> Result<Result<RunId, String>, CommandError> {
        let (source, dedupe_hash) = match source_of(LinkInput::Url(url.to_owned())) {
            Ok(source) => source,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let request =
            LinkRequest { source, dedupe_hash, key_id: None, language: self.language, retry_of: None };
        Ok(Ok(match accept(store, &request, ACTOR, None).await? {
            LinkCreation::Created(run) => run.id,
            LinkCreation::Duplicate(earlier) => earlier.run.id,
        }))
    }
}

fn language(name: &str) -> Result<SummaryLanguage, UnknownName> {
    SummaryLanguage::parse(name)
}

//! `quire runs`. [`show`] prints them.

mod show;

use clap::{Args, Subcommand};
use quire_application::credential::LOCAL_NAME;
use quire_application::run;
use quire_domain::{EventId, Pipeline, RunId, RunStateName, SubjectId, UnknownName};
use quire_ports::{EventFilter, RunFilter, Store};

use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Events read per query.
const PAGE: u32 = 1000;
/// Number of last events that are printed.
const LAST_EVENTS: usize = 20;

/// List runs, show one, or retry a failed one
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    quire runs list --state FAILED --limit 20\n  \
    quire runs show 01890a5d-ac96-774b-bcce-b302099a8057\n  \
    quire runs retry 01890a5d-ac96-774b-bcce-b302099a8057")]
pub(super) enum RunsCommand {
    List(ListRuns),
    /// Show the state, steps, attempts and last events of a run
    Show {
        /// Id of the run
        run: RunId,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Retry a failed run
    ///
    /// For proposals, up to `max_retries` of their pipeline. An ended run of a document never changes, and a failed link is
    /// requested again.
    Retry {
        /// Id of the run
        run: RunId,
    },
}

/// List runs, newest first
#[derive(Args)]
pub(super) struct ListRuns {
    /// Only runs of this pipeline: document, proposal or link
    #[arg(long, value_parser = pipeline)]
    pipeline: Option<Pipeline>,
    /// Only runs in this state
    #[arg(long, value_parser = state,
          help = "Only runs in this state: QUEUED, RUNNING, COMPLETED, FAILED or TIMED_OUT")]
    state: Option<RunStateName>,
    /// Only runs of this document, proposal or link
    #[arg(long, value_name = "ID")]
    subject: Option<SubjectId>,
    /// Maximum number of runs
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl RunsCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let store = wire::open_for_command(config).await?;
        match self {
            Self::List(list) => list.run(&store).await,
            Self::Show { run, json } => {
                let details = details(&store, run).await?;
                Ok(if json { output::json(&details.to_json()) } else { details.to_text() })
            }
            Self::Retry { run } => retry(&store, config, run).await,
        }
    }
}

impl ListRuns {
    async fn run(self, store: &Store) -> Result<String, CommandError> {
        let filter = RunFilter {
            pipeline: self.pipeline,
            state: self.state,
            subject: self.subject,
            before: None,
            limit: self.limit,
        };
        let runs = store.run_reader.runs(&filter).await?;
        Ok(if self.json {
            output::json(&runs.iter().map(show::run_json).collect())
        } else if runs.is_empty() {
            "No runs.\n".to_owned()
        } else {
            show::list(&runs)
        })
    }
}

async fn details(store: &Store, id: RunId) -> Result<show::RunDetails, CommandError> {
    let run = store.run_reader.run(id).await?;
    let filter = EventFilter { run: Some(id), subject: None };
    let mut events = Vec::new();
    let mut after = EventId(0);
    loop {
        let page = store.run_reader.events(after, filter, PAGE).await?;
        let full = page.len() == PAGE as usize;
        after = page.last().map_or(after, |last| last.id);
        events.extend(page);
        events.drain(..events.len().saturating_sub(LAST_EVENTS));
        if !full {
            break;
        }
    }
    Ok(show::RunDetails {
        run,
        steps: store.run_reader.steps(id).await?,
        attempts: store.run_reader.attempts(id).await?,
        events,
    })
}

async fn retry(store: &Store, config: &Config, id: RunId) -> Result<String, CommandError> {
    let policy = |pipeline| config.policy(pipeline).requeue;
    let retried = run::retry_by_policy(store, id, policy, LOCAL_NAME).await;
    let run = retried.map_err(|error| CommandError::new(error.to_string()))?;
    Ok(format!("Run {id} is {}{}.\n", run.state.as_str(), show::delay_note(&run)))
}

fn pipeline(name: &str) -> Result<Pipeline, UnknownName> {
    Pipeline::parse(name)
}

fn state(name: &str) -> Result<RunStateName, UnknownName> {
    RunStateName::parse(&name.to_uppercase())
}

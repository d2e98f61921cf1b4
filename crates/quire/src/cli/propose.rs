//! `quire propose`. [`follow`] prints the steps as they go, [`show`] the result.

mod follow;
mod show;

use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use jiff::SignedDuration;
use quire_api::ProposalRunResponse;
use quire_application::App;
use quire_application::credential::LOCAL_NAME;
use quire_application::engine::Engine;
use quire_application::lanes::LanePermits;
use quire_application::proposal::{self, NewProposal, ProposalError, ProposalScope, ProposalView};
use quire_domain::proposal::{ExtraContext, Idea, InvalidMember, PromptVersions};
use quire_domain::{ClaimScope, Pipeline, Priority, RunId, RunState, UnknownName};
use quire_ports::Store;
use tokio_util::sync::CancellationToken;

use self::follow::StepPrinter;
use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire::{self, EngineDatabase};
use crate::{StepFactory, service, shutdown};

/// The name of the client that is recorded for commands of this machine.
const ACTOR: &str = LOCAL_NAME;
/// How long a step may take after a signal. Another engine resumes the run.
const SHUTDOWN_WAIT: SignedDuration = SignedDuration::from_secs(3);
/// The idea that stands for standard input.
const STANDARD_INPUT: &str = "-";
/// The exit code for an idea that breaks a rule.
const EXIT_USAGE: u8 = 2;
/// The exit code that a shell reports for an interrupted program.
const EXIT_INTERRUPTED: u8 = 130;

/// Submit an idea and follow its review by five personas
///
/// A language model expands the idea into a proposal, five personas review it, and their scores decide: approve, revise or
/// reject. A running server or worker executes the run; without one, this command does. The steps are printed to standard
/// error as they go, the decision to standard output. Needs model.url and model.name. The exit code is 0 if the run completed,
/// whatever the decision, 1 if it failed, and 2 if the idea breaks a rule.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire propose \"Umbrellas that anybody can borrow.\"\n  \
    quire propose --context \"It rains two days a week.\" - < idea.txt\n  \
    quire propose --json \"Umbrellas that anybody can borrow.\" | jq .decision_label\n  \
    quire propose --detach --priority high \"Umbrellas that anybody can borrow.\"")]
pub(super) struct ProposeCommand {
    /// The idea: 1 to 10 sentences, or - to read them from standard input
    idea: String,
    /// More about the idea, for the model
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// Priority of the run: high or normal
    #[arg(long, default_value = "normal", value_parser = priority)]
    priority: Priority,
    /// Print the result as JSON, as GET /v1/runs/{id} has it
    #[arg(long)]
    json: bool,
    /// Print the id of the run and do not wait for it; a server executes it
    #[arg(long, conflicts_with = "json")]
    detach: bool,
    /// Print no steps
    #[arg(long, short)]
    quiet: bool,
}

impl ProposeCommand {
    pub(super) async fn run(self, config: &Config, steps: StepFactory) -> Result<ExitCode, CommandError> {
        if wire::proposal_model(config).is_none() {
            return Err(ProposalError::NotConfigured.into());
        }
        let new = match self.new_proposal(self.read_idea()?) {
            Ok(new) => new,
            Err(invalid) => {
                CommandError::new(invalid.to_string()).print();
                return Ok(ExitCode::from(EXIT_USAGE));
            }
        };
        let stop = shutdown::on_signal()?;
        let (store, own) =
            if self.detach { (wire::open_for_command(config).await?, None) } else { open(config).await? };
        let lanes = LanePermits::new(&store, config.lane_limits());
        let app = wire::app(config, &store, &lanes, &stop).await?;
        let run = proposal::create(&app, new).await?.id;
        if self.detach {
            output::print(&format!("{run}\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let engine = match &own {
            Some(database) => Some(start_engine(config, database, &lanes, steps).await?),
            None => None,
        };
        let followed = self.follow(&app, run, &stop, engine.is_some()).await;
        if let Some(engine) = engine {
            // A run that still goes on is handed back to the queue.
            engine.stop().await;
        }
        if let Some(view) = followed? {
            return self.report(view);
        }
        eprintln!("quire: stopped; run {run} stays in the queue. `quire runs show {run}` shows its state.");
        Ok(ExitCode::from(EXIT_INTERRUPTED))
    }

    /// The idea, which may come from standard input.
    fn read_idea(&self) -> Result<String, CommandError> {
        let mut idea = self.idea.clone();
        if idea == STANDARD_INPUT {
            idea.clear();
            std::io::stdin().read_to_string(&mut idea)?;
        }
        Ok(idea)
    }

    fn new_proposal(&self, idea: String) -> Result<NewProposal, InvalidMember> {
        Ok(NewProposal {
            scope: ProposalScope::Full,
            idea: Idea::parse("idea", Some(idea))?,
            extra_context: ExtraContext::parse(self.context.clone().map(Into::into))?,
            versions: PromptVersions::SUPPORTED,
            priority: self.priority,
            actor: ACTOR.to_owned(),
            correlation_id: RunId::new().to_string(),
        })
    }

    /// Prints the steps until the run has ended. None if a signal came first.
    async fn follow(
        &self,
        app: &App,
        run: RunId,
        stop: &CancellationToken,
        is_own: bool,
    ) -> Result<Option<ProposalView>, CommandError> {
        let mut printer = StepPrinter::new(self.quiet);
        printer.begin(run, is_own);
        loop {
            let view = proposal::show(app, run).await?;
            printer.print(&view.steps);
            if view.proposal.run.state.is_terminal() {
                return Ok(Some(view));
            }
            tokio::select! {
                () = stop.cancelled() => return Ok(None),
                () = tokio::time::sleep(follow::PAUSE) => {}
            }
        }
    }

    fn report(&self, view: ProposalView) -> Result<ExitCode, CommandError> {
        let failure = failure(&view);
        if self.json {
            let json = serde_json::to_value(ProposalRunResponse::of(view));
            output::print(&output::json(&json?))?;
        } else if failure.is_none() {
            output::print(&show::text(&view))?;
        }
        match failure {
            None => Ok(ExitCode::SUCCESS),
            Some(message) => Err(CommandError::new(message)),
        }
    }
}

/// Why the run did not complete, and what to do.
fn failure(view: &ProposalView) -> Option<String> {
    let run = &view.proposal.run;
    if matches!(run.state, RunState::Completed { .. }) {
        return None;
    }
    let why = run.state.reason().map_or_else(String::new, |reason| {
        format!(": {} ({})", reason.record.message, reason.record.error_code)
    });
    let advice = match run.state {
        RunState::Failed { .. } => {
            format!("`quire runs retry {}` continues at its first unfinished step", run.id)
        }
        _ => "send the idea again".to_owned(),
    };
    Some(format!("run {} failed{why}; {advice}", run.id))
}

/// Opens the database, for an engine of this command if no other one works on it.
async fn open(config: &Config) -> Result<(Store, Option<EngineDatabase>), CommandError> {
    match wire::open_for_engine_if_idle(config, Pipeline::Proposal).await? {
        Some(database) => Ok((database.store.clone(), Some(database))),
        None => Ok((wire::open_for_command(config).await?, None)),
    }
}

/// Starts an engine for proposals alone.
async fn start_engine(
    config: &Config,
    database: &EngineDatabase,
    lanes: &Arc<LanePermits>,
    steps: StepFactory,
) -> Result<Engine, CommandError> {
    let mut config = config.clone();
    config.scope = ClaimScope::of_pipeline(Pipeline::Proposal);
    config.engine.shutdown_wait = config.engine.shutdown_wait.min(SHUTDOWN_WAIT);
    service::start_engine(&config, database, lanes, steps).await
}

fn priority(name: &str) -> Result<Priority, UnknownName> {
    Priority::parse(name)
}

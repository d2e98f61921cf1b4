//! Proposals with their real steps and a provider that counts: whatever interrupts a run, nothing that is stored is asked
//! for again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::SignedDuration;
use quire_application::engine::{EngineSettings, PipelineSetup};
use quire_application::steps::proposal::{AggregateStep, ExpandStep, PersonaReviewStep, ProposalModel};
use quire_connectors::http::{HttpClient, HttpOptions};
use quire_connectors::model::{BreakerSettings, CallLog, ModelPrices, ModelSettings, RemoteModel};
use quire_domain::proposal::Persona;
use quire_domain::{
    Backoff, Failure, Pipeline, PipelinePlan, RecoveryPolicy, RequeuePolicy, RetryPolicy, RunId, StepName,
    StepStatus,
};
use quire_ports::{Step, StepContext};
use quire_testkit::fixture::{proposal_request, proposal_run};
use quire_testkit::personas::{answer_text, prompt, reviewer};
use quire_testkit::{ModelReply, ModelServer, steps};

use crate::fixture::{EngineFixture, plan_of};

crate::on_each_store! {
    a_crash_at_any_step_repeats_no_stored_answer,
    a_retry_after_a_failure_or_a_cancellation_at_any_step_resumes_there,
}

const KEY: &str = "sk-engine-proposals";
const AT_ONCE: RequeuePolicy = RequeuePolicy::Manual { max_retries: 5, base_delay: SignedDuration::ZERO };

/// What happens to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interruption {
    /// The step hangs before its work.
    HangsBefore(StepName),
    /// The step hangs when it has its result, before that is stored.
    HangsAfter(StepName),
    /// The step fails before its work.
    FailsBefore(StepName),
}

impl Interruption {
    fn step(self) -> StepName {
        let (Self::HangsBefore(step) | Self::HangsAfter(step) | Self::FailsBefore(step)) = self;
        step
    }

    /// How often the provider is asked for each step of the run.
    fn expected_calls(self) -> HashMap<StepName, usize> {
        let asked = Pipeline::Proposal.steps().iter().filter(|step| **step != StepName::AggregateDecision);
        let mut calls: HashMap<StepName, usize> = asked.map(|step| (*step, 1)).collect();
        if let Self::HangsAfter(step) = self {
            // The answer was paid for and not stored.
            calls.entry(step).and_modify(|count| *count += 1);
        }
        calls
    }
}

/// The runs of a test, each with its interruption. A run is told by the number in its idea.
#[derive(Clone, Default)]
struct Rehearsal {
    interruptions: Arc<Mutex<HashMap<RunId, Interruption>>>,
    /// Nothing is interrupted any more.
    healthy: Arc<AtomicBool>,
}

impl Rehearsal {
    fn interruption(&self, run: RunId) -> Option<Interruption> {
        let interruptions = self.interruptions.lock().unwrap();
        interruptions.get(&run).copied().filter(|_| !self.healthy.load(Ordering::SeqCst))
    }

    /// This step, interrupted where the rehearsal says so.
    fn around(&self, step: Arc<dyn Step>) -> Arc<dyn Step> {
        let rehearsal = self.clone();
        steps::step(move |context: StepContext| {
            let (step, name) = (step.clone(), context.step);
            let interruption =
                rehearsal.interruption(context.run.id).filter(|planned| planned.step() == name);
            async move {
                match interruption {
                    Some(Interruption::HangsBefore(_)) => std::future::pending().await,
                    Some(Interruption::FailsBefore(_)) => Err(Failure::permanent("BROKEN", "it is broken")),
                    Some(Interruption::HangsAfter(_)) => {
                        step.run(context).await.unwrap();
                        std::future::pending().await
                    }
                    None => step.run(context).await,
                }
            }
        })
    }

    /// Creates a run for each interruption.
    async fn create_runs(&self, fixture: &EngineFixture, planned: &[Interruption]) -> Vec<RunId> {
        let mut runs = Vec::new();
        for (number, interruption) in planned.iter().enumerate() {
            let new = proposal_run();
            self.interruptions.lock().unwrap().insert(new.id, *interruption);
            let request = proposal_request(&format!("Idea number {number}."));
            fixture.store.proposals.create(&new, &request, fixture.store.clock.now()).await.unwrap();
            runs.push(new.id);
        }
        runs
    }
}

/// The number of the idea that a request is about.
fn number(body: &serde_json::Value) -> usize {
    let prompt = prompt(body);
    let rest = prompt.split("Idea number ").nth(1).unwrap();
    rest.split('.').next().unwrap().parse().unwrap()
}

/// A provider that repeats the idea in its proposal, so that its reviews can be told apart too.
fn provider() -> ModelServer {
    ModelServer::with_key(KEY).answering(|body, _| {
        let solution = format!("Idea number {}. It is good.", number(body));
        ModelReply::Completion(answer_text(body, &solution, [0.9; 5]))
    })
}

/// How often the provider was asked for each step of this idea.
fn calls(provider: &ModelServer, idea: usize) -> HashMap<StepName, usize> {
    let mut calls = HashMap::new();
    for request in provider.requests().iter().filter(|request| number(&request.body) == idea) {
        let persona = reviewer(&request.body)
            .map(|name| *Persona::ALL.iter().find(|persona| persona.name() == name).unwrap());
        *calls.entry(persona.map_or(StepName::Expand, Persona::step)).or_default() += 1;
    }
    calls
}

fn model_settings(url: &str) -> ModelSettings {
    ModelSettings {
        url: url.to_owned(),
        allow_http: false,
        api_version: None,
        name: "any".to_owned(),
        fallback_models: Vec::new(),
        api_key: Some(KEY.to_owned()),
        headers: String::new(),
        timeout: Duration::from_mins(1),
        idle_timeout: Duration::from_mins(1),
        max_response_bytes: 4 << 20,
        breaker: BreakerSettings { failures: 0, pause: Duration::from_mins(1) },
        prices: ModelPrices::default(),
    }
}

/// The proposal pipeline with its real steps, interrupted as the rehearsal says.
fn pipeline(fixture: &EngineFixture, provider: &ModelServer, rehearsal: &Rehearsal) -> Vec<PipelineSetup> {
    let http = HttpClient::new(&HttpOptions::default()).unwrap();
    let log = CallLog::new(fixture.store.model_calls.clone(), fixture.store.clock.clone());
    let shared = ProposalModel {
        model: Arc::new(RemoteModel::new(http, model_settings(&provider.url), log).unwrap()),
        max_tokens: 4096,
        proposals: fixture.store.proposals.clone(),
        clock: fixture.store.clock.clone(),
    };
    let plan = PipelinePlan { limit: SignedDuration::from_hours(1000), ..plan_of(Pipeline::Proposal) };
    let work = |step: &StepName| -> Arc<dyn Step> {
        match step {
            StepName::Expand => Arc::new(ExpandStep(shared.clone())),
            StepName::AggregateDecision => Arc::new(AggregateStep(shared.clone())),
            _ => Arc::new(PersonaReviewStep(shared.clone())),
        }
    };
    let steps = plan.steps.iter().map(|step| (*step, rehearsal.around(work(step)))).collect();
    let policy = RetryPolicy {
        backoff: Backoff { max_attempts: 1, base_ms: 0, max_ms: 0, jitter_ratio: 0.0 },
        requeue: AT_ONCE,
        recovery: RecoveryPolicy::Requeue { max_claims: 3 },
        continuations: 0,
    };
    vec![PipelineSetup { plan, policy, steps }]
}

fn many_slots() -> EngineSettings {
    EngineSettings { slots: 16, ..EngineFixture::settings() }
}

/// Whether a run hangs where it is to hang, and all steps beside that one have succeeded.
async fn hangs(fixture: &EngineFixture, run: RunId, interruption: Interruption) -> bool {
    let (plan, step) = (plan_of(Pipeline::Proposal), interruption.step());
    let last = plan.groups().find(|group| group.contains(&step)).unwrap().last().unwrap().order();
    let steps = fixture.store.run_reader.steps(run).await.unwrap();
    steps.len() == usize::from(last) + 1
        && steps.iter().all(|one| (one.status == StepStatus::Running) == (one.step == step))
}

/// Waits until every run of these hangs. The number of a run is its place among all.
async fn wait_until_interrupted(
    fixture: &EngineFixture,
    provider: &ModelServer,
    all: &[(RunId, Interruption)],
) {
    for (number, (run, interruption)) in all.iter().enumerate() {
        let was_asked = || match interruption {
            Interruption::HangsAfter(step) => calls(provider, number).get(step) == Some(&1),
            _ => true,
        };
        if !matches!(interruption, Interruption::FailsBefore(_)) {
            let condition = || async { hangs(fixture, *run, *interruption).await && was_asked() };
            fixture.observer.wait_until(condition).await;
        }
    }
}

/// Checks that every run has completed with seven steps and that the provider was asked as often as planned.
async fn check_calls(fixture: &EngineFixture, provider: &ModelServer, runs: &[(RunId, Interruption)]) {
    for (number, (run, interruption)) in runs.iter().enumerate() {
        let stored = fixture.store.proposals.proposal(*run).await.unwrap();
        assert!(stored.decision.is_some() && stored.reviews.len() == 5, "{interruption:?}");
        assert_eq!(calls(provider, number), interruption.expected_calls(), "{interruption:?}");
        let steps = fixture.store.run_reader.steps(*run).await.unwrap();
        let names: Vec<_> = steps.iter().map(|step| step.step).collect();
        assert_eq!(names, Pipeline::Proposal.steps());
        assert!(steps.iter().all(|step| step.status == StepStatus::Succeeded), "{interruption:?}");
    }
}

/// Proves R152 for each of the seven steps. One process dies with fourteen runs, before and after the work of each step.
async fn a_crash_at_any_step_repeats_no_stored_answer(fixture: EngineFixture) {
    let (provider, rehearsal) = (provider(), Rehearsal::default());
    let steps = Pipeline::Proposal.steps().iter();
    let planned: Vec<_> = steps
        .flat_map(|step| [Interruption::HangsBefore(*step), Interruption::HangsAfter(*step)])
        .filter(|planned| *planned != Interruption::HangsAfter(StepName::AggregateDecision))
        .collect();
    let ids = rehearsal.create_runs(&fixture, &planned).await;
    let runs: Vec<_> = ids.into_iter().zip(planned).collect();
    let first = fixture.start_engine_with(many_slots(), pipeline(&fixture, &provider, &rehearsal)).await;
    wait_until_interrupted(&fixture, &provider, &runs).await;
    drop(first);
    rehearsal.healthy.store(true, Ordering::SeqCst);
    let second = fixture.start_engine_with(many_slots(), pipeline(&fixture, &provider, &rehearsal)).await;
    for (run, _) in &runs {
        fixture.wait_for_state_advancing(*run, "COMPLETED").await;
    }
    check_calls(&fixture, &provider, &runs).await;
    second.stop().await;
}

/// Proves R135, R152 for each of the seven steps: seven runs fail before the work of a step, seven are cancelled with an
/// answer that is not stored.
async fn a_retry_after_a_failure_or_a_cancellation_at_any_step_resumes_there(fixture: EngineFixture) {
    let (provider, rehearsal) = (provider(), Rehearsal::default());
    let steps = Pipeline::Proposal.steps().iter();
    let planned: Vec<_> = steps
        .flat_map(|step| [Interruption::FailsBefore(*step), Interruption::HangsAfter(*step)])
        .filter(|planned| *planned != Interruption::HangsAfter(StepName::AggregateDecision))
        .chain([Interruption::HangsBefore(StepName::AggregateDecision)])
        .collect();
    let ids = rehearsal.create_runs(&fixture, &planned).await;
    let runs: Vec<_> = ids.into_iter().zip(planned).collect();
    let engine = fixture.start_engine_with(many_slots(), pipeline(&fixture, &provider, &rehearsal)).await;
    let (failing, hanging): (Vec<_>, Vec<_>) =
        runs.iter().copied().partition(|(_, planned)| matches!(planned, Interruption::FailsBefore(_)));
    for (run, _) in &failing {
        fixture.wait_for_state(*run, "FAILED").await;
    }
    wait_until_interrupted(&fixture, &provider, &runs).await;
    for (run, _) in &hanging {
        fixture.store.queue.cancel(*run, "alma", fixture.store.clock.now()).await.unwrap();
    }
    rehearsal.healthy.store(true, Ordering::SeqCst);
    for (run, _) in &runs {
        fixture.store.queue.retry(*run, AT_ONCE, "alma", fixture.store.clock.now()).await.unwrap();
        fixture.wait_for_state_advancing(*run, "COMPLETED").await;
    }
    check_calls(&fixture, &provider, &runs).await;
    engine.stop().await;
}

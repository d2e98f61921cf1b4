//! The drill of proposals: three workers on PostgreSQL have two hundred ideas reviewed by a provider that fails a third of
//! its calls, while one worker after the other is killed. Every run must end once, and no answer that is stored may be paid
//! for twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use quire_domain::{Pipeline, RunId, StepName, StepStatus};
use quire_ports::{ModelUsage, Store};
use quire_testkit::checker::StoredHistory;
use quire_testkit::fixture::{proposal_request, proposal_run};
use quire_testkit::personas::answer_text;
use quire_testkit::{ModelReply, ModelServer};
use rand::RngExt;

use super::processes::{Environment, TestProcess};
use super::{interrupted_steps, print_report, wait_until_drained};
use crate::database::{self, CommitGrouping, DatabaseKind};

const WORKERS: usize = 3;
const REAL_STEPS: [&str; 2] = ["serve-api", "real"];
const KEY: &str = "sk-drill";
/// The prices of a million tokens, of the prompt and of the response.
const PRICES: (f64, f64) = (3.0, 7.0);
/// The pause before each piece of an answer. An answer then takes a few tenths of a second, so that kills meet calls.
const PIECE_PAUSE: Duration = Duration::from_millis(3);

pub async fn drill(short: bool) -> bool {
    let (proposals, duration) =
        if short { (20, Duration::from_secs(6)) } else { (200, Duration::from_mins(1)) };
    println!(
        "\n## PostgreSQL: {WORKERS} workers, {proposals} proposals, a provider that fails every third call"
    );
    let database = database::create(DatabaseKind::Postgres, CommitGrouping::Default).await;
    let data = tempfile::tempdir().unwrap();
    let (provider, failed) = provider();
    let environment = environment(&database.schema, data.path(), &provider.url);
    super::processes::run_quire(&["migrate", "up"], &environment);
    let start = || TestProcess::start(&REAL_STEPS, &["worker"], &environment).0;
    let mut workers: Vec<TestProcess> = (0..WORKERS).map(|_| start()).collect();

    let producing = tokio::spawn(produce(database.store.clone(), proposals, duration.mul_f64(0.7)));
    let (began, mut kills) = (Instant::now(), 0);
    while began.elapsed() < duration {
        let (index, pause) = {
            let mut rng = rand::rng();
            (rng.random_range(0..WORKERS), rng.random_range(1500..3500))
        };
        tokio::time::sleep(Duration::from_millis(pause)).await;
        // The replacement starts after the kill, as a supervisor would start it.
        workers.remove(index).kill();
        workers.push(start());
        kills += 1;
    }
    let accepted = producing.await.unwrap();
    let all_done = wait_until_drained(&database.store, Duration::from_mins(5)).await;
    let stopped_well = workers.into_iter().all(TestProcess::stop);
    println!("kills {kills}, drained {all_done}, workers stopped well {stopped_well}");

    let plan = [(Pipeline::Proposal, Pipeline::Proposal.steps().to_vec())].into();
    let checked = StoredHistory::load(&database.store, accepted.clone(), plan).await.unwrap().check();
    print_report(&checked, accepted.len());
    let is_paid_once = check_bill(&database.store, &accepted, &provider, failed.load(Ordering::SeqCst)).await;
    all_done && stopped_well && is_paid_once && checked.violations.is_empty() && checked.runs == proposals
}

fn environment(schema: &str, data: &std::path::Path, provider: &str) -> Environment {
    vec![
        ("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()),
        ("QUIRE_DATABASE_SCHEMA", schema.to_owned()),
        ("QUIRE_STORAGE_DATA", data.to_str().unwrap().to_owned()),
        ("QUIRE_ENGINE_SLOTS", "8".to_owned()),
        ("QUIRE_ENGINE_LEASE", "3s".to_owned()),
        ("QUIRE_ENGINE_HEARTBEAT", "1s".to_owned()),
        ("QUIRE_MODEL_URL", provider.to_owned()),
        ("QUIRE_MODEL_NAME", proposal_request("").model),
        ("QUIRE_MODEL_API_KEY", KEY.to_owned()),
        ("QUIRE_MODEL_PRICE_PER_MILLION_IN", PRICES.0.to_string()),
        ("QUIRE_MODEL_PRICE_PER_MILLION_OUT", PRICES.1.to_string()),
        ("QUIRE_MODEL_BREAKER_FAILURES", "0".to_owned()),
        ("QUIRE_PIPELINES_PROPOSAL_STEP_ATTEMPTS", "8".to_owned()),
        ("QUIRE_PIPELINES_PROPOSAL_MAX_CLAIMS", "20".to_owned()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
    ]
}

/// The provider, and the number of calls that it has failed.
fn provider() -> (ModelServer, Arc<AtomicU64>) {
    let failed = Arc::new(AtomicU64::new(0));
    let failures = failed.clone();
    let provider = ModelServer::with_key(KEY).answering(move |body, number| {
        let text = answer_text(body, "Stands at every corner.", [0.9; 5]);
        if number % 3 != 2 {
            return ModelReply::SlowStream(PIECE_PAUSE, text);
        }
        failures.fetch_add(1, Ordering::SeqCst);
        match number % 4 {
            0 => ModelReply::Status(500, ""),
            1 => ModelReply::Status(429, ""),
            2 => ModelReply::CutStream(text),
            _ => ModelReply::FailedStream(503, text),
        }
    });
    (provider, failed)
}

/// Sends ideas, spread over this time.
async fn produce(store: Store, proposals: usize, duration: Duration) -> Vec<RunId> {
    let pause = duration / u32::try_from(proposals).unwrap();
    let mut accepted = Vec::new();
    for number in 0..proposals {
        let new = proposal_run();
        let request = proposal_request(&format!("Idea number {number}."));
        store.proposals.create(&new, &request, store.clock.now()).await.unwrap();
        accepted.push(new.id);
        tokio::time::sleep(pause).await;
    }
    accepted
}

/// Compares the provider's bill with what is stored and recorded.
async fn check_bill(store: &Store, runs: &[RunId], provider: &ModelServer, failed: u64) -> bool {
    let (calls, answers) = (provider.requests().len() as u64, provider.billed_answers());
    // Each of these steps makes one call at a time.
    let interrupted = interrupted_steps(store, |step| step != StepName::AggregateDecision).await;
    let stored = stored_answers(store, runs).await;
    let recorded = recorded_usage(store).await;
    let (billed_in, billed_out) = provider.billed_tokens();
    println!(
        "calls {calls}, failed by the provider {failed}, answered {answers}, stored answers {stored}, model steps \
         interrupted by kills {interrupted}"
    );
    println!(
        "tokens: billed {billed_in} + {billed_out}, recorded {} + {}; answers recorded {}",
        recorded.tokens_in,
        recorded.tokens_out,
        recorded.calls - recorded.failed
    );
    let beyond = calls - failed - stored;
    println!("calls beyond the stored answers and the provider's failures: {beyond}");
    let unrecorded = answers.saturating_sub(recorded.calls - recorded.failed);
    println!("answers that the provider counted and nobody recorded: {unrecorded}");
    // Every answer costs the same.
    let per_answer = (billed_in / answers.max(1), billed_out / answers.max(1));
    let rest = (billed_in - recorded.tokens_in, billed_out - recorded.tokens_out);
    let not_recorded = (unrecorded * per_answer.0, unrecorded * per_answer.1);
    let expected = cost(billed_in - not_recorded.0, billed_out - not_recorded.1);
    let recorded_cost = recorded.cost.unwrap_or_default();
    println!(
        "cost: the provider's count {:.6}, less what nobody recorded {expected:.6}, recorded {recorded_cost:.6}",
        cost(billed_in, billed_out)
    );
    beyond <= interrupted
        && unrecorded <= interrupted
        && rest == not_recorded
        && (recorded_cost - expected).abs() < 1e-6
}

/// The cost of this many tokens.
#[allow(clippy::cast_precision_loss)] // A drill has far fewer than 2^52 tokens.
fn cost(tokens_in: u64, tokens_out: u64) -> f64 {
    (tokens_in as f64 * PRICES.0 + tokens_out as f64 * PRICES.1) / 1e6
}

/// How many answers of the model are stored.
async fn stored_answers(store: &Store, runs: &[RunId]) -> u64 {
    let mut stored = 0;
    for run in runs {
        let steps = store.run_reader.steps(*run).await.unwrap();
        let is_answer = |step: &StepName| *step != StepName::AggregateDecision;
        let succeeded = steps.iter().filter(|step| step.status == StepStatus::Succeeded);
        stored += succeeded.filter(|step| is_answer(&step.step)).count() as u64;
    }
    stored
}

/// The sums of all recorded calls.
async fn recorded_usage(store: &Store) -> ModelUsage {
    let day = SignedDuration::from_hours(48);
    let now: Timestamp = store.clock.now();
    let days = store.model_calls.daily_usage(now - day, now + day).await.unwrap();
    let mut sum = ModelUsage::default();
    for usage in days.into_iter().map(|day| day.usage) {
        sum.calls += usage.calls;
        sum.failed += usage.failed;
        sum.tokens_in += usage.tokens_in;
        sum.tokens_out += usage.tokens_out;
        sum.cost = usage.cost.map(|cost| cost + sum.cost.unwrap_or_default()).or(sum.cost);
    }
    sum
}

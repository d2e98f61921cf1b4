//! How the tokens of a step are counted.

use jiff::Timestamp;
use quire_domain::ModelCallId;
use quire_ports::{CallContext, ModelCall, SystemClock};
use quire_testkit::{FakeClock, RecordedCalls};

use super::*;
use crate::steps::RuleInterpreter;

/// Midnight.
const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// A model whose responses are invalid.
struct InvalidModel;

#[async_trait]
impl LanguageModel for InvalidModel {
    async fn ask(&self, _: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let (text, model) = ("invalid".to_owned(), "invalid".to_owned());
        let latency = std::time::Duration::from_millis(5);
        Ok(ModelResponse { text, is_whole: true, model, tokens_in: 100, tokens_out: 20, cost: None, latency })
    }
}

fn request() -> InterpretRequest {
    let schema = Arc::new(quire_understanding::Schema::built_in_default());
    let context = CallContext::default();
    InterpretRequest { context, reading: Arc::default(), language: None, schema, deadline: None }
}

fn settings(per_document: u64, per_day: u64, fallback: bool) -> ModelInterpreterSettings {
    let budget = TokenBudget { per_document, per_day };
    ModelInterpreterSettings { fallback, attempts: 2, redact: true, answer_tokens: 100, budget }
}

/// An interpreter with this model and these calls before it.
fn interpreter(settings: ModelInterpreterSettings, calls: Arc<RecordedCalls>) -> ModelInterpreter {
    let rules = Arc::new(RuleInterpreter { clock: Arc::new(SystemClock) });
    let clock = Arc::new(FakeClock::at(NOW));
    ModelInterpreter::new(Arc::new(InvalidModel), rules, calls, clock, settings)
}

#[tokio::test]
async fn a_document_that_needs_more_than_its_budget_is_interpreted_by_the_rules() {
    // Enough for one request, but not for a second one.
    let enough = {
        let request = request();
        let schema = response_schema::response_schema(&request.schema).to_string();
        estimate_tokens(&prompt::messages(&request.reading, None), &schema) + 110
    };
    let strict = interpreter(settings(enough, 0, false), Arc::default());
    assert_eq!(strict.interpret(request()).await.unwrap_err().error_code, "MODEL_BUDGET_SPENT");
    let lenient = interpreter(settings(enough, 0, true), Arc::default());
    let made_by = lenient.interpret(request()).await.unwrap().made_by;
    assert_eq!((made_by.tokens_in, made_by.tokens_out), (100, 20));
}

/// The calls of a day count however their steps ended, and those of the day before do not.
#[tokio::test]
async fn the_budget_of_a_day_counts_every_recorded_call() {
    let calls = Arc::new(RecordedCalls::default());
    let call = |seconds: i64| ModelCall {
        id: ModelCallId::new(),
        run_id: None,
        step: None,
        step_attempt: 1,
        credential: None,
        model: "any".to_owned(),
        tokens_in: 1_000_000,
        tokens_out: 0,
        cost: None,
        latency: std::time::Duration::ZERO,
        outcome: "MODEL_REFUSED".to_owned(),
        created_at: NOW + jiff::SignedDuration::from_secs(seconds),
    };
    let code = async |calls: &Arc<RecordedCalls>| {
        interpreter(settings(0, 1_000_000, false), calls.clone())
            .interpret(request())
            .await
            .unwrap_err()
            .error_code
    };
    calls.record(&[call(-1)]).await.unwrap();
    assert_eq!(code(&calls).await, "MODEL_ANSWER_INVALID", "it was asked");
    calls.record(&[call(0)]).await.unwrap();
    assert_eq!(code(&calls).await, "MODEL_BUDGET_SPENT");
}

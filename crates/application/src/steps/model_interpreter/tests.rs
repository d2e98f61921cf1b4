//! How the tokens of a step are counted.

use jiff::Timestamp;
use quire_ports::{CallContext, SystemClock};
use quire_sqlite::testing::store_fixture;
use quire_testkit::FakeClock;
use tokio::sync::Notify;

use super::*;
use crate::steps::RuleInterpreter;

/// A model whose first response is invalid and which never answers again.
#[derive(Default)]
struct HangingModel {
    second_request: Notify,
}

#[async_trait]
impl LanguageModel for HangingModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        if request.messages.len() > 2 {
            self.second_request.notify_one();
            std::future::pending::<()>().await;
        }
        let (text, model) = ("invalid".to_owned(), "hanging".to_owned());
        let latency = std::time::Duration::from_millis(5);
        Ok(ModelResponse { text, is_whole: true, model, tokens_in: 100, tokens_out: 20, cost: None, latency })
    }
}

fn request() -> InterpretRequest {
    let schema = Arc::new(quire_understanding::Schema::built_in_default());
    let context = CallContext::default();
    InterpretRequest { context, reading: Arc::default(), language: None, schema, deadline: None }
}

fn settings(per_document: u64, fallback: bool) -> ModelInterpreterSettings {
    let budget = TokenBudget { per_document, per_day: 0 };
    ModelInterpreterSettings { fallback, redact: true, answer_tokens: 100, budget }
}

/// An interpreter with this model, and a function that returns its unrecorded tokens.
async fn interpreter(
    model: Arc<HangingModel>,
    settings: ModelInterpreterSettings,
) -> (ModelInterpreter, impl Fn(&ModelInterpreter) -> u64) {
    let reviews = store_fixture().await.store.reviews.clone();
    let now = Timestamp::UNIX_EPOCH;
    let rules = Arc::new(RuleInterpreter { clock: Arc::new(SystemClock) });
    let interpreter = ModelInterpreter::new(model, rules, reviews, Arc::new(FakeClock::at(now)), settings);
    (interpreter, move |interpreter: &ModelInterpreter| interpreter.unrecorded.on(budget::day(now)))
}

#[tokio::test]
async fn tokens_of_a_cancelled_step_are_counted() {
    let model = Arc::new(HangingModel::default());
    let (interpreter, unrecorded) = interpreter(model.clone(), settings(0, true)).await;
    tokio::select! {
        _ = interpreter.interpret(request()) => panic!("the model does not answer the second request"),
        () = model.second_request.notified() => {}
    }
    assert_eq!(unrecorded(&interpreter), 120);
}

#[tokio::test]
async fn tokens_of_a_failed_step_are_unrecorded_and_those_of_a_fallback_are_recorded() {
    // Enough for one request, but not for a second one.
    let enough = {
        let request = request();
        let schema = response_schema::response_schema(&request.schema).to_string();
        estimate_tokens(&prompt::messages(&request.reading, None), &schema) + 110
    };
    let (strict, unrecorded) = interpreter(Arc::default(), settings(enough, false)).await;
    assert_eq!(strict.interpret(request()).await.unwrap_err().code, "MODEL_BUDGET_SPENT");
    assert_eq!(unrecorded(&strict), 120);
    let (lenient, unrecorded) = interpreter(Arc::default(), settings(enough, true)).await;
    let made_by = lenient.interpret(request()).await.unwrap().made_by;
    assert_eq!((made_by.tokens_in, made_by.tokens_out, unrecorded(&lenient)), (100, 20, 0));
}

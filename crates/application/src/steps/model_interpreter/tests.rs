//! What is counted of the tokens that a step took.

use jiff::Timestamp;
use quire_ports::SystemClock;
use quire_sqlite::testing::fixture;
use quire_testkit::FakeClock;
use tokio::sync::Notify;

use super::*;
use crate::steps::RuleInterpreter;

/// Answers the first question with something else than the form, and every further one never.
#[derive(Default)]
struct Stuck {
    is_asked_again: Notify,
}

#[async_trait]
impl LanguageModel for Stuck {
    async fn ask(&self, question: &ModelRequest) -> Result<ModelResponse, ModelError> {
        if question.messages.len() > 2 {
            self.is_asked_again.notify_one();
            std::future::pending::<()>().await;
        }
        let (text, model) = ("no form".to_owned(), "stuck".to_owned());
        Ok(ModelResponse { text, is_whole: true, model, tokens_in: 100, tokens_out: 20 })
    }
}

fn request() -> InterpretRequest {
    let schema = Arc::new(quire_understanding::Schema::built_in_default());
    InterpretRequest { reading: Arc::default(), language: None, schema, deadline: None }
}

fn settings(per_document: u64, fallback: bool) -> ModelInterpreterSettings {
    let budget = TokenBudget { per_document, per_day: 0 };
    ModelInterpreterSettings { fallback, redact: true, answer_tokens: 100, budget, prices: None }
}

/// An interpreter that asks a model which gets stuck, and what was lost on it.
async fn by(
    model: Arc<Stuck>,
    settings: ModelInterpreterSettings,
) -> (ModelInterpreter, impl Fn(&ModelInterpreter) -> u64) {
    let reviews = fixture().await.store.reviews.clone();
    let now = Timestamp::UNIX_EPOCH;
    let rules = Arc::new(RuleInterpreter { clock: Arc::new(SystemClock) });
    let by = ModelInterpreter::new(model, rules, reviews, Arc::new(FakeClock::at(now)), settings);
    (by, move |by: &ModelInterpreter| by.lost.on(budget::day(now)))
}

#[tokio::test]
async fn tokens_of_a_step_that_nobody_waits_for_any_more_are_counted() {
    let model = Arc::new(Stuck::default());
    let (by, lost) = by(model.clone(), settings(0, true)).await;
    tokio::select! {
        _ = by.interpret(request()) => panic!("the model never answers again"),
        () = model.is_asked_again.notified() => {}
    }
    assert_eq!(lost(&by), 120);
}

#[tokio::test]
async fn tokens_are_lost_if_the_step_fails_and_told_by_the_version_if_the_rules_do_it() {
    // Enough for one question, but not for another one.
    let enough = {
        let request = request();
        let form = form::form(&request.schema).to_string();
        estimated(&prompt::messages(&request.reading, None), &form) + 110
    };
    let (strict, lost) = by(Arc::default(), settings(enough, false)).await;
    assert_eq!(strict.interpret(request()).await.unwrap_err().code, "MODEL_BUDGET_SPENT");
    assert_eq!(lost(&strict), 120);
    let (lenient, lost) = by(Arc::default(), settings(enough, true)).await;
    let made_by = lenient.interpret(request()).await.unwrap().made_by;
    assert_eq!((made_by.tokens_in, made_by.tokens_out, lost(&lenient)), (100, 20, 0));
}

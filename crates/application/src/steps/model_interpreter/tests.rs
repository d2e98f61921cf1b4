//! How the tokens of a step are counted.

use jiff::Timestamp;
use quire_domain::LaneName;
use quire_ports::{CallContext, KeptAnswers, SystemClock, estimated_tokens};
use quire_testkit::FakeClock;

use std::collections::HashMap;
use std::sync::Mutex;

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
    InterpretRequest { context, reading: Arc::default(), language: None, schema, deadline: None, kept: None }
}

fn settings(tokens_per_document: u64, fallback: bool) -> ModelInterpreterSettings {
    ModelInterpreterSettings {
        fallback,
        max_attempts: 2,
        redact: true,
        answer_tokens: 100,
        tokens_per_document,
    }
}

fn interpreter(settings: ModelInterpreterSettings, model: impl LanguageModel + 'static) -> ModelInterpreter {
    let rules = Arc::new(RuleInterpreter { clock: Arc::new(SystemClock) });
    let clock = Arc::new(FakeClock::at(NOW));
    ModelInterpreter::new(Arc::new(model), rules, clock, settings)
}

#[tokio::test]
async fn a_document_that_needs_more_than_its_budget_is_interpreted_by_the_rules() {
    // Enough for one request, but not for a second one.
    let enough = {
        let request = request();
        let schema = response_schema::response_schema(&request.schema).to_string();
        let messages = prompt::messages(&request.reading, None);
        estimated_tokens(messages.iter().map(|message| message.text.len()).sum::<usize>() + schema.len())
            + 110
    };
    let strict = interpreter(settings(enough, false), InvalidModel);
    assert_eq!(strict.interpret(request()).await.unwrap_err().error_code, "MODEL_BUDGET_SPENT");
    let lenient = interpreter(settings(enough, true), InvalidModel);
    let made_by = lenient.interpret(request()).await.unwrap().made_by;
    assert_eq!((made_by.tokens_in, made_by.tokens_out), (100, 20));
}

/// Answers something invalid first. The next call finds the lane busy, and all later ones get a valid answer.
#[derive(Default)]
struct BusyForTheRepair(Mutex<Vec<usize>>);

#[async_trait]
impl LanguageModel for BusyForTheRepair {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let mut asked = self.0.lock().unwrap();
        asked.push(request.messages.len());
        let text = match asked.len() {
            1 => "invalid",
            2 => {
                let busy = ModelError::new(ModelErrorKind::LaneBusy, "busy");
                let lane = Some(LaneName::model("test").unwrap());
                return Err(ModelError { retry_after: Some(std::time::Duration::ZERO), lane, ..busy });
            }
            _ => "{\"document\":{}}",
        };
        let latency = std::time::Duration::from_millis(5);
        let (text, model) = (text.to_owned(), "any".to_owned());
        Ok(ModelResponse { text, is_whole: true, model, tokens_in: 100, tokens_out: 20, cost: None, latency })
    }
}

#[derive(Default)]
struct KeptInMemory(Mutex<HashMap<String, ModelResponse>>);

#[async_trait]
impl KeptAnswers for KeptInMemory {
    async fn find(&self, question: &str) -> Option<ModelResponse> {
        self.0.lock().unwrap().get(question).cloned()
    }

    async fn keep(&self, question: &str, answer: &ModelResponse) {
        self.0.lock().unwrap().insert(question.to_owned(), answer.clone());
    }
}

/// The first answer is paid for once, although its repair had to wait for the lane.
#[tokio::test]
async fn a_repair_that_has_to_wait_does_not_pay_for_the_first_answer_again() {
    let model = Arc::new(BusyForTheRepair::default());
    let rules = Arc::new(RuleInterpreter { clock: Arc::new(SystemClock) });
    let clock = Arc::new(FakeClock::at(NOW));
    let interpreter = ModelInterpreter::new(model.clone(), rules, clock, settings(0, false));
    let kept: Arc<dyn KeptAnswers> = Arc::new(KeptInMemory::default());
    let request = || InterpretRequest { kept: Some(kept.clone()), ..request() };
    assert!(interpreter.interpret(request()).await.unwrap_err().is_waiting());
    let made_by = interpreter.interpret(request()).await.unwrap().made_by;
    assert_eq!((made_by.tokens_in, made_by.tokens_out), (200, 40), "both answers are counted");
    // Two messages ask, four ask for a repair.
    assert_eq!(*model.0.lock().unwrap(), [2, 4, 4]);
}

//! The token budget of a day, for every pipeline.
//!
//! The tokens of a day are those of all recorded calls, of every run on every machine. Calls in progress do not know of
//! each other, so a day may exceed its budget by one call for each slot.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use quire_ports::{
    Clock, LanguageModel, ModelCalls, ModelError, ModelErrorKind, ModelRequest, ModelResponse,
    estimated_tokens,
};

/// A model that is not asked beyond the tokens of a day, which begins at midnight UTC.
pub struct DayBudgetModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// The calls of the day.
    pub calls: Arc<dyn ModelCalls>,
    /// The clock of the store.
    pub clock: Arc<dyn Clock>,
    /// The most tokens of a day.
    pub tokens_per_day: u64,
}

#[async_trait]
impl LanguageModel for DayBudgetModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let used = self.calls.tokens_since(midnight(self.clock.now())).await.map_err(|error| {
            let message = format!("the tokens used today could not be read: {error}; try again later");
            ModelError::new(ModelErrorKind::Unavailable, message)
        })?;
        if used.saturating_add(needed_tokens(request)) > self.tokens_per_day {
            let message = "model.max_tokens_per_day is used up until midnight UTC; raise it, or send the request again then";
            return Err(ModelError::new(ModelErrorKind::BudgetSpent, message));
        }
        self.model.ask(request).await
    }
}

/// About how many tokens a request needs with its answer, rather too many than too few.
pub(crate) fn needed_tokens(request: &ModelRequest) -> u64 {
    let messages = request.messages.iter().map(|message| message.text.len()).sum::<usize>();
    estimated_tokens(messages + request.response_schema.len()).saturating_add(request.max_tokens)
}

fn midnight(now: Timestamp) -> Timestamp {
    let midnight = now.to_zoned(TimeZone::UTC).date().to_zoned(TimeZone::UTC);
    midnight.map_or_else(|_| now.checked_sub(24.hours()).unwrap_or(now), |midnight| midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use quire_domain::ModelCallId;
    use quire_domain::proposal::ModelParameters;
    use quire_ports::{CallContext, ChatMessage, ChatRole, ModelCall};
    use quire_testkit::{FakeClock, RecordedCalls};

    use super::*;

    /// Midnight.
    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    struct Silent;

    #[async_trait]
    impl LanguageModel for Silent {
        async fn ask(&self, _: &ModelRequest) -> Result<ModelResponse, ModelError> {
            Err(ModelError::new(ModelErrorKind::AnswerInvalid, "it was asked"))
        }
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
            tokens_in: 900_000,
            tokens_out: 0,
            cost: None,
            latency: std::time::Duration::ZERO,
            outcome: "MODEL_REFUSED".to_owned(),
            created_at: NOW + jiff::SignedDuration::from_secs(seconds),
        };
        let model = DayBudgetModel {
            model: Arc::new(Silent),
            calls: calls.clone(),
            clock: Arc::new(FakeClock::at(NOW)),
            tokens_per_day: 1_000_000,
        };
        let request = |text: String| ModelRequest {
            context: CallContext::default(),
            model: None,
            messages: vec![ChatMessage { role: ChatRole::User, text }],
            schema_name: "form".to_owned(),
            response_schema: "{}".to_owned(),
            max_tokens: 1000,
            temperature: 0.0,
            parameters: ModelParameters::default(),
            deadline: None,
        };
        let kind = async |text: String| model.ask(&request(text)).await.unwrap_err().kind;
        calls.record(&[call(-1)]).await.unwrap();
        assert_eq!(kind("word".repeat(10)).await, ModelErrorKind::AnswerInvalid, "it was asked");
        calls.record(&[call(0)]).await.unwrap();
        assert_eq!(kind("word".repeat(10)).await, ModelErrorKind::AnswerInvalid, "there is room");
        // 99,000 signs of three bytes are about 99,000 tokens, and the answer may have 1,000.
        assert_eq!(kind("字".repeat(99_100)).await, ModelErrorKind::BudgetSpent);
        calls.record(&[ModelCall { tokens_in: 100_000, ..call(0) }]).await.unwrap();
        assert_eq!(kind("word".to_owned()).await, ModelErrorKind::BudgetSpent);
    }
}

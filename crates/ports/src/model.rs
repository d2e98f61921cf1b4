//! Language models: requests, responses and errors.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::proposal::ModelParameters;
use quire_domain::{Failure, FailureKind, LaneName, RunId, StepName, SubjectId};

use crate::{Deadline, StepContext};

/// The role of a message's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are those of the conversation.
pub enum ChatRole {
    System,
    User,
    Assistant,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// The author's role.
    pub role: ChatRole,
    /// The text. Never logged.
    pub text: String,
}

/// The work for which a provider is called. Log lines and the record of the call name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallContext {
    /// The run.
    pub run_id: Option<RunId>,
    /// What the run works on.
    pub subject: Option<SubjectId>,
    /// The step of the run.
    pub step: Option<StepName>,
    /// The attempt at the step, from 1. 0 outside a step.
    pub step_attempt: u32,
    /// Links the call to the request that caused it.
    pub correlation_id: Option<String>,
    /// The name of the credential that asked for the work, if it is known.
    pub credential: Option<String>,
}

impl From<&StepContext> for CallContext {
    fn from(context: &StepContext) -> Self {
        Self {
            run_id: Some(context.run.id),
            subject: Some(context.run.subject),
            step: Some(context.step),
            step_attempt: context.attempt,
            correlation_id: context.run.correlation_id.clone(),
            credential: context.run.requested_by.clone(),
        }
    }
}

/// A request to a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The work for which the model is asked.
    pub context: CallContext,
    /// The model to ask instead of the configured one.
    pub model: Option<String>,
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// The name of the response's JSON Schema: letters, digits, `_` and `-`.
    pub schema_name: String,
    /// The JSON Schema of the response.
    pub response_schema: String,
    /// The most tokens that the response may have.
    pub max_tokens: u64,
    /// How freely the model chooses its words, from 0 to 2. A model without this setting ignores it.
    pub temperature: f64,
    /// What a person has set beside it.
    pub parameters: ModelParameters,
    /// The deadline. No request goes beyond it.
    pub deadline: Option<Deadline>,
}

/// Time reserved before the deadline for the work without the model.
pub const MODEL_RESERVE: Duration = Duration::from_secs(2);

impl ModelRequest {
    /// The time that is left for the model. `None` without a deadline.
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.deadline.as_ref()?.time_left().saturating_sub(MODEL_RESERVE))
    }
}

/// A model's response.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelResponse {
    /// The text, which should be JSON that fits the schema. Never logged.
    pub text: String,
    /// Whether the text is complete and was not cut off by the token limit.
    pub is_whole: bool,
    /// The model's name, as the server reports it.
    pub model: String,
    /// Tokens of the request, as the model counts them, else estimated.
    pub tokens_in: u64,
    /// Tokens of the response.
    pub tokens_out: u64,
    /// The cost: as the endpoint reports it, else by the configured prices. None if neither is known.
    pub cost: Option<f64>,
    /// The time from the request to the end of the response.
    pub latency: Duration,
}

/// About how many bytes of text a token has, in any script. A low number, so that estimates are rather too high.
pub const BYTES_PER_TOKEN: u64 = 3;

/// About how many tokens a text of this many bytes has.
pub fn estimated_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_TOKEN
}

impl ModelResponse {
    /// The part of the text that is JSON, if there is exactly such a part; otherwise the whole text. A model that only the
    /// prompt tells about the form puts its answer into a code fence, or thinks aloud first.
    pub fn json(&self) -> &str {
        json_of(&self.text)
    }
}

fn json_of(text: &str) -> &str {
    let is_json = |part: &str| serde_json::from_str::<serde::de::IgnoredAny>(part).is_ok();
    if is_json(text) {
        return text;
    }
    let spoken = text.rsplit_once("</think>").map_or(text, |(_, spoken)| spoken);
    let inner = match (spoken.find('{'), spoken.rfind('}')) {
        (Some(start), Some(end)) if start < end => &spoken[start..=end],
        _ => spoken,
    };
    if is_json(inner) { inner } else { text }
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// Why a model cannot be used at the moment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ModelErrorKind {
            $($(#[$doc])* $variant,)+
            /// It was not asked, because its lane is full, closed or paused. The run waits, and no error is recorded.
            LaneBusy,
        }

        impl ModelErrorKind {
            /// All that can be recorded.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable code.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                    Self::LaneBusy => Failure::LANE_BUSY,
                }
            }
        }
    };
}

error_kinds! {
    /// It did not answer in time, cannot be reached, or failed.
    Unavailable = "MODEL_UNAVAILABLE",
    /// It limits the rate of requests, and said for how long.
    RateLimited = "MODEL_RATE_LIMITED",
    /// It refuses the request: a wrong key, name or address, a text that is too long, or something it will not answer.
    Refused = "MODEL_REFUSED",
    /// Its response does not fit the schema.
    AnswerInvalid = "MODEL_ANSWER_INVALID",
    /// The token budget is spent or too small.
    BudgetSpent = "MODEL_BUDGET_SPENT",
}

impl ModelErrorKind {
    /// Whether the same request may succeed a little later.
    pub fn is_retryable(self) -> bool {
        self == Self::Unavailable || self.is_wait()
    }

    /// Whether the model is well, and only has to be waited for.
    pub fn is_wait(self) -> bool {
        matches!(self, Self::RateLimited | Self::LaneBusy)
    }
}

/// A model cannot be used at the moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The kind of error.
    pub kind: ModelErrorKind,
    /// What happened and what to do, for people. Never document text or the model's response.
    pub message: String,
    /// How long to wait before the next request. Always there with `RateLimited` and `LaneBusy`; with `Unavailable` if the
    /// model is not asked at all for a while, because it kept failing. A run that waits this long spends no attempt.
    pub retry_after: Option<Duration>,
    /// The lane in which the run waits.
    pub lane: Option<LaneName>,
}

impl ModelError {
    /// An error of that kind without a known time for the next request.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, lane: None }
    }

    /// Whether another request may succeed, and from when.
    pub fn failure_kind(&self, now: Timestamp) -> FailureKind {
        let until = self.retry_after.map(|wait| now.checked_add(wait).unwrap_or(now));
        match (self.kind, until) {
            (ModelErrorKind::LaneBusy, until) => FailureKind::Waiting { until: until.unwrap_or(now) },
            (_, Some(until)) => FailureKind::RateLimited { until },
            (kind, None) if kind.is_retryable() => FailureKind::Transient,
            (_, None) => FailureKind::Permanent,
        }
    }

    /// The failure of a step that needed the model.
    pub fn into_failure(self, now: Timestamp) -> Failure {
        let failure = Failure::new(self.failure_kind(now), self.kind.as_str(), self.message);
        Failure { lane: self.lane, ..failure }
    }
}

/// A language model on a server.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks once. If the model fails, other models may be asked, but none is asked twice: another attempt is up to the
    /// step, whose run waits for it in the queue and holds nothing meanwhile.
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_thoughts_and_prose_around_json_are_left_out() {
        for (text, expected) in [
            ("{\"a\":1}", "{\"a\":1}"),
            ("```json\n{\"a\":1}\n```", "{\"a\":1}"),
            ("<think>{maybe}</think>\n{\"a\":1}", "{\"a\":1}"),
            ("Here you are: {\"a\":{}} Anything else?", "{\"a\":{}}"),
            ("{\"a\":", "{\"a\":"),
            ("no", "no"),
            ("} {", "} {"),
        ] {
            assert_eq!(json_of(text), expected, "{text}");
        }
    }

    #[test]
    fn tokens_are_estimated_by_bytes_so_that_other_scripts_are_not_underestimated() {
        assert_eq!(estimated_tokens("a".repeat(300).len()), 100);
        assert_eq!(estimated_tokens("я".repeat(300).len()), 200);
        assert_eq!(estimated_tokens("字".repeat(300).len()), 300);
    }
}

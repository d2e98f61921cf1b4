//! Requests to summarise a page or a forwarded text.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::pipeline::UnknownName;
use crate::run::{FailureType, RunState};
use crate::{RunId, StepName};

/// The shortest and the longest forwarded text, in characters.
const FORWARD_CHARS: std::ops::RangeInclusive<usize> = 10..=100_000;
/// The longest JSON text of the metadata of a forwarded text, in bytes.
const MAX_METADATA_BYTES: usize = 10_000;

/// What is summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// A page on the web.
    Url,
    /// A text that somebody forwarded.
    Forward,
}

impl RequestKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Url, Self::Forward];

    /// The name that is stored and that the API shows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Forward => "forward",
        }
    }
}

/// The language of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SummaryLanguage {
    /// That of the text.
    #[default]
    Auto,
    /// English.
    English,
    /// Spanish.
    Spanish,
    /// Russian.
    Russian,
}

impl SummaryLanguage {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::English, Self::Spanish, Self::Russian];

    /// The name in settings and requests: `auto` or a code of ISO 639-1.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::English => "en",
            Self::Spanish => "es",
            Self::Russian => "ru",
        }
    }

    /// The language of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|language| language.as_str() == name).ok_or_else(|| UnknownName {
            what: "language",
            name: name.to_owned(),
            known: Self::ALL.map(Self::as_str).join(", "),
        })
    }

    /// The language in which to summarise: what the request says, else what the settings say, else the language of the
    /// text. A text in Cyrillic letters is Russian; a text without a known language is English.
    pub fn choose(request: Self, setting: Self, text: &str, detected: Option<&str>) -> String {
        match (request, setting) {
            (Self::Auto, Self::Auto) => detected.map_or_else(|| by_letters(text), str::to_owned),
            (Self::Auto, chosen) | (chosen, _) => chosen.as_str().to_owned(),
        }
    }
}

fn by_letters(text: &str) -> String {
    let is_cyrillic = |letter: char| ('\u{400}'..='\u{4ff}').contains(&letter);
    if text.chars().any(is_cyrillic) { "ru".to_owned() } else { "en".to_owned() }
}

/// A forwarded text of 10 to 100,000 characters, trimmed, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardedText {
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub metadata: ForwardMetadata,
}

/// Why a forwarded text is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{member}: {rule}")]
pub struct InvalidForward {
    /// The member of the request.
    pub member: &'static str,
    /// What it must be.
    pub rule: String,
}

impl ForwardedText {
    /// Checks a text and its metadata.
    pub fn parse(text: &str, metadata: ForwardMetadata) -> Result<Self, InvalidForward> {
        let text = text.trim();
        let chars = text.chars().count();
        if !FORWARD_CHARS.contains(&chars) {
            let (least, most) = (FORWARD_CHARS.start(), FORWARD_CHARS.end());
            let rule = format!("must have {least} to {most} characters; it has {chars}");
            return Err(InvalidForward { member: "content_text", rule });
        }
        let size = serde_json::to_string(&metadata).map_or(usize::MAX, |json| json.len());
        if size > MAX_METADATA_BYTES {
            let rule = format!("must have at most {MAX_METADATA_BYTES} bytes as JSON; it has {size}");
            return Err(InvalidForward { member: "forward_metadata", rule });
        }
        Ok(Self { text: text.to_owned(), metadata })
    }

    /// What identifies the text: the message that was forwarded, or else the text itself.
    pub fn identity(&self) -> String {
        match (self.metadata.from_chat_id, self.metadata.from_message_id) {
            (Some(chat), Some(message)) => format!("forward:{chat}:{message}"),
            _ => format!("forward:{}", self.text),
        }
    }
}

/// Where a forwarded text comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForwardMetadata {
    /// The chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_chat_id: Option<i64>,
    /// The message in the chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_message_id: Option<i64>,
    /// More about it, as the client gave it.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The name of a request's state. A request that timed out shows as an error with its code.
pub fn request_status(state: &RunState) -> &'static str {
    match state {
        RunState::Queued { .. } => "pending",
        RunState::Running { .. } => "processing",
        RunState::Completed { .. } => "success",
        RunState::Failed { .. } | RunState::TimedOut { .. } => "error",
    }
}

/// Whether an earlier request makes another one for the same page a duplicate. One that failed does not, nor one whose
/// summary was deleted.
pub fn stops_repetition(state: &RunState, is_summary_deleted: bool) -> bool {
    !can_retry(state) && !is_summary_deleted
}

/// Whether a request can be repeated as a new one.
pub fn can_retry(state: &RunState) -> bool {
    matches!(state, RunState::Failed { .. } | RunState::TimedOut { .. })
}

/// The stage in which a request failed: `lock`, or the name of its step.
pub fn failed_stage(state: &RunState) -> Option<&'static str> {
    let reason = state.reason()?;
    if reason.failure_type == FailureType::LockFailed {
        return Some("lock");
    }
    reason.record.stage.map(StepName::as_str)
}

/// The correlation id of a request whose client sent none.
pub fn background_correlation_id(id: RunId) -> String {
    format!("bg-proc-{id}")
}

/// The correlation id of the request that repeats a failed one: `-retry-1` is appended, and then counted.
pub fn retry_correlation_id(failed: &str) -> String {
    let counted = failed.rsplit_once("-retry-").and_then(|(base, number)| {
        let number: u32 = number.parse().ok()?;
        Some((base, number.saturating_add(1)))
    });
    let (base, number) = counted.unwrap_or((failed, 1));
    format!("{base}-retry-{number}")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::run::{Failure, FailureReason};

    fn failed() -> RunState {
        let record = Failure::permanent("EXTRACTION_FAILED", "no").record(None, None);
        RunState::Failed {
            started_at: None,
            completed_at: Timestamp::UNIX_EPOCH,
            reason: FailureReason { failure_type: FailureType::ExtractionFailed, record },
        }
    }

    /// Proves R194 for links.
    #[test]
    fn a_request_shows_each_state_by_its_own_name() {
        let now = Timestamp::UNIX_EPOCH;
        let RunState::Failed { reason, .. } = failed() else { panic!("it failed") };
        let states = [
            (RunState::Queued { available_at: None, lane: None }, "pending"),
            (RunState::Running { started_at: now, deadline_at: None, worker: None }, "processing"),
            (RunState::Completed { started_at: now, completed_at: now }, "success"),
            (failed(), "error"),
            (RunState::TimedOut { started_at: now, completed_at: now, reason }, "error"),
        ];
        for (state, name) in states {
            assert_eq!(request_status(&state), name);
        }
    }

    /// Proves R191.
    #[test]
    fn a_request_that_failed_or_lost_its_summary_can_be_sent_again() {
        let now = Timestamp::UNIX_EPOCH;
        let done = RunState::Completed { started_at: now, completed_at: now };
        assert!(stops_repetition(&RunState::Queued { available_at: None, lane: None }, false));
        assert!(stops_repetition(&done, false));
        assert!(!stops_repetition(&done, true));
        assert!(!stops_repetition(&failed(), false));
    }

    #[test]
    fn a_failed_request_names_the_stage_that_failed() {
        let state = |failure_type, stage| {
            let record = Failure::permanent("X", "no").record(stage, None);
            let reason = FailureReason { failure_type, record };
            RunState::Failed { started_at: None, completed_at: Timestamp::UNIX_EPOCH, reason }
        };
        let step = Some(StepName::LinkExtraction);
        assert_eq!(failed_stage(&state(FailureType::LockFailed, step)), Some("lock"));
        assert_eq!(failed_stage(&state(FailureType::ExtractionFailed, step)), Some("extraction"));
        let queued = RunState::Queued { available_at: None, lane: None };
        assert_eq!((failed_stage(&queued), can_retry(&queued), can_retry(&failed())), (None, false, true));
    }

    /// Proves R193.
    #[test]
    fn a_retry_is_linked_by_the_suffix_of_its_correlation_id() {
        assert_eq!(retry_correlation_id("api-7"), "api-7-retry-1");
        assert_eq!(retry_correlation_id("api-7-retry-1"), "api-7-retry-2");
        assert_eq!(retry_correlation_id("a-retry-x"), "a-retry-x-retry-1");
    }

    #[test]
    fn a_summary_is_in_the_language_of_the_request_else_of_the_settings_else_of_the_text() {
        use SummaryLanguage as L;
        assert_eq!(L::choose(L::Spanish, L::Russian, "text", Some("en")), "es");
        assert_eq!(L::choose(L::Auto, L::Russian, "text", Some("en")), "ru");
        assert_eq!(L::choose(L::Auto, L::Auto, "text", Some("de")), "de");
        assert_eq!(L::choose(L::Auto, L::Auto, "текст", None), "ru");
        assert_eq!(L::choose(L::Auto, L::Auto, "text", None), "en");
        assert_eq!(L::parse("es"), Ok(L::Spanish));
        assert!(L::parse("xx").is_err());
    }

    #[test]
    fn a_forwarded_text_has_ten_to_a_hundred_thousand_characters() {
        let parse = |text: &str| ForwardedText::parse(text, ForwardMetadata::default());
        assert!(parse("ñandú ñandú").is_ok());
        assert!(parse(&"ñ".repeat(100_000)).is_ok());
        for wrong in [" ñandú ".to_owned(), "ñ".repeat(100_001)] {
            assert_eq!(parse(&wrong).unwrap_err().member, "content_text");
        }
        let more = Map::from_iter([("x".to_owned(), Value::from("y".repeat(MAX_METADATA_BYTES)))]);
        let metadata = ForwardMetadata { more, ..ForwardMetadata::default() };
        let refused = ForwardedText::parse("ten characters", metadata).unwrap_err();
        assert_eq!(refused.member, "forward_metadata");
    }

    #[test]
    fn a_forwarded_message_is_known_by_its_chat_and_number_else_by_its_text() {
        let parse = |metadata| ForwardedText::parse("ten characters", metadata).unwrap().identity();
        let metadata: ForwardMetadata =
            serde_json::from_str(r#"{"from_chat_id": -100, "from_message_id": 7, "title": "t"}"#).unwrap();
        assert_eq!(metadata.more["title"], "t");
        assert_eq!(parse(metadata), "forward:-100:7");
        assert_eq!(parse(ForwardMetadata::default()), "forward:ten characters");
    }
}

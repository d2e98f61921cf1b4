//! A document in the list.

use quire_application::document::DocumentView;
use quire_domain::{DocumentStatus, FailureType, ReviewStatus, RunState, StepName};
use quire_understanding::calibration::{Band, ConfidencePolicy};

use crate::pages::moments::Moment;
use crate::pages::words::Words;

const FAILURE: &str = "inbox.failure_";

pub(super) struct DocumentRow {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) status: &'static str,
    /// The class of its chip.
    pub(super) tone: &'static str,
    /// The current step, or the failure in words.
    pub(super) detail: Option<String>,
    /// The error code of the failure.
    pub(super) code: Option<String>,
    pub(super) reviewed_by: Option<String>,
    pub(super) confidence: Option<ConfidenceLabel>,
    /// Whether it waits for a review.
    pub(super) waits: bool,
    /// Its confidence, which is its place in the review queue.
    pub(super) confidence_value: Option<f64>,
    /// Its sort key in the review queue.
    pub(super) queue_sort_key: i64,
    /// Its sort key in the list, the greatest first.
    pub(super) list_sort_key: i64,
    /// The query of its link, so that the next document follows in the same order.
    pub(super) order: String,
    pub(super) added: Moment,
    /// The label of its check box, for visitors who may act on a selection.
    pub(super) select: Option<String>,
    /// Who has hidden it, in words.
    pub(super) hidden: Option<String>,
    /// Whether the visitor may show it again.
    pub(super) restorable: bool,
}

/// The confidence in a document, in words.
pub(super) struct ConfidenceLabel {
    /// The class of its dot.
    pub(super) band: &'static str,
    pub(super) word: &'static str,
    pub(super) percent: String,
}

impl ConfidenceLabel {
    fn of(confidence: f64, policy: &ConfidencePolicy, words: &'static Words) -> Self {
        let band = policy.band(confidence);
        let word = match band {
            Band::Low => "inbox.confidence_low",
            Band::Mid => "inbox.confidence_mid",
            Band::High => "inbox.confidence_high",
        };
        Self { band: band.as_str(), word: words.get(word), percent: format!("{:.0} %", confidence * 100.0) }
    }
}

impl DocumentRow {
    pub(super) fn of(
        view: &DocumentView,
        step: Option<StepName>,
        policy: &ConfidencePolicy,
        words: &'static Words,
        operates: bool,
    ) -> Self {
        let document = &view.overview.document;
        let state = view.overview.latest_run.as_ref().map(|run| &run.state);
        let (status, tone) = status(view, words);
        let reason = state.and_then(RunState::reason);
        let doing = match (state, step) {
            (Some(RunState::Queued { .. }), _) => Some(words.get("inbox.step_waiting").to_owned()),
            (_, Some(step)) => Some(named("inbox.step_", step.as_str(), words)),
            _ => None,
        };
        Self {
            id: document.id.to_string(),
            name: document.original_filename.clone(),
            status,
            tone,
            detail: reason.map(|reason| failure_text(reason.failure_type, words).to_owned()).or(doing),
            code: reason.map(|reason| reason.record.error_code.clone()),
            reviewed_by: view.overview.reviewed_by.as_ref().map(|who| words.with("inbox.reviewed_by", who)),
            confidence: view
                .overview
                .confidence
                .map(|confidence| ConfidenceLabel::of(confidence, policy, words)),
            waits: view.overview.confidence.is_some() && document.review_status == ReviewStatus::InReview,
            confidence_value: view.overview.confidence,
            queue_sort_key: sort_key(view.overview.confidence.unwrap_or_default()),
            list_sort_key: document.created_at.as_microsecond(),
            order: String::new(),
            added: Moment::of(document.created_at),
            hidden: view.overview.hidden.as_ref().map(|hidden| words.with("inbox.hidden_by", &hidden.by)),
            restorable: operates && view.overview.hidden.is_some(),
            select: operates.then(|| words.with("inbox.select", &document.original_filename)),
        }
    }
}

/// The status of a document in words, and the class of its chip.
pub(in crate::pages) fn status(view: &DocumentView, words: &'static Words) -> (&'static str, &'static str) {
    let (name, tone) = match (view.processing.status, view.overview.document.review_status) {
        (DocumentStatus::Completed, ReviewStatus::Reviewed) => ("inbox.status_reviewed", "reviewed"),
        (DocumentStatus::Completed, _) => ("inbox.status_ready", "ready"),
        (DocumentStatus::Failed | DocumentStatus::TimedOut, _) => ("inbox.status_error", "error"),
        (DocumentStatus::Processing, _) => ("inbox.status_processing", "processing"),
        (DocumentStatus::Uploaded, _) => ("inbox.status_uploaded", "waiting"),
    };
    (words.get(name), tone)
}

/// A confidence as a sort key: negated millionths, so that the least confident comes first.
fn sort_key(confidence: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation)] // Between nothing and a million.
    let millionths = (confidence * 1e6) as i64;
    -millionths
}

/// Why the latest run failed, as it is stored: a person may read more than the status of the document tells a program.
fn failure_text(failure_type: FailureType, words: &'static Words) -> &'static str {
    let named = |kind: FailureType| words.find(&format!("{FAILURE}{}", kind.as_str().to_lowercase()));
    named(failure_type).or_else(|| named(FailureType::UnknownError)).unwrap_or_default()
}

/// The text for a name of a closed set.
fn named(prefix: &str, name: &str, words: &Words) -> String {
    words.get(&format!("{prefix}{}", name.to_lowercase())).to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quire_domain::Pipeline;

    use super::*;
    use crate::pages::words::Language;

    #[test]
    fn every_step_and_failure_of_a_document_has_a_text() {
        let words = Language::English.words();
        for step in Pipeline::Document.steps() {
            assert!(!named("inbox.step_", step.as_str(), words).starts_with("inbox."), "{step}");
        }
        assert!(!failure_text(FailureType::UnknownError, words).is_empty());
    }

    #[test]
    fn a_run_that_a_person_ended_is_not_shown_as_failed_without_a_reason() {
        for language in [Language::English, Language::Spanish] {
            let texts = [
                FailureType::ExtractionFailed,
                FailureType::ExtractionLowQuality,
                FailureType::InterpretationFailed,
                FailureType::EmbeddingFailed,
                FailureType::ProcessTerminated,
                FailureType::RunTimedOut,
                FailureType::Withdrawn,
                FailureType::Cancelled,
                FailureType::UnknownError,
            ]
            .map(|kind| failure_text(kind, language.words()));
            assert_eq!(BTreeSet::from(texts).len(), texts.len(), "{texts:?}");
            assert_eq!(failure_text(FailureType::LockFailed, language.words()), texts[8]);
        }
    }
}

//! Every error code with its page. The codes of other crates are matched one by one, so that a new code does not compile without a
//! page.

use std::collections::BTreeMap;

use quire_application::steps::{
    AnalysisErrorKind, ModelErrorKind, ReadErrorKind, StepErrorCode, WebErrorKind,
};
use quire_domain::FailureType;

use super::text;
use crate::{Code, ConflictReason};

/// The pages by code.
pub(super) fn all() -> BTreeMap<&'static str, &'static str> {
    let codes = Code::ALL.iter().map(|code| (code.as_str(), code.page()));
    let reasons = ConflictReason::ALL.iter().map(|reason| (reason.as_str(), reason.page()));
    let failures = FailureType::ALL.iter().map(|failure| (failure.as_str(), of_run(*failure)));
    let readers = ReadErrorKind::ALL.iter().map(|kind| (kind.as_str(), of_reading(*kind)));
    let models = ModelErrorKind::ALL.iter().map(|kind| (kind.as_str(), of_model(*kind)));
    let pages = WebErrorKind::ALL.iter().map(|kind| (kind.as_str(), of_web_page(*kind)));
    let analysers = AnalysisErrorKind::ALL.iter().map(|kind| (kind.as_str(), of_analysis(*kind)));
    let steps = StepErrorCode::ALL.iter().map(|code| (code.as_str(), of_step(*code)));
    let pages = pages.chain(analysers);
    codes.chain(reasons).chain(failures).chain(readers).chain(models).chain(pages).chain(steps).collect()
}

/// The codes that runs and their steps can fail with.
#[cfg(test)]
pub(crate) fn run_codes() -> impl Iterator<Item = &'static str> {
    let failures = FailureType::ALL.iter().map(|failure| failure.as_str());
    let readers = ReadErrorKind::ALL.iter().map(|kind| kind.as_str());
    let models = ModelErrorKind::ALL.iter().map(|kind| kind.as_str());
    let pages = WebErrorKind::ALL.iter().map(|kind| kind.as_str());
    let steps = StepErrorCode::ALL.iter().map(|code| code.as_str());
    let analysers = AnalysisErrorKind::ALL.iter().map(|kind| kind.as_str());
    failures.chain(readers).chain(models).chain(pages).chain(analysers).chain(steps)
}

const fn of_run(failure: FailureType) -> &'static str {
    match failure {
        FailureType::ExtractionFailed => text!("EXTRACTION_FAILED"),
        FailureType::ExtractionLowQuality => text!("EXTRACTION_LOW_QUALITY"),
        FailureType::InterpretationFailed => text!("INTERPRETATION_FAILED"),
        FailureType::EmbeddingFailed => text!("EMBEDDING_FAILED"),
        FailureType::LlmFailed => text!("LLM_FAILED"),
        FailureType::AggregationFailed => text!("AGGREGATION_FAILED"),
        FailureType::ValidationFailed => text!("VALIDATION_FAILED"),
        FailureType::LockFailed => text!("LOCK_FAILED"),
        FailureType::ProcessTerminated => text!("PROCESS_TERMINATED"),
        FailureType::RunTimedOut => text!("RUN_TIMED_OUT"),
        FailureType::Withdrawn => text!("WITHDRAWN"),
        FailureType::Cancelled => text!("CANCELLED"),
        FailureType::UnknownError => text!("UNKNOWN_ERROR"),
    }
}

const fn of_reading(kind: ReadErrorKind) -> &'static str {
    match kind {
        ReadErrorKind::UnsupportedMediaType => text!("UNSUPPORTED_MEDIA_TYPE"),
        ReadErrorKind::PdfEncrypted => text!("PDF_ENCRYPTED"),
        ReadErrorKind::PdfInvalid => text!("PDF_INVALID"),
        ReadErrorKind::FileInvalid => text!("FILE_INVALID"),
        ReadErrorKind::PageNotFound => text!("PAGE_NOT_FOUND"),
        ReadErrorKind::DocumentTooLarge => text!("DOCUMENT_TOO_LARGE"),
        ReadErrorKind::ParserCrashed => text!("PARSER_CRASHED"),
        ReadErrorKind::ParserTimeout => text!("PARSER_TIMEOUT"),
        ReadErrorKind::ParserMemory => text!("PARSER_MEMORY"),
        ReadErrorKind::ParserUnavailable => text!("PARSER_UNAVAILABLE"),
        ReadErrorKind::OcrNotAvailable => text!("OCR_NOT_AVAILABLE"),
        ReadErrorKind::OcrFailed => text!("OCR_FAILED"),
    }
}

const fn of_model(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Unavailable => text!("MODEL_UNAVAILABLE"),
        // A busy lane is never recorded, so nobody looks for its page.
        ModelErrorKind::RateLimited | ModelErrorKind::LaneBusy => text!("MODEL_RATE_LIMITED"),
        ModelErrorKind::Refused => text!("MODEL_REFUSED"),
        ModelErrorKind::AnswerInvalid => text!("MODEL_ANSWER_INVALID"),
        ModelErrorKind::BudgetSpent => text!("MODEL_BUDGET_SPENT"),
    }
}

const fn of_analysis(kind: AnalysisErrorKind) -> &'static str {
    match kind {
        AnalysisErrorKind::Unavailable => text!("DOCUMENT_INTELLIGENCE_UNAVAILABLE"),
        AnalysisErrorKind::RateLimited => text!("DOCUMENT_INTELLIGENCE_RATE_LIMITED"),
        AnalysisErrorKind::Refused => text!("DOCUMENT_INTELLIGENCE_REFUSED"),
        AnalysisErrorKind::Failed => text!("DOCUMENT_INTELLIGENCE_FAILED"),
        AnalysisErrorKind::AnswerInvalid => text!("DOCUMENT_INTELLIGENCE_ANSWER_INVALID"),
        AnalysisErrorKind::PageMissing => text!("DOCUMENT_INTELLIGENCE_PAGE_MISSING"),
        AnalysisErrorKind::BudgetSpent => text!("DOCUMENT_INTELLIGENCE_BUDGET_SPENT"),
    }
}

const fn of_web_page(kind: WebErrorKind) -> &'static str {
    match kind {
        WebErrorKind::AddressNotAllowed => text!("URL_NOT_ALLOWED"),
        WebErrorKind::Unavailable => text!("WEB_PAGE_UNAVAILABLE"),
        WebErrorKind::RateLimited => text!("WEB_PAGE_RATE_LIMITED"),
        WebErrorKind::Refused => text!("WEB_PAGE_REFUSED"),
        WebErrorKind::TooLarge => text!("WEB_PAGE_TOO_LARGE"),
        WebErrorKind::RobotsDisallow => text!("ROBOTS_DISALLOWED"),
        WebErrorKind::LowValue => text!("LOW_VALUE_CONTENT"),
        WebErrorKind::ServiceRefused => text!("FIRECRAWL_REFUSED"),
    }
}

const fn of_step(code: StepErrorCode) -> &'static str {
    match code {
        StepErrorCode::StorageUnavailable => text!("STORAGE_UNAVAILABLE"),
        StepErrorCode::FileDamaged => text!("FILE_DAMAGED"),
        StepErrorCode::StoreUnavailable => text!("STORE_UNAVAILABLE"),
        StepErrorCode::StepNotSetUp => text!("STEP_NOT_SET_UP"),
        StepErrorCode::StepPanicked => text!("STEP_PANICKED"),
        StepErrorCode::StepTimedOut => text!("STEP_TIMED_OUT"),
        StepErrorCode::ResultNotStorable => text!("RESULT_NOT_STORABLE"),
        StepErrorCode::StepInputMissing => text!("STEP_INPUT_MISSING"),
        StepErrorCode::ProviderNotConfigured => text!("PROVIDER_NOT_CONFIGURED"),
        StepErrorCode::LockHeld => text!("LOCK_HELD"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Proves R074 for its codes: each is explained, and nothing else is.
    #[test]
    fn the_folder_has_a_page_for_each_code_and_no_other() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors")).unwrap();
        let files = folder.map(|file| file.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<_> = files.map(|name| name.strip_suffix(".md").unwrap().to_owned()).collect();
        let codes: BTreeSet<_> = all().into_keys().map(str::to_owned).collect();
        assert_eq!(codes, files);
    }

    #[test]
    fn each_page_is_about_its_code_and_says_what_to_do() {
        for (code, text) in all() {
            assert!(text.starts_with(&format!("# {code}\n")), "{code}");
            assert!(text.contains("\n## What to do\n"), "{code}");
            let example = text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
            let example: serde_json::Value =
                serde_json::from_str(example.unwrap_or_else(|| panic!("{code} has an example"))).unwrap();
            assert!(example.to_string().contains(code), "the example of {code} is of another code");
        }
    }

    /// Proves R075, R215: the reasons of conflicts are these and no others.
    #[test]
    fn the_reasons_of_conflicts_are_a_closed_list() {
        let reasons: Vec<_> = ConflictReason::ALL.iter().map(|reason| reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "NO_COMPLETED_RUN",
                "REVIEW_BLOCKED_BY_ACTIVE_RUN",
                "RAW_TEXT_NOT_READY",
                "RAW_TEXT_NOT_AVAILABLE",
                "STALE_INTERPRETATION_VERSION",
                "INTERPRETATION_MISSING",
                "INTERPRETATION_NOT_AVAILABLE",
                "NOTHING_TO_COMPARE",
                "IDEMPOTENCY_KEY_REUSED",
                "RETRY_NOT_ALLOWED",
                "RUN_NOT_QUEUED",
                "RUN_NOT_RUNNING",
                "RUN_NOT_COMPLETED",
                "PROCESSING_DISABLED",
                "CANDIDATE_DECIDED",
                "DOCUMENT_UNREADABLE",
                "STATE_CHANGED",
            ]
        );
    }
}

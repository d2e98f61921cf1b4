//! The attempts at the steps of a run in order of time, each with its bar.

use jiff::Timestamp;
use quire_application::document::StepRecord;
use quire_domain::{StepName, StepStatus};

use super::super::moments::lasting;
use super::super::words::Words;

/// The width of the drawing.
const WIDTH: f64 = 1000.0;
/// The narrowest visible bar.
const NARROWEST: f64 = 6.0;

/// One attempt at one step.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct AttemptRow {
    pub(in super::super) step: String,
    pub(in super::super) number: u32,
    pub(in super::super) status: &'static str,
    pub(in super::super) tone: &'static str,
    pub(in super::super) took: String,
    pub(in super::super) code: Option<String>,
    pub(in super::super) message: Option<String>,
    /// The start and the width of its bar.
    pub(in super::super) x: f64,
    pub(in super::super) width: f64,
}

/// The attempts in these records. An open attempt lasts until `until`.
pub(in super::super) fn attempts(
    records: &[StepRecord],
    until: Timestamp,
    words: &'static Words,
) -> Vec<AttemptRow> {
    let begun = records.iter().filter(|record| record.started_at.is_some());
    let mut latest: Vec<&StepRecord> = Vec::new();
    for record in begun {
        let same = |known: &&mut &StepRecord| {
            (known.step, known.attempt, known.started_at) == (record.step, record.attempt, record.started_at)
        };
        // A later record has the end of the attempt.
        match latest.iter_mut().find(same) {
            Some(known) => *known = record,
            None => latest.push(record),
        }
    }
    let first = latest.iter().filter_map(|record| record.started_at).min().unwrap_or(until);
    let last = latest.iter().filter_map(|record| record.ended_at).max().unwrap_or(until).max(until);
    let scale = WIDTH / last.duration_since(first).as_secs_f64().max(0.001);
    latest.into_iter().map(|record| attempt(record, until, first, scale, words)).collect()
}

fn attempt(
    record: &StepRecord,
    until: Timestamp,
    first: Timestamp,
    scale: f64,
    words: &'static Words,
) -> AttemptRow {
    let start = record.started_at.unwrap_or(until);
    let took = record.ended_at.unwrap_or(until).duration_since(start);
    let (status, tone) = status(record.status, words);
    let x = (start.duration_since(first).as_secs_f64() * scale).clamp(0.0, WIDTH - NARROWEST);
    AttemptRow {
        step: name(record.step, words),
        number: record.attempt,
        status,
        tone,
        took: lasting(took, words),
        code: record.error_code.clone(),
        message: record
            .details
            .as_ref()
            .map(|failure| words.run_error(&failure.error_code, &failure.message)),
        x,
        width: (took.as_secs_f64() * scale).clamp(NARROWEST, WIDTH - x),
    }
}

/// The name of a status for people, and its tone.
pub(in super::super) fn status(status: StepStatus, words: &'static Words) -> (&'static str, &'static str) {
    let (name, tone) = match status {
        StepStatus::Pending => ("runs.step_pending", "waiting"),
        StepStatus::Running => ("runs.step_running", "processing"),
        StepStatus::Succeeded => ("runs.step_succeeded", "reviewed"),
        StepStatus::Failed => ("runs.step_failed", "error"),
    };
    (words.get(name), tone)
}

/// The name of a step for people.
pub(in super::super) fn name(step: StepName, words: &Words) -> String {
    match step {
        StepName::Extraction => words.get("runs.extraction").to_owned(),
        StepName::Interpretation => words.get("runs.interpretation").to_owned(),
        StepName::Embedding => words.get("runs.embedding").to_owned(),
        StepName::LinkExtraction => words.get("runs.link_extraction").to_owned(),
        StepName::LinkSummarization => words.get("runs.link_summarization").to_owned(),
        other => match words.find(&["proposals.step_", other.as_str()].concat()) {
            Some(name) => name.to_owned(),
            None => other.as_str().to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use quire_domain::Pipeline;
    use quire_domain::StepName::{Extraction, Interpretation};

    use super::super::super::words::Language;
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn record(step: StepName, attempt: u32, status: StepStatus, start: i64, end: Option<i64>) -> StepRecord {
        StepRecord {
            step,
            status,
            attempt,
            started_at: Some(at(start)),
            ended_at: end.map(at),
            error_code: None,
            details: None,
        }
    }

    #[test]
    fn each_attempt_has_one_bar_with_its_end() {
        let records = [
            record(Extraction, 1, StepStatus::Running, 0, None),
            record(Extraction, 1, StepStatus::Failed, 0, Some(2)),
            record(Extraction, 2, StepStatus::Running, 4, None),
            record(Extraction, 2, StepStatus::Succeeded, 4, Some(8)),
            record(Interpretation, 1, StepStatus::Running, 8, None),
        ];
        let shown = attempts(&records, at(10), Language::English.words());
        let bars: Vec<_> =
            shown.iter().map(|one| (one.number, one.tone, one.took.as_str(), one.x, one.width)).collect();
        assert_eq!(
            bars,
            [
                (1, "error", "2.0 s", 0.0, 200.0),
                (2, "reviewed", "4.0 s", 400.0, 400.0),
                (1, "processing", "2.0 s", 800.0, 200.0),
            ]
        );
    }

    #[test]
    fn every_step_has_a_name_in_both_languages() {
        for language in [Language::English, Language::Spanish] {
            for step in Pipeline::ALL.into_iter().flat_map(Pipeline::steps) {
                assert_ne!(name(*step, language.words()), step.as_str(), "{language:?}");
            }
        }
        assert_eq!(name(StepName::Embedding, Language::English.words()), "Search index");
        assert_eq!(name(StepName::LinkExtraction, Language::Spanish.words()), "Lectura de la página");
    }

    #[test]
    fn an_attempt_without_duration_still_has_a_visible_bar() {
        let records = [record(Extraction, 1, StepStatus::Succeeded, 5, Some(5))];
        let shown = attempts(&records, at(5), Language::Spanish.words());
        assert_eq!((shown[0].x, shown[0].width), (0.0, NARROWEST));
        assert_eq!(attempts(&[], at(5), Language::Spanish.words()), []);
    }
}

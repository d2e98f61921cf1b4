//! Whether the interpretation of a document may be edited or marked as reviewed now, and the events of reviews.

use jiff::Timestamp;

use crate::document::Document;
use crate::event::{Event, EventType};
use crate::ids::{DocumentId, RunId};
use crate::run::{Run, RunState};

/// Why an edit cannot be made now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditBlocked {
    /// A run of the document is RUNNING.
    RunRunning,
    /// The run has not completed.
    NotCompleted,
    /// The run has no interpretation.
    Missing,
    /// A newer version exists, or a newer run has completed and the edit is only valid on the latest one.
    Stale,
}

/// What decides whether a run's interpretation may be edited.
#[derive(Clone, Copy, Debug)]
pub struct EditContext<'a> {
    /// The run.
    pub run: &'a Run,
    /// Whether any run of the document is RUNNING.
    pub has_running_run: bool,
    /// The latest completed run of the document.
    pub latest_completed_run: Option<RunId>,
    /// The number of the run's active version.
    pub active: Option<u32>,
}

/// The version that a person edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditBase {
    /// The number of the version.
    pub version: u32,
    /// Whether the edit is also stale if a newer run of the document has completed.
    pub latest_run_only: bool,
}

/// Whether a version of a run's interpretation may be edited.
///
/// The use case asks before it works out the edit. The store asks again in its transaction, about what it has locked.
pub fn check_edit(context: EditContext<'_>, base: EditBase) -> Result<(), EditBlocked> {
    if context.has_running_run {
        return Err(EditBlocked::RunRunning);
    }
    if !matches!(context.run.state, RunState::Completed { .. }) {
        return Err(EditBlocked::NotCompleted);
    }
    let active = context.active.ok_or(EditBlocked::Missing)?;
    let is_latest = context.latest_completed_run.is_none_or(|latest| latest == context.run.id);
    if active != base.version || (base.latest_run_only && !is_latest) {
        return Err(EditBlocked::Stale);
    }
    Ok(())
}

/// A version of a run's interpretation that a person has seen and signs as reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedVersion {
    /// The run.
    pub run: RunId,
    /// The number of the version.
    pub number: u32,
}

/// Why a document cannot be marked as reviewed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkBlocked {
    /// No run of the document has completed.
    NoCompletedRun,
    /// The latest completed run has no interpretation.
    Missing,
    /// This version is the active one of the latest completed run, and the person has seen another.
    Stale(SignedVersion),
}

/// Whether a document may be marked as reviewed by a person who has seen `signed`. `latest` is the latest completed run of
/// the document with the number of its active version.
///
/// The store asks in its transaction, about what it has locked. A document stays REVIEWED for as long as this holds.
pub fn check_mark(latest: Option<(RunId, Option<u32>)>, signed: SignedVersion) -> Result<(), MarkBlocked> {
    let (run, active) = latest.ok_or(MarkBlocked::NoCompletedRun)?;
    let active = SignedVersion { run, number: active.ok_or(MarkBlocked::Missing)? };
    if active == signed { Ok(()) } else { Err(MarkBlocked::Stale(active)) }
}

/// What ended the review of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewEnd {
    /// A person reopened it.
    Reopened,
    /// A person edited the interpretation.
    Edited,
    /// A newer run completed.
    Reprocessed,
}

impl ReviewEnd {
    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reopened => "REOPENED",
            Self::Edited => "EDITED",
            Self::Reprocessed => "REPROCESSED",
        }
    }
}

/// The event of an edit of a run's interpretation.
pub fn interpretation_edited(document: DocumentId, run: RunId, actor: &str, at: Timestamp) -> Event {
    let edited = Document::event_by(EventType::InterpretationEdited, document, actor, at);
    Event { run: Some(run), ..edited }
}

/// The event of a document that becomes REVIEWED.
pub fn marked_reviewed(document: DocumentId, signed: SignedVersion, actor: &str, at: Timestamp) -> Event {
    let marked = Document::event_by(EventType::MarkReviewed, document, actor, at);
    Event { run: Some(signed.run), ..marked }
}

/// The event of a document that a person makes `IN_REVIEW` again, by an edit or by hand.
pub fn review_reopened(document: DocumentId, end: ReviewEnd, actor: &str, at: Timestamp) -> Event {
    let reopened = Document::event_by(EventType::ReviewReopened, document, actor, at);
    Event { reason: Some(end.as_str().to_owned()), ..reopened }
}

/// The event of a document that becomes `IN_REVIEW` again because this run of it completed.
pub(crate) fn review_ended_by(run: &Run, at: Timestamp) -> Event {
    let ended = Event::of_run(EventType::ReviewReopened, run, at);
    Event { reason: Some(ReviewEnd::Reprocessed.as_str().to_owned()), ..ended }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SubjectId;
    use crate::pipeline::Pipeline;
    use crate::run::{NewRun, Priority, create};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn run(state: RunState) -> Run {
        let new = NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject: SubjectId::new(),
            priority: Priority::Normal,
            correlation_id: None,
            requested_by: None,
            extractor: None,
            continues: None,
        };
        Run { state, ..create(&new, NOW).0 }
    }

    #[test]
    fn an_edit_is_blocked_by_the_first_thing_that_is_in_its_way() {
        let completed = run(RunState::Completed { started_at: NOW, completed_at: NOW });
        let queued = run(RunState::Queued { available_at: None, lane: None });
        let newer = Some(RunId::new());
        for (run, has_running_run, latest_completed_run, active, latest_run_only, expected) in [
            (&queued, true, None, None, false, Err(EditBlocked::RunRunning)),
            (&queued, false, None, Some(1), false, Err(EditBlocked::NotCompleted)),
            (&completed, true, None, Some(1), false, Err(EditBlocked::RunRunning)),
            (&completed, false, None, None, false, Err(EditBlocked::Missing)),
            (&completed, false, None, Some(2), false, Err(EditBlocked::Stale)),
            (&completed, false, newer, Some(1), true, Err(EditBlocked::Stale)),
            (&completed, false, newer, Some(1), false, Ok(())),
            (&completed, false, Some(completed.id), Some(1), true, Ok(())),
            (&completed, false, None, Some(1), true, Ok(())),
        ] {
            let context = EditContext { run, has_running_run, latest_completed_run, active };
            assert_eq!(
                check_edit(context, EditBase { version: 1, latest_run_only }),
                expected,
                "{context:?}"
            );
        }
    }

    /// Proves R032 for the rule.
    #[test]
    fn only_the_active_version_of_the_latest_completed_run_can_be_signed() {
        let (first, second) = (RunId::new(), RunId::new());
        let signed = |run, number| SignedVersion { run, number };
        assert_eq!(check_mark(None, signed(first, 1)), Err(MarkBlocked::NoCompletedRun));
        assert_eq!(check_mark(Some((first, None)), signed(first, 1)), Err(MarkBlocked::Missing));
        for unseen in [signed(first, 1), signed(first, 3), signed(second, 2)] {
            let refused = Err(MarkBlocked::Stale(signed(first, 2)));
            assert_eq!(check_mark(Some((first, Some(2))), unseen), refused);
        }
        assert_eq!(check_mark(Some((first, Some(2))), signed(first, 2)), Ok(()));
    }
}

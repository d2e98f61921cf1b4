//! Whether what was understood of a document may be changed now.

use jiff::Timestamp;

use crate::document::{Document, ReviewStatus};
use crate::event::{Event, EventType};
use crate::ids::{DocumentId, RunId};
use crate::run::{Run, RunState};

/// Why an edit cannot be made now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditBlocked {
    /// A run of the document is RUNNING.
    ActiveRun,
    /// The run has not completed.
    NotCompleted,
    /// The run has no interpretation.
    Missing,
    /// Somebody else has made a newer version.
    Stale,
}

/// Whether the version `base` of a run's interpretation may be edited. `is_busy` says whether any run of the document
/// is RUNNING; `active` is the number of the active version, if the run has one.
///
/// The use case asks before it works out the edit. The store asks again in its transaction, about what it has locked.
pub fn check_edit(run: &Run, is_busy: bool, active: Option<u32>, base: u32) -> Result<(), EditBlocked> {
    if is_busy {
        return Err(EditBlocked::ActiveRun);
    }
    if !matches!(run.state, RunState::Completed { .. }) {
        return Err(EditBlocked::NotCompleted);
    }
    match active {
        None => Err(EditBlocked::Missing),
        Some(active) if active != base => Err(EditBlocked::Stale),
        Some(_) => Ok(()),
    }
}

/// The event of an edit of what a run understood.
pub fn interpretation_edited(document: DocumentId, run: RunId, actor: &str, at: Timestamp) -> Event {
    let edited = Document::event_by(EventType::InterpretationEdited, document, actor, at);
    Event { run: Some(run), ..edited }
}

/// The event of a document that becomes REVIEWED, or `IN_REVIEW` again.
pub fn review_marked(document: DocumentId, status: ReviewStatus, actor: &str, at: Timestamp) -> Event {
    let event_type = match status {
        ReviewStatus::Reviewed => EventType::MarkReviewed,
        ReviewStatus::InReview => EventType::ReviewReopened,
    };
    Document::event_by(event_type, document, actor, at)
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
        };
        Run { state, ..create(&new, NOW).0 }
    }

    #[test]
    fn an_edit_is_blocked_by_the_first_thing_that_is_in_its_way() {
        let completed = run(RunState::Completed { started_at: NOW, completed_at: NOW });
        let queued = run(RunState::Queued { available_at: None });
        assert_eq!(check_edit(&queued, true, None, 1), Err(EditBlocked::ActiveRun));
        assert_eq!(check_edit(&queued, false, Some(1), 1), Err(EditBlocked::NotCompleted));
        assert_eq!(check_edit(&completed, true, Some(1), 1), Err(EditBlocked::ActiveRun));
        assert_eq!(check_edit(&completed, false, None, 1), Err(EditBlocked::Missing));
        assert_eq!(check_edit(&completed, false, Some(2), 1), Err(EditBlocked::Stale));
        assert_eq!(check_edit(&completed, false, Some(1), 1), Ok(()));
    }
}

//! Hiding a document: it leaves lists, search, similar documents and exports, and comes back when a person shows it again.
//! Nothing of it is deleted, its runs go on, and it can still be opened by its id.

use jiff::Timestamp;

use crate::document::Document;
use crate::event::{Event, EventType};
use crate::ids::DocumentId;

/// Who has hidden a document, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// When.
    pub at: Timestamp,
    /// The name of the person or program.
    pub by: String,
}

/// What a person wants of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HideChange {
    /// To hide it.
    Hide,
    /// To show it again.
    Unhide,
}

impl HideChange {
    /// Whether this changes a document. Hiding a hidden document again keeps who hid it first, and when.
    pub fn applies_to(self, hidden: Option<&Hidden>) -> bool {
        hidden.is_some() != (self == Self::Hide)
    }

    /// The document after the change.
    pub fn result(self, actor: &str, at: Timestamp) -> Option<Hidden> {
        match self {
            Self::Hide => Some(Hidden { at, by: actor.to_owned() }),
            Self::Unhide => None,
        }
    }

    /// The event of the change.
    pub fn event(self, document: DocumentId, actor: &str, at: Timestamp) -> Event {
        let event_type = match self {
            Self::Hide => EventType::DocumentHidden,
            Self::Unhide => EventType::DocumentUnhidden,
        };
        Document::event_by(event_type, document, actor, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_was_made_already_changes_nothing() {
        let hidden = HideChange::Hide.result("ana", Timestamp::UNIX_EPOCH);
        assert!(HideChange::Hide.applies_to(None) && !HideChange::Unhide.applies_to(None));
        assert!(
            !HideChange::Hide.applies_to(hidden.as_ref()) && HideChange::Unhide.applies_to(hidden.as_ref())
        );
        assert_eq!(HideChange::Unhide.result("ana", Timestamp::UNIX_EPOCH), None);
    }

    #[test]
    fn each_change_has_its_event_with_its_actor() {
        let id = DocumentId::new();
        for (change, name) in
            [(HideChange::Hide, "DOCUMENT_HIDDEN"), (HideChange::Unhide, "DOCUMENT_UNHIDDEN")]
        {
            let event = change.event(id, "ana", Timestamp::UNIX_EPOCH);
            assert_eq!((event.event_type.as_str(), event.actor.as_deref()), (name, Some("ana")));
            assert!(event.event_type.is_streamed() && event.subject == Some(id.into()));
        }
    }
}

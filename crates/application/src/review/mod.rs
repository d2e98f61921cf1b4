//! Use cases of a reviewer: view an interpretation, edit it, mark it as reviewed.

mod compare;
mod edit;
mod history;
mod mark;
mod next;
mod restore;
mod stale;
mod view;

pub use quire_ports::{InterpretationVersion, ReviewChange, ReviewMark, VersionHistoryEntry};

pub use compare::{CompareError, ComparedVersions, VersionReference, versions_to_compare};
pub use edit::{EditError, EditRequest, EditResult, edit};
pub use history::{version, versions};
pub use mark::{MarkError, MarkRequest, MarkResult, set_review_status};
pub use next::{NextLeastConfident, next_least_confident, next_newest};
pub use stale::StaleEdit;
pub use view::{ReviewError, ReviewView, show, view};

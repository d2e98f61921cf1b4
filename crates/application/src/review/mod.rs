//! What a person does with what was understood: look at it, correct it, say that it is checked.

mod compare;
mod edit;
mod history;
mod mark;
mod stale;
mod view;

pub use compare::{CompareError, ComparedVersions, VersionReference, versions_to_compare};
pub use edit::{EditError, EditRequest, EditResult, edit};
pub use history::versions;
pub use mark::{MarkRequest, mark};
pub use stale::StaleEdit;
pub use view::{ReviewError, ReviewView, view};

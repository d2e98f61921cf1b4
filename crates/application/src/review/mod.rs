//! What a person does with what was understood: look at it, correct it, say that it is checked.

mod edit;
mod history;
mod mark;
mod view;

pub use edit::{EditError, EditRequest, EditResult, edit};
pub use history::versions;
pub use mark::{MarkRequest, mark};
pub use view::{ReviewError, ReviewView, view};

//! The shapes of what the domain says, for the description alone: the domain knows nothing of HTTP. A test compares
//! them with what is really written.

#![allow(dead_code)] // Only the description reads them.
#![allow(clippy::struct_field_names, clippy::zero_sized_map_values)] // As they are written, and never made.

mod change;
mod files;
mod interpretation;
mod made_by;
mod message;
mod page;
mod schema;
mod value;
mod visits;

pub(crate) use change::Change;
pub(crate) use files::{FileReceipt, JobError, UploadForm};
pub(crate) use interpretation::Field;
use interpretation::Interpretation;
pub(crate) use made_by::MadeBy;
pub(crate) use message::Message;
pub(crate) use page::Page;
use page::Rect;
pub(crate) use schema::Schema;
pub(crate) use value::FieldValue;
pub(crate) use visits::Shown;

#[cfg(test)]
mod tests;

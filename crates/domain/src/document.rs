//! What was taken in. A document exists before any run of it, and its processing status is never stored: it
//! follows from its runs.

use jiff::Timestamp;

use crate::event::{Event, EventType};
use crate::ids::DocumentId;
use crate::pipeline::Pipeline;

/// A document as it was taken in, with what people said about it since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its identity; also the subject of its runs.
    pub id: DocumentId,
    /// The base name of the file as the sender called it.
    pub original_filename: String,
    /// The type found by looking at the content.
    pub content_type: String,
    /// Bytes.
    pub file_size: u64,
    /// SHA-256 of the content.
    pub content_hash: [u8; 32],
    /// Where the original is kept, relative to the storage root.
    pub storage_path: String,
    /// When it was taken in.
    pub created_at: Timestamp,
    /// Whether a person has checked it.
    pub review_status: ReviewStatus,
    /// The language a person chose for it, ISO 639-1.
    pub language_override: Option<String>,
}

impl Document {
    /// An event about the document of that id and about no run.
    pub fn event(event_type: EventType, id: DocumentId, at: Timestamp) -> Event {
        Event { pipeline: Some(Pipeline::Document), subject: Some(id.into()), ..Event::bare(event_type, at) }
    }
}

/// Whether a person has checked a document. Independent of processing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReviewStatus {
    /// Nobody has, yet.
    #[default]
    InReview,
    /// Somebody has.
    Reviewed,
}

impl ReviewStatus {
    /// The stored and shown form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InReview => "IN_REVIEW",
            Self::Reviewed => "REVIEWED",
        }
    }
}

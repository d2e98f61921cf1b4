//! Link requests and their summaries.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::link::{ForwardedText, RequestKind, SummaryLanguage};
use quire_domain::{NewRun, Run, RunId, SummaryId};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::PortResult;

/// What was asked of a link run. It never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRequest {
    /// What is summarised.
    pub source: LinkSource,
    /// SHA-256 of the normalized address or of the identity of the forwarded text, as 64 hexadecimal digits. A client has
    /// one unfinished or summarised request for it at a time.
    pub dedupe_hash: String,
    /// The API key of the client, if it has one.
    pub key_id: Option<Uuid>,
    /// The language of the summary.
    pub language: SummaryLanguage,
    /// The failed request that this one repeats.
    pub retry_of: Option<RunId>,
}

/// What is summarised.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkSource {
    /// A page on the web.
    Url {
        /// The address as the client gave it.
        input: String,
        /// The address in its normal form.
        normalized: String,
    },
    /// A text that somebody forwarded.
    Forward(ForwardedText),
}

impl LinkSource {
    /// The kind of request.
    pub fn kind(&self) -> RequestKind {
        match self {
            Self::Url { .. } => RequestKind::Url,
            Self::Forward(_) => RequestKind::Forward,
        }
    }

    /// The normalized address, if a page is summarised.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Url { normalized, .. } => Some(normalized),
            Self::Forward(_) => None,
        }
    }
}

/// A link run with everything that is stored about it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRun {
    /// The run; its id is the id of the request.
    pub run: Run,
    /// What was asked.
    pub request: LinkRequest,
    /// The summary, after the last step.
    pub summary: Option<StoredSummary>,
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkCreation {
    /// It is accepted.
    Created(Box<Run>),
    /// The same client asked for the same before. Nothing was changed.
    Duplicate(Box<LinkRun>),
}

/// A summary that a step made. It satisfies the contract of summaries.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSummary {
    /// The id.
    pub id: SummaryId,
    /// The language, as ISO 639-1.
    pub language: String,
    /// The summary, as the contract says.
    pub payload: Map<String, Value>,
    /// The name of the model, or of the built-in method.
    pub made_by: String,
}

/// A stored summary.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSummary {
    /// The summary as it was made.
    pub content: NewSummary,
    /// The version, from 1.
    pub version: u32,
    /// Whether somebody has marked it as read.
    pub is_read: bool,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Whose requests and summaries to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkOwner {
    /// Those of everybody.
    #[default]
    Any,
    /// Those of this API key.
    Key(Uuid),
}

/// Which requests to list, newest first. What is none restricts nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkFilter {
    /// Whose.
    pub owner: LinkOwner,
    /// The states of their runs, as stored. Empty for all.
    pub states: Vec<&'static str>,
    /// How many to return.
    pub limit: u32,
    /// How many to skip.
    pub offset: u32,
}

/// Which summaries to list. Deleted ones are never listed. What is none restricts nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryFilter {
    /// Whose.
    pub owner: LinkOwner,
    /// Whether they are marked as read.
    pub is_read: Option<bool>,
    /// The language.
    pub language: Option<String>,
    /// A text in the title, the summary, the tags or the address, in any case.
    pub text: Option<String>,
    /// Made at this time or later.
    pub created_from: Option<Timestamp>,
    /// Made at this time or earlier.
    pub created_until: Option<Timestamp>,
    /// The oldest first.
    pub oldest_first: bool,
    /// How many to return.
    pub limit: u32,
    /// How many to skip.
    pub offset: u32,
}

/// A part of the summaries that a filter lets through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryPage {
    /// The summaries with their requests.
    pub items: Vec<LinkRun>,
    /// How many there are in all.
    pub total: u64,
    /// How many of the owner's summaries are not marked as read, whatever the filter.
    pub unread: u64,
}

/// Link requests and their summaries.
#[async_trait]
pub trait Links: Send + Sync {
    /// Accepts a run and keeps what was asked, in one transaction, unless the same client asked for the same before
    /// ([`quire_domain::link::stops_repetition`]). A second request with the same id returns the same run and changes
    /// nothing.
    async fn create(&self, new: &NewRun, request: &LinkRequest, at: Timestamp) -> PortResult<LinkCreation>;

    /// A run with everything that is stored about it. `NotFound` if there is no such link run.
    async fn request(&self, run: RunId) -> PortResult<LinkRun>;

    /// The requests that a filter lets through, newest first, and how many there are in all.
    async fn requests(&self, filter: &LinkFilter) -> PortResult<(Vec<LinkRun>, u64)>;

    /// The request of a summary, deleted or not. `NotFound` if there is no such summary.
    async fn summary(&self, id: SummaryId) -> PortResult<LinkRun>;

    /// The summaries that a filter lets through.
    async fn summaries(&self, filter: &SummaryFilter) -> PortResult<SummaryPage>;

    /// Marks a summary as read or unread. `NotFound` if there is none or it was deleted.
    async fn set_read(&self, id: SummaryId, is_read: bool) -> PortResult<()>;

    /// Deletes a summary: it is kept, and not shown any more. `NotFound` if there is none or it was deleted.
    async fn delete_summary(&self, id: SummaryId, at: Timestamp) -> PortResult<()>;
}

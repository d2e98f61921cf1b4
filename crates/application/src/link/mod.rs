//! Links: pages and forwarded texts that are read and summarised.

mod create;
mod owner;
mod page;
mod retry;
mod show;
mod status;
mod summaries;

pub use quire_ports::{
    LinkCreation, LinkFilter, LinkRequest, LinkRun, LinkSource, ModelCall, StoredSummary, SummaryFilter,
    SummaryPage,
};

pub use create::{LinkError, LinkInput, NewLink, SummariesNotConfigured, accept, create, source_of};
pub use page::WebPageArtifact;
pub use retry::{LinkRetryError, retry};
pub use show::{LinkView, list, show};
pub use status::{LinkStatus, status};
pub use summaries::{delete_summary, mark_summary, show_summary, summaries};

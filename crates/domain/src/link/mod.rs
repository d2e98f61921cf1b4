//! Links: web pages and forwarded texts that are read and summarised.

mod request;

pub use request::{
    ForwardMetadata, ForwardedText, InvalidForward, RequestKind, SummaryLanguage, request_status,
    retry_correlation_id, stops_repetition,
};

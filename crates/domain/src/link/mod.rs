//! Links: the addresses and texts that people send, which of them may be fetched, and which pages are worth a summary.

mod address;
mod low_value;
mod network;
mod percent;
mod request;

pub use address::{InvalidUrl, MAX_URL_CHARS, NormalizedUrl, UrlHash};
pub use low_value::{LowValue, low_value};
pub use network::{is_public, is_refused_host};
pub use request::{
    ForwardMetadata, ForwardedText, InvalidForward, RequestKind, SummaryLanguage, background_correlation_id,
    can_retry, failed_stage, request_status, retry_correlation_id, stops_repetition,
};
